import { parentPort } from 'node:worker_threads';
import { decodeGranule, type DecodedGranule, type ExpectedGranule } from './decode.ts';
import { GranuleRefused, type GranuleRefusal } from './grib2/refused.ts';

/** One granule to decode; the bytes are handed over, not copied. One at a time. */
export interface DecodeRequest {
  bytes: Uint8Array;
  expected: ExpectedGranule;
  threshold_tenths_mm: number;
}

export type DecodeReply =
  | { outcome: 'decoded'; granule: DecodedGranule }
  | { outcome: 'refused'; reason: GranuleRefusal; detail: string };

// Anything but a refusal is a fault of ours: it is not caught, ends this thread, and is told as such by the other side.
parentPort?.on('message', (request: DecodeRequest) => {
  void answer(request);
});

async function answer({ bytes, expected, threshold_tenths_mm }: DecodeRequest): Promise<void> {
  try {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const granule = await decodeGranule(body, expected, threshold_tenths_mm);
    const reply: DecodeReply = { outcome: 'decoded', granule };
    parentPort?.postMessage(reply, [granule.cells.buffer, granule.sizes.buffer]);
  } catch (error) {
    if (!(error instanceof GranuleRefused)) throw error;
    const reply: DecodeReply = { outcome: 'refused', reason: error.reason, detail: error.message };
    parentPort?.postMessage(reply);
  }
}
