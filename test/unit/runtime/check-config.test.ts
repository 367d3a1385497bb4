import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { everyRoom } from '../../../scripts/start/settings.ts';
import { checkSettings, refusalsOf } from '../../../services/runtime/check-config.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';

const secret = 'NOT-REAL-s3cret';

describe('the check of settings', () => {
  it('finds nothing wrong with none', () => {
    const { ok, problems, warnings } = checkSettings({}, everyRoom);
    assert.deepEqual({ ok, problems, warnings }, { ok: true, problems: [], warnings: [] });
  });

  it('names everything that is wrong at once, of every room', () => {
    const wrong: Record<string, [value: string, problem: RegExp]> = {
      API_PORT: ['eighty', /^API_PORT: /],
      MRMS_SCHEDULE: ['every ten minutes', /^MRMS_SCHEDULE: must be a cron expression/],
      NWS_SCHEDULE: ['*/2 * *', /^NWS_SCHEDULE: must be a cron expression/],
      HAILMARK_LOG_LEVEL: ['verbose', /^HAILMARK_LOG_LEVEL: .*"info"/],
      CLICKHOUSE_URL: ['127.0.0.1', /^CLICKHOUSE_URL: /],
      GEOCODERS: ['census,pelias', /^PELIAS_URL: is needed/],
      SWDI_BBOX: ['50,-66.5,24,-125', /^SWDI_BBOX must be west,south,east,north/],
      SWDI_HISTORY: ['2026-08-30/2026-08-27', /^SWDI_HISTORY must be periods/],
      SPC_HISTORY: ['lately', /^SPC_HISTORY must be periods/],
      COCORAHS_STATES: ['CO,XX', /^COCORAHS_STATES names XX/],
      KAFKA_BROKERS: ['broker-1:9092', /^KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD/],
      KAFKA_SASL_PASSWORD: [secret, /belong together: set all three or none/],
      KAFKA_TLS: ['true', /^KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE belong together/],
      KAFKA_TLS_CA_FILE: ['/no/such/authority.pem', /^KAFKA_TLS_CA_FILE: the file cannot be read \(ENOENT\)/],
      KAFKA_TLS_CERT_FILE: ['/no/such/certificate.pem', /^KAFKA_TLS_CERT_FILE: the file cannot be read/],
    };
    const environment = Object.fromEntries(Object.entries(wrong).map(([name, [value]]) => [name, value]));
    const { ok, problems } = checkSettings(environment, everyRoom);
    assert.equal(ok, false);
    for (const [, problem] of Object.values(wrong))
      assert.equal(
        problems.filter((each) => problem.test(each)).length,
        1,
        `${String(problem)}: ${problems.join('\n')}`,
      );
    assert.ok(!problems.join().includes(secret));
  });

  it('takes digits alone for a number, and a blank for nothing: 0 would be no documents kept, or any port', () => {
    const numbers = Object.entries(readConfig({})).flatMap(([name, value]) =>
      typeof value === 'number' ? [name] : [],
    );
    assert.ok(numbers.length > 20);
    for (const name of numbers) {
      for (const value of [
        'NaN',
        '1e3',
        '0x10',
        '1.5',
        'Infinity',
        '99999999999999999999',
        '256MB',
        '1_000',
      ]) {
        const { problems } = checkSettings({ [name]: value }, everyRoom);
        assert.equal(problems.length, 1, `${name}=${value}`);
        assert.match(problems[0] ?? '', /^\w+: must be a whole number/);
      }
    }
    for (const name of Object.keys(readConfig({}))) {
      assert.deepEqual(checkSettings({ [name]: ' \t' }, everyRoom).problems, [
        `${name}: is blank; unset it, or give it a value`,
      ]);
      // As compose.yaml leaves what is not set.
      assert.equal(checkSettings({ [name]: '' }, everyRoom).ok, true, name);
    }
    assert.match(checkSettings({ API_PORT: '65536' }, everyRoom).problems.join(), /from 0 to 65535/);
    assert.match(checkSettings({ DOCUMENTS_MAX_BYTES: '-1' }, everyRoom).problems.join(), /from 0 on/);
    assert.equal(readConfig({ API_PORT: ' 8081 ' }).API_PORT, 8081);
    assert.equal(checkSettings({ KAFKA_REPLICATION: '0' }, everyRoom).ok, false);
  });

  it('says what a value must be, and nothing of how it is checked', () => {
    for (const name of Object.keys(readConfig({}))) {
      const problems = ['-5', 'x\ny'].flatMap(
        (value) => checkSettings({ [name]: value }, everyRoom).problems,
      );
      assert.doesNotMatch(
        problems.join(),
        /expected (?:number|string)|pattern|Invalid (?:URL|ISO|string)/,
        name,
      );
    }
  });

  it('blames a room for nothing that is a broken setting of its own', () => {
    const { problems } = checkSettings({ GEOCODERS: 'pelias', PELIAS_URL: 'nowhere' }, everyRoom);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /^PELIAS_URL: (?!is needed)/);
  });

  it('warns of names that look mistyped, with the nearest, and of no others', () => {
    const environment = {
      KAFKA_BROKER: 'a:1',
      CLICKHOSUE_URL: 'x',
      HAILMARK_DATADIR: 'x',
      HAILMARK_COLOUR: 'x',
      HAILMARK_LOG_LEVEL: 'debug',
      AWS_URL: 'x',
      PATH: 'x',
      HOME: 'x',
    };
    const { ok, warnings } = checkSettings(environment, everyRoom);
    assert.equal(ok, true);
    assert.deepEqual(warnings, [
      'CLICKHOSUE_URL is no setting and is not read; is CLICKHOUSE_URL meant?',
      'HAILMARK_COLOUR is no setting and is not read.',
      'HAILMARK_DATADIR is no setting and is not read; is HAILMARK_DATA_DIR meant?',
      'KAFKA_BROKER is no setting and is not read; is KAFKA_BROKERS meant?',
    ]);
  });

  it('shows every setting in effect, and no secret', () => {
    const { settings } = checkSettings(
      {
        CLICKHOUSE_PASSWORD: secret,
        KAFKA_SASL_PASSWORD: secret,
        PELIAS_API_KEY: secret,
        REDIS_URL: `redis://hailmark:${secret}@redis-1:6379/2`,
        PELIAS_URL: `https://geocoder.example/v1?api_key=${secret}`,
        KAFKA_TLS_KEY_FILE: '/etc/hailmark/client.key',
      },
      everyRoom,
    );
    assert.ok(!JSON.stringify(settings).includes(secret), JSON.stringify(settings));
    assert.deepEqual(
      [settings['REDIS_URL'], settings['PELIAS_URL'], settings['CLICKHOUSE_PASSWORD']],
      ['redis://***@redis-1:6379/2', 'https://geocoder.example/v1?***', '***'],
    );
    assert.deepEqual(
      [settings['KAFKA_TLS_KEY_FILE'], settings['API_PORT'], settings['KAFKA_BROKERS']],
      ['/etc/hailmark/client.key', 8080, null],
    );
    assert.ok(Object.keys(readConfig({})).every((name) => name in settings));
  });

  it('passes on what is no refusal', () => {
    const refuse = (): never => {
      throw new HailmarkError('HAIL_CONFIG', 'X must be Y.');
    };
    assert.deepEqual(refusalsOf([refuse, () => 1, refuse]), ['X must be Y.']);
    assert.throws(
      () =>
        refusalsOf([
          () => {
            throw new RangeError('ours');
          },
        ]),
      RangeError,
    );
  });
});
