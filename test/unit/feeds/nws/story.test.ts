import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { storyOf } from '../../../../services/feeds/nws/story.ts';
import type { AlertFact } from '../../../../services/hail/alert.ts';
import { factOf, lifecycle, read, recordedAlerts, thunderstorm } from './recordings.ts';

const recorded = factOf(thunderstorm);

describe('the story of an answer', () => {
  it('has the warning before its cancellation, however the answer orders them', () => {
    const { told } = read(recordedAlerts(lifecycle));
    for (const messages of [told, told.toReversed()]) {
      const { chapters, twins } = storyOf(messages);
      assert.equal(twins, 0);
      assert.deepEqual(
        chapters.map((chapter) =>
          chapter.map(({ alert_key, vtec_action }) => `${alert_key} ${String(vtec_action)}`).sort(),
        ),
        [['KTOP/SV/W/0347/2026 NEW', 'KTOP/SV/W/0348/2026 NEW'], ['KTOP/SV/W/0347/2026 CAN']],
      );
    }
  });

  it('lets an event go on of which only a part is released in the same instant', () => {
    const rest: AlertFact = { ...recorded, message_id: 'urn:a', vtec_action: 'CON' };
    const part: AlertFact = { ...recorded, message_id: 'urn:b', vtec_action: 'CAN', state: 'cancelled' };
    for (const messages of [
      [rest, part],
      [part, rest],
    ])
      assert.deepEqual(storyOf(messages), { chapters: [[rest]], twins: 1 });
  });

  it('never depends on the order of the answer, and tells each event forward without repeating an instant', () => {
    const message = fc
      .record({
        event: fc.nat(2),
        sent_at: fc.nat(3),
        id: fc.nat(9),
        state: fc.constantFrom('active', 'cancelled', 'expired'),
        replaced_by: fc.constantFrom(null, 'urn:c'),
      })
      .map(({ event, sent_at, id, state, replaced_by }): AlertFact => ({
        ...recorded,
        ...{ alert_key: `e${event}`, sent_at, state, replaced_by },
        message_id: `urn:${id}.${event}.${sent_at}.${state}.${String(replaced_by)}`,
      }));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        (messages, random) => {
          const keyed = messages.map((each, number) => ({ each, at: random[number] ?? 0 }));
          const shuffled = keyed.sort((a, b) => a.at - b.at).map(({ each }) => each);
          const { chapters, twins } = storyOf(messages);
          const plain = (of: AlertFact[][]): string[][] =>
            of.map((chapter) => chapter.map(({ message_id }) => message_id).sort());
          assert.deepEqual(plain(storyOf(shuffled).chapters), plain(chapters));
          assert.equal(chapters.flat().length + twins, messages.length);
          const last = new Map<string, number>();
          for (const chapter of chapters) {
            assert.equal(new Set(chapter.map(({ alert_key }) => alert_key)).size, chapter.length);
            for (const { alert_key, sent_at } of chapter) {
              assert.ok(sent_at > (last.get(alert_key) ?? -1));
              last.set(alert_key, sent_at);
            }
          }
        },
      ),
    );
  });
});
