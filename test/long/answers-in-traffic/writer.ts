import type { Codec } from '../../../services/log/codec.ts';
import { max_append_messages, type EventLog, type NewMessage } from '../../../services/log/event-log.ts';
import { granuleId, type GridFact } from '../../../services/hail/grid.ts';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { keyOf } from '../../unit/projector/history.ts';
import { generator } from '../../support/oracle/questions.ts';
import { correctionsNear, countrywide, granulesNear } from './facts.ts';
import { places } from './places.ts';

/** What is written every second: observations in all, granules at all places together. */
export const observations_per_s = 2_000;
const granules_per_s = 3;
const step_ms = 50;

export interface Written {
  observations: number;
  granules: number;
  elapsed_s: number;
}

/** Writes until told to stop; behind its pace it catches up, so that what is missing at the end is what the machine could not do. */
export function startWriting(log: EventLog, codec: Codec, seed: number): { stop: () => Promise<Written> } {
  const random = generator(seed);
  const country = countrywide(random);
  const near = places.map((place, number) => ({
    facts_per_s: place.facts_per_s,
    facts: correctionsNear(place, number, random),
    granules: granulesNear(place, number, random),
  }));
  const near_per_s = near.reduce((sum, { facts_per_s }) => sum + facts_per_s, 0);
  const state = { on: true };
  const written: Written = { observations: 0, granules: 0, elapsed_s: 0 };

  /** One fact of the stream: of every `observations_per_s` so many are near each place. */
  const next = (): ObservationFact => {
    let turn = random() * observations_per_s;
    if (turn < near_per_s) {
      for (const { facts_per_s, facts } of near) {
        if (turn < facts_per_s) return taken(facts);
        turn -= facts_per_s;
      }
    }
    return taken(country);
  };
  const write = async (): Promise<void> => {
    const began = performance.now();
    while (state.on) {
      written.elapsed_s = (performance.now() - began) / 1_000;
      const due = Math.floor(written.elapsed_s * observations_per_s) - written.observations;
      const facts = Array.from({ length: Math.min(due, max_append_messages) }, next);
      if (facts.length > 0) {
        await log.append(
          topics.observation.name,
          facts.map((fact): NewMessage => ({
            key: keyOf(fact),
            value: codec.encode(topics.observation.name, fact),
          })),
        );
        written.observations += facts.length;
      }
      if (written.granules < written.elapsed_s * granules_per_s) {
        const of = near[Math.floor(random() * near.length)];
        if (of !== undefined) await appendGranule(taken(of.granules));
      }
      await pause(step_ms);
    }
    written.elapsed_s = (performance.now() - began) / 1_000;
  };
  const appendGranule = async (granule: GridFact): Promise<void> => {
    const value = codec.encode(topics.grid.name, granule);
    await log.append(topics.grid.name, [{ key: granuleId(granule), value }]);
    written.granules += 1;
  };
  const done = write();
  // Whoever stops it hears of its failure.
  done.catch(() => undefined);
  return {
    stop: async () => {
      state.on = false;
      await done;
      return written;
    },
  };
}

function taken<T>(from: Generator<T, void>): T {
  const next = from.next();
  if (next.done === true) throw new Error('the traffic has no end');
  return next.value;
}
