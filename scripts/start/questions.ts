/**
 * Questions with hail in their answers, as lines to paste. The addresses are public buildings of the sandbox's gazetteer.
 */
export function sandboxQuestions(api_url: string, key: string): string[] {
  const questions: { operation: string; parameters: Record<string, string> }[] = [
    {
      operation: 'verify',
      parameters: {
        address: '7360 E 6th St, Somerset, TX 78069',
        date_of_loss: '2026-08-28',
        window_days: '2',
      },
    },
    {
      operation: 'verify',
      parameters: {
        address: '414 E 12th St, Kansas City, MO 64106',
        date_of_loss: '2017-03-06',
        window_days: '3',
      },
    },
    {
      operation: 'history',
      parameters: {
        address: '2300 N Lincoln Blvd, Oklahoma City, OK 73105',
        since: '1955-01-01',
        min_size_in: '1',
      },
    },
    {
      operation: 'history',
      parameters: {
        address: '100 E 4th St, Pecos, TX 79772',
        since: '2026-06-01',
        radius_mi: '10',
      },
    },
    {
      operation: 'score',
      parameters: {
        address: '100 E 4th St, Pecos, TX 79772',
        roof_type: 'asphalt_shingle',
        roof_age: '12',
      },
    },
  ];
  return questions.map(({ operation, parameters }) =>
    [
      `curl -sG ${api_url}/v1/property/${operation} -H 'Authorization: Bearer ${key}'`,
      ...Object.entries(parameters).map(([name, value]) => `--data-urlencode '${name}=${value}'`),
    ].join(' '),
  );
}
