import { checkHistory, type HistoryFindings } from './released-history.ts';
import { readReleased } from './released-files.ts';
import { exampleBreaks } from './schema-examples.ts';
import { breaksAmong, breaksWith, readWorking, readVersions } from './schema-versions.ts';

export interface SchemaFindings {
  problems: string[];
  topics: { topic: string; versions: number; examples: number }[];
  history: HistoryFindings;
}

/**
 * Everything that must hold of the schemas' folder: released files are as they were released, by their hashes and by git; the working file
 * of each topic is its last released version; and every version reads every other, both ways and over its examples.
 */
export function checkSchemas(folder: string, topics: readonly string[]): SchemaFindings {
  const released = readReleased(folder);
  const history = checkHistory(folder);
  const problems = [...released.problems, ...('problems' in history ? history.problems : [])];
  const findings: SchemaFindings['topics'] = [];
  for (const topic of new Set([...topics, ...released.versions.keys()])) {
    const versions = readVersions(released, topic, problems);
    const working = readWorking(folder, topic, problems);
    const last = versions.at(-1);
    problems.push(...breaksAmong(topic, versions));
    findings.push({
      topic,
      versions: versions.length,
      examples: versions.reduce((sum, { examples }) => sum + examples.length, 0),
    });
    if (working === null) continue;
    if (working.text === last?.text) {
      problems.push(...versions.flatMap((reader) => exampleBreaks(topic, working, reader)));
      continue;
    }
    // What cannot be released is said instead of how to release it.
    const breaks = breaksWith(topic, versions, working);
    problems.push(...breaks);
    if (breaks.length === 0)
      problems.push(
        `${topic}: the working file is not ${last?.label ?? 'released yet'}; release it: npm run schemas -- release`,
      );
  }
  return { problems: [...new Set(problems)], topics: findings, history };
}
