import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readConfig, settingNames, type Config } from '../../../services/runtime/config.ts';
import { images } from '../../containers/services.ts';
import { infra, interpolate, readCompose, type ComposeService } from '../../support/compose.ts';

const { services, volumes } = readCompose();
const all = Object.entries(services);
const ours = all.filter(([, { image }]) => image.startsWith('hailmark:'));
const serverXml = readFileSync(join(infra, 'clickhouse/server.xml'), 'utf8');

/** What an operator has to set; NOT REAL. */
const set = {
  HAILMARK_CONTACT: 'operator@example.org',
  CLICKHOUSE_PASSWORD: 'not-a-password',
  GRAFANA_PASSWORD: 'not-a-password-either',
  PUBLIC_BASE_URL: 'https://hail.example.org',
};

function configOf(service: ComposeService): Config {
  const written = Object.entries(service.environment ?? {});
  return readConfig(Object.fromEntries(written.map(([name, value]) => [name, interpolate(value, set)])));
}

function megabytes(size: string): number {
  const [, number = '', unit = ''] = /^(\d+)([mg])$/.exec(size) ?? [];
  return Number(number) * (unit === 'g' ? 1_024 : 1);
}

describe('compose.yaml', () => {
  it('runs the three processes, each with settings that are read, and with values that are taken', () => {
    assert.deepEqual(ours.map(([name]) => name).sort(), ['api', 'feeds', 'projector']);
    for (const [name, service] of ours) {
      assert.deepEqual(service.command, [name]);
      const unread = Object.keys(service.environment ?? {}).filter((each) => !settingNames.includes(each));
      assert.deepEqual(unread, ['NODE_OPTIONS'], name);
      const config = configOf(service);
      assert.equal(config.OPS_HOST, '0.0.0.0');
      assert.equal(config.HAILMARK_CONTACT, set.HAILMARK_CONTACT);
      for (const url of [
        config.CLICKHOUSE_URL,
        config.SCHEMA_REGISTRY_URL,
        `kafka://${config.KAFKA_BROKERS ?? ''}`,
      ])
        assert.ok(new URL(url).hostname in services, url);
      assert.match(serverXml, new RegExp(`<remote_servers>\\s*<${config.CLICKHOUSE_CLUSTER ?? ''}>`));
    }
  });

  it('names the same servers to all of them, and one replica', () => {
    const settings = ours.map(([, service]) => {
      const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_CLUSTER } =
        configOf(service);
      return { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_CLUSTER };
    });
    for (const each of settings) assert.deepEqual(each, settings[0]);
    const replicas = [...serverXml.matchAll(/<host>([\w-]+)<\/host>\s*<port>9000</g)].map(
      ([, host = '']) => host,
    );
    assert.deepEqual(replicas, ['clickhouse-1', 'clickhouse-2']);
    for (const replica of replicas) {
      const environment = services[replica]?.environment ?? {};
      assert.equal(environment['CLICKHOUSE_REPLICA'], replica);
      assert.equal(environment['CLICKHOUSE_USER'], settings[0]?.CLICKHOUSE_USER);
    }
  });

  it('pins every image, the ones that the container tests start', () => {
    for (const [name, { image }] of all) {
      assert.match(interpolate(image, {}), /:v?\d+\.\d+[\w.-]*$/, name);
    }
    assert.deepEqual(
      [
        services['kafka'],
        services['schema-registry'],
        services['clickhouse-1'],
        services['clickhouse-2'],
      ].map((service) => service?.image),
      [images.kafka, images.registry, images.clickhouse, images.clickhouse],
    );
  });

  it('asks for every password by name and holds none', () => {
    let asked = 0;
    for (const [name, { environment = {} }] of all) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!/PASSWORD|SECRET|API_KEY/.test(variable)) continue;
        assert.match(value, /^\$\{\w+(?::\?.+|:-)\}$/, `${name} ${variable}`);
        asked += 1;
      }
    }
    assert.ok(asked >= 6);
    const without = (name: string): string[] => Object.keys(set).filter((each) => each !== name);
    for (const name of Object.keys(set)) {
      const others = Object.fromEntries(without(name).map((each) => [each, 'value']));
      const texts = all.flatMap(([, { environment = {} }]) => Object.values(environment));
      assert.throws(
        () => texts.map((text) => interpolate(text, others)),
        new RegExp(`${name} is missing: \\w+ `),
      );
    }
  });

  it('shows the API to the world and everything else to this machine alone', () => {
    for (const [name, { ports = [] }] of all) {
      for (const port of ports) {
        if (name === 'api')
          assert.equal(interpolate(port, {}), `8080:${configOf(services['api'] ?? { image: '' }).API_PORT}`);
        else assert.match(port, /^127\.0\.0\.1:\d+:\d+$/, name);
      }
    }
  });

  it('checks the health of each, waits for what is needed, and bounds what each may take', () => {
    for (const [name, service] of all) {
      const is_ours = ours.some(([each]) => each === name);
      // Ours say in the image how they are asked.
      assert.equal(service.healthcheck !== undefined, !is_ours, name);
      assert.ok(service.deploy?.resources?.limits?.cpus !== undefined, name);
      assert.ok(megabytes(service.deploy.resources.limits.memory) > 0, name);
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.ok(needed in services, needed);
        assert.equal(condition, 'service_healthy');
      }
    }
  });

  it('takes at its limits what README.md says', () => {
    const all_mb = all.reduce(
      (sum, [, { deploy }]) => sum + megabytes(deploy?.resources?.limits?.memory ?? ''),
      0,
    );
    const said = /About (\d+) GB of memory at the limits/.exec(
      readFileSync(join(infra, 'README.md'), 'utf8'),
    );
    assert.equal(Number(said?.[1]), Math.round(all_mb / 1_024));
  });

  it('leaves the processes room beside their heaps, time to finish, and nothing to write on', () => {
    for (const [name, service] of ours) {
      const options = service.environment?.['NODE_OPTIONS'] ?? '';
      const heap_mb = Number(/--max-old-space-size=(\d+)/.exec(options)?.[1]);
      assert.ok(heap_mb + 256 <= megabytes(service.deploy?.resources?.limits?.memory ?? ''), name);
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ['ALL']);
      // The API's own grace is 30 seconds, the others' 8: services/api/main.ts and services/runtime/lifecycle.ts.
      const grace_s = Number(/^(\d+)s$/.exec(service.stop_grace_period ?? '')?.[1]);
      assert.ok(grace_s > (name === 'api' ? 30 : 8), name);
    }
    assert.deepEqual(services['feeds']?.volumes, ['feeds:/data']);
  });

  it('declares every volume that is used, and mounts only files that there are', () => {
    const used = new Set<string>();
    for (const [name, { volumes: mounts = [] }] of all) {
      for (const mount of mounts) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('.')) {
          assert.ok(existsSync(join(infra, source)), `${name}: ${source}`);
          assert.match(mount, /:ro$/);
        } else used.add(source);
      }
    }
    assert.deepEqual([...used].sort(), Object.keys(volumes).sort());
  });

  it('lets Prometheus ask each process where it answers', () => {
    const targets = parse(readFileSync(join(infra, 'prometheus/compose-targets/compose.yml'), 'utf8')) as {
      labels: { job: string };
      targets: string[];
    }[];
    const ports = (config: Config): Record<string, number> => ({
      api: config.API_OPS_PORT,
      feeds: config.FEEDS_OPS_PORT,
      projector: config.PROJECTOR_OPS_PORT,
    });
    assert.deepEqual(
      targets.map(({ labels, targets: at }) => [labels.job, at]),
      ours.map(([name, service]) => [name, [`${name}:${ports(configOf(service))[name] ?? ''}`]]),
    );
  });
});
