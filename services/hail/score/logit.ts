/** The probability with these log-odds. */
export function fromLogOdds(log_odds: number): number {
  return 1 / (1 + Math.exp(-log_odds));
}
