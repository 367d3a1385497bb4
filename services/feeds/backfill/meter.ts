import type { PollRun } from '../poll.ts';
import type { BackfillProgress } from './shelf.ts';

/** The same run, which counts what is asked, comes and is published into `progress`, and tells after each question. */
export function metered(run: PollRun, progress: BackfillProgress, onQuestion: () => void): PollRun {
  const came = (bytes: number): void => {
    progress.bytes += bytes;
  };
  return {
    ...run,
    get: async (...question) => {
      progress.requests += 1;
      const body = await run.get(...question);
      came(body.served.byteLength);
      return body;
    },
    getIfModified: async (...question) => {
      progress.requests += 1;
      const found = await run.getIfModified(...question);
      if (found.modified) came(found.body.served.byteLength);
      return found;
    },
    settle: async (...question) => {
      const settled = await run.settle(...question);
      if (settled?.outcome === 'read') {
        for (const { records, published } of settled.readings) {
          progress.records += records;
          progress.published += published;
        }
      }
      onQuestion();
      return settled;
    },
  };
}
