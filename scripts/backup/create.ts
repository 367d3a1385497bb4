import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyLog } from '../../services/log/sqlite/snapshot.ts';
import type { Clock } from '../../services/runtime/clock.ts';
import type { Store } from '../../services/store/store.ts';
import {
  copyDocuments,
  copyOne,
  isEmptyFolder,
  log_file,
  refuse,
  registry_file,
  sizeAndHash,
  usage_file,
  writeManifest,
  type Manifest,
} from './parts.ts';
import { saveUsage } from './usage.ts';

/**
 * Makes a backup of a data folder while the service runs. The log comes first: a fact is appended after its schema is registered and its
 * document kept, so whatever the copy of the log refers to is in the registry and the documents that are copied after it. Views and the
 * feeds' index are not copied, because both are made from the log.
 */
export async function createBackup(
  deps: { clock: Clock; store: Store | null },
  options: { data_dir: string; folder: string; documents: boolean },
): Promise<Manifest> {
  const data_dir = resolve(options.data_dir);
  const folder = resolve(options.folder);
  if (!isEmptyFolder(folder))
    throw refuse(`The folder ${folder} is not empty: name a new one for each backup.`);
  mkdirSync(join(folder, 'log'), { recursive: true });
  const made_at = new Date(deps.clock()).toISOString();
  const snapshot = copyLog(join(data_dir, 'log'), join(folder, log_file));
  const files = [log_file];
  // With a registry elsewhere (SCHEMA_REGISTRY_URL) there is no journal here; its schemas are then for its own backup.
  if (existsSync(join(data_dir, registry_file))) {
    await copyOne(join(data_dir, registry_file), join(folder, registry_file));
    files.push(registry_file);
  }
  let usage_rows: number | null = null;
  if (deps.store !== null) {
    usage_rows = await saveUsage(deps.store, join(folder, usage_file));
    files.push(usage_file);
  }
  const documents = options.documents ? await copyDocuments(data_dir, folder) : null;
  const hashed = await Promise.all(
    files.map(async (file) => [file, await sizeAndHash(join(folder, file))] as const),
  );
  const manifest: Manifest = {
    ...{ format: 1, made_at, ...snapshot },
    ...{ files: Object.fromEntries(hashed), documents, usage_rows },
  };
  await writeManifest(folder, manifest);
  return manifest;
}
