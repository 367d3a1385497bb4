import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Question {
  title: string;
  sql: string;
  columns: string[];
  rows: string[][];
}

/** The questions of schemas/clickhouse/README.md as they stand there: a heading with a number, the SQL, and the answer as a table. */
export function questionsOfReadme(): Question[] {
  const text = readFileSync(join(import.meta.dirname, '../../../schemas/clickhouse/README.md'), 'utf8');
  return [...text.matchAll(/^### (\d+\. .+)\n[^]*?^```sql\n([^]*?)^```\n\n((?:\|.*\|\n)+)/gm)].map(
    ([, title = '', sql = '', table = '']) => {
      const [columns = [], , ...rows] = table
        .trim()
        .split('\n')
        .map((line) =>
          line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim()),
        );
      return { title, sql: sql.trim(), columns, rows };
    },
  );
}
