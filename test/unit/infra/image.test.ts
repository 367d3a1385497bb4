import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { describe, it } from 'node:test';
import manifest from '../../../package.json' with { type: 'json' };
import { readConfig, settingNames } from '../../../services/runtime/config.ts';
import { buildContext, copiedFiles, imageEnvironment, readDockerfile } from '../../support/image.ts';

const stages = readDockerfile();
const last = stages.at(-1);
const files = copiedFiles(last, buildContext());
const places = new Set(files.map(([, place]) => place));
const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const lines = (word: string): string[] =>
  last?.instructions.filter((each) => each.word === word).map(({ rest }) => rest) ?? [];

/** What a module asks for by name: relative paths and packages, types aside, which are gone when it runs. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(
    /^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms,
  );
  return [...statements].map(([, named, bare, late]) => named ?? bare ?? late ?? '');
}

describe('the image', () => {
  it('is built on one version of Node, the one that npm brings along', () => {
    assert.deepEqual(
      stages.map(({ base }) => base),
      stages.map(() => `node:${manifest.devDependencies.node}-slim`),
    );
  });

  it('installs what package.json names for production and nothing that only a developer needs', () => {
    const installs = stages.flatMap(({ instructions }) => instructions.filter(({ word }) => word === 'RUN'));
    assert.ok(installs.some(({ rest }) => /^npm install .*--omit=dev/.test(rest)));
    assert.ok(!('chdb' in manifest.dependencies) && 'chdb' in manifest.devDependencies);
    assert.ok(!('node' in manifest.dependencies));
  });

  it('runs as a user without rights, says when it is alive, and leaves its data in a volume of that user', () => {
    assert.deepEqual(lines('USER'), ['node']);
    assert.deepEqual(lines('VOLUME'), ['/data']);
    assert.match(lines('RUN').join('\n'), /chown node:node \/data/);
    assert.equal(imageEnvironment(stages)['HAILMARK_DATA_DIR'], '/data');
    assert.match(lines('HEALTHCHECK').join(''), /infra\/healthcheck\.ts/);
    const config = readConfig();
    const ports = [config.API_PORT, config.API_OPS_PORT, config.FEEDS_OPS_PORT, config.PROJECTOR_OPS_PORT];
    assert.deepEqual(lines('EXPOSE')[0]?.split(' ').map(Number), ports);
  });

  it('sets nothing that no process reads', () => {
    const unknown = Object.keys(imageEnvironment(stages)).filter((name) => !settingNames.includes(name));
    assert.deepEqual(unknown, ['NODE_ENV']);
  });

  it('has every file that its processes import, and none of tests, recordings or the local engine', () => {
    assert.ok(places.has('services/api/main.ts') && places.has('schemas/openapi.json'));
    for (const place of places) assert.match(place, /^(?:package\.json|schemas|services|scripts|infra)/);
    assert.deepEqual([...places].filter((place) => place.startsWith('infra/')).sort(), [
      'infra/entrypoint.sh',
      'infra/healthcheck.ts',
    ]);
    const packages = new Set<string>();
    for (const [source, place] of files) {
      if (!/\.(?:ts|mjs)$/.test(place)) continue;
      for (const name of importsOf(read(source))) {
        if (name.startsWith('.')) {
          assert.ok(places.has(posix.join(dirname(place), name)), `${place} imports ${name}`);
        } else if (!name.startsWith('node:')) {
          packages.add(
            name
              .split('/')
              .slice(0, name.startsWith('@') ? 2 : 1)
              .join('/'),
          );
        }
      }
    }
    assert.ok(packages.has('express') && packages.has('kafkajs'));
    const installed: Record<string, string> = manifest.dependencies;
    for (const name of packages) assert.ok(name in installed || builtinModules.includes(name), name);
  });
});
