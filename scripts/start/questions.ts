/**
 * Three questions with hail in their answers, as lines to paste. The addresses are public buildings of the sandbox's gazetteer.
 */
export function sandboxQuestions(api_url: string, key: string): string[] {
  const questions: { operation: string; parameters: Record<string, string> }[] = [
    {
      operation: 'verify',
      parameters: {
        address: '100 Main Plz, New Braunfels, TX 78130',
        date_of_loss: '2026-08-28',
        window_days: '2',
      },
    },
    {
      operation: 'verify',
      parameters: {
        address: '301 N Broadway Ave, Moore, OK 73160',
        date_of_loss: '2011-05-24',
        window_days: '3',
      },
    },
    {
      operation: 'history',
      parameters: { address: '300 SW 10th Ave, Topeka, KS 66612', since: '1955-01-01', min_size_in: '1.5' },
    },
  ];
  return questions.map(({ operation, parameters }) =>
    [
      `curl -sG ${api_url}/v1/property/${operation} -H 'Authorization: Bearer ${key}'`,
      ...Object.entries(parameters).map(([name, value]) => `--data-urlencode '${name}=${value}'`),
    ].join(' '),
  );
}
