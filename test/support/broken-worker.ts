import { parentPort } from 'node:worker_threads';
import type { DecodeReply, DecodeRequest } from '../../services/feeds/mrms/decode-worker.ts';

/** A decoder's thread that does as the first byte says: answers with no hail, hangs, ends, or fails. */
parentPort?.on('message', ({ bytes }: DecodeRequest) => {
  const order = String.fromCharCode(bytes[0] ?? 0);
  if (order === 'e') process.exit(0);
  if (order === 'f') throw new Error('broken on purpose');
  // A thread that stands still answers to nothing; only ending it helps.
  if (order === 'h') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  const granule = {
    geometry: { rows: 1, columns: 1, first_lat: 0, first_lon: 0, step_deg: 1 },
    cells: new Int32Array(),
    sizes: new Uint16Array(),
    ...{ covered: 1, uncovered: 0, no_hail: 1, smaller_hail: 0 },
  };
  const reply: DecodeReply = { outcome: 'decoded', granule };
  parentPort?.postMessage(reply);
});
