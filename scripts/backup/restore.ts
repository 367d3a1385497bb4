import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { documentsFolder, readDocument } from '../../services/feeds/documents/files.ts';
import { readSnapshot } from '../../services/log/sqlite/snapshot.ts';
import {
  copyDocuments,
  copyOne,
  isEmptyFolder,
  log_file,
  readManifest,
  refuse,
  registry_file,
  sizeAndHash,
  type Manifest,
} from './parts.ts';

/** Reads a backup through: every file against its hash, the log as a database, every document against its name. */
export async function checkBackup(where: string): Promise<Manifest> {
  const folder = resolve(where);
  const manifest = await readManifest(folder);
  for (const [file, expected] of Object.entries(manifest.files)) {
    const path = join(folder, file);
    const found = existsSync(path) ? await sizeAndHash(path) : null;
    if (found?.sha256 !== expected.sha256)
      throw refuse(`${path} is ${found === null ? 'missing' : 'damaged'}: use another backup.`);
  }
  const snapshot = readSnapshot(join(folder, log_file));
  if (snapshot.log_id !== manifest.log_id) throw refuse(`${folder} holds another log than it says.`);
  const documents = documentsFolder(folder);
  const names = existsSync(documents) ? readdirSync(documents, { recursive: true, encoding: 'utf8' }) : [];
  let whole = 0;
  for (const name of names.filter((each) => /\.(?:zst|bin)$/.test(each))) {
    const sha256 = basename(name).replace(/\.\w+$/, '');
    const { outcome } = await readDocument(folder, sha256);
    if (outcome !== 'found')
      throw refuse(`The document ${sha256} in ${folder} is damaged: use another backup.`);
    whole += 1;
  }
  if (manifest.documents !== null && whole !== manifest.documents)
    throw refuse(`${folder} holds ${whole} documents of ${manifest.documents}: use another backup.`);
  return manifest;
}

/**
 * Lays a checked backup into a data folder that holds nothing. What stands in a folder is never mixed with it: views of a longer log would
 * lie beyond the end of the restored one, and an index of them would know records that it has not.
 */
export async function restoreBackup(options: { data_dir: string; folder: string }): Promise<Manifest> {
  const data_dir = resolve(options.data_dir);
  const folder = resolve(options.folder);
  if (!isEmptyFolder(data_dir))
    throw refuse(
      `The data folder ${data_dir} is not empty: stop the service, move the folder away, and restore again.`,
    );
  const manifest = await checkBackup(folder);
  if (existsSync(join(folder, registry_file)))
    await copyOne(join(folder, registry_file), join(data_dir, registry_file));
  await copyDocuments(folder, data_dir);
  // The log last: a folder in which a restore was cut short is none that a service would start from as if it were whole.
  await copyOne(join(folder, log_file), join(data_dir, log_file));
  return manifest;
}
