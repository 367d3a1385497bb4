export type Tier = 'Low' | 'Moderate' | 'High' | 'Very High';

/** The bands of the contract (2.6): 0-25, 26-50, 51-75, 76-100. */
export function tierOf(value: number): Tier {
  if (value <= 25) return 'Low';
  if (value <= 50) return 'Moderate';
  return value <= 75 ? 'High' : 'Very High';
}
