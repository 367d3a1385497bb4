import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { startLogProcess } from './event-log.process.ts';
import { makeTopic, readAll, type LogTwin } from './event-log.support.ts';

/** What the contract says of ownership: one owner at a time, free at once when it dies, and no write by a former one. */
export function ownershipContract(twin: () => LogTwin): void {
  const message = { key: 'owned', value: Buffer.from('by this process') };
  const elsewhere = (error: unknown): boolean => isHailmarkError(error, 'HAIL_OWNED_ELSEWHERE');
  const lost = (error: unknown): boolean => isHailmarkError(error, 'HAIL_OWNERSHIP_LOST');

  it('gives a resource to one process at a time, and says which resource', async () => {
    const owned = twin();
    const { name } = await makeTopic(owned.log);
    const resource = `feed/${randomUUID()}`;
    const child = startLogProcess(owned, { task: 'own', topic: name, resource });
    await child.said('owns');
    await assert.rejects(
      owned.log.claim(resource),
      (error: Error) => elsewhere(error) && error.message.includes(resource),
    );
    const unrelated = await owned.log.claim(`${resource}.other`);
    await unrelated.release();
    await child.kill9();
  });

  it("frees a killed owner's resource at once and refuses its late appends", async () => {
    const owned = twin();
    const { name } = await makeTopic(owned.log);
    const resource = `feed/${randomUUID()}`;
    const child = startLogProcess(owned, { task: 'own', topic: name, resource });
    const { epoch } = await child.said('owns');
    await child.kill9();
    const owner = await owned.log.claim(resource);
    assert.ok(owner.epoch > epoch);
    const former = { resource, epoch, release: () => Promise.resolve() };
    await assert.rejects(owned.log.append(name, [message], former), lost);
    await owned.log.append(name, [message], owner);
    assert.deepEqual(
      (await readAll(owned.log, name)).map(({ value }) => String(value)),
      ['by the child', 'by this process'],
    );
    await owner.release();
  });

  it('holds between two handles of one process too, and a released owner cannot write', async () => {
    const { log, open } = twin();
    const { name } = await makeTopic(log);
    const other = await open();
    const resource = `feed/${randomUUID()}`;
    const first = await log.claim(resource);
    await assert.rejects(other.claim(resource), elsewhere);
    await assert.rejects(log.claim(resource), elsewhere);
    await first.release();
    await first.release();
    const second = await other.claim(resource);
    assert.ok(second.epoch > first.epoch);
    await assert.rejects(log.append(name, [message], first), lost);
    await other.append(name, [message], second);
    await other.close();
    const third = await log.claim(resource);
    assert.ok(third.epoch > second.epoch);
    await third.release();
  });
}
