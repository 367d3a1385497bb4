import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startBroker, type Broker } from '../../infra/local/kafka/broker.ts';
import { createKafkaLog } from '../../services/log/kafka/kafka-log.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { readConfig, type Config } from '../../services/runtime/config.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { freePorts } from '../support/free-ports.ts';
import { kafkaIsMissing, untilKafkaAnswers } from '../support/kafka.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { makeTopic, numbered, readAll } from './event-log.support.ts';

const run = promisify(execFile);

const opensslIsMissing = (): Promise<string | false> =>
  run('openssl', ['version']).then(
    () => false,
    () => 'needs the command openssl, which makes a certificate',
  );

/** A broker that takes nothing but TLS with a name and a password, as partners run it. */
describe(
  'the log on a secured Kafka',
  { skip: (await kafkaIsMissing()) || (await opensslIsMissing()) },
  () => {
    const folder = temporaryFolder('hailmark-kafka-');
    const certificate = join(folder, 'certificate.pem');
    let broker: Broker;
    let address: string;

    before(async () => {
      const key = join(folder, 'key.pem');
      await run('openssl', [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
        ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate],
      ]);
      const keystore = join(folder, 'keystore.pem');
      writeFileSync(keystore, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'));
      const [port = 0, controller_port = 0, inner_port = 0] = await freePorts(3);
      address = `localhost:${inner_port}`;
      broker = await startBroker({
        folder: join(folder, 'broker'),
        port,
        controller_port,
        settings: {
          listeners: `PLAINTEXT://127.0.0.1:${port},SECURED://localhost:${inner_port},CONTROLLER://127.0.0.1:${controller_port}`,
          'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},SECURED://localhost:${inner_port}`,
          'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
          'listener.name.secured.ssl.keystore.type': 'PEM',
          'listener.name.secured.ssl.keystore.location': keystore,
          'listener.name.secured.sasl.enabled.mechanisms': 'PLAIN',
          'listener.name.secured.plain.sasl.jaas.config':
            'org.apache.kafka.common.security.plain.PlainLoginModule required user_hailmark="a-secret";',
        },
      });
      await untilKafkaAnswers(`127.0.0.1:${port}`);
    });
    after(async () => {
      await broker.kill9();
      rmSync(folder, { recursive: true, force: true });
    });

    const open = (changes: Record<string, string>): Promise<EventLog> => {
      const config: Config = readConfig({
        KAFKA_SASL_MECHANISM: 'plain',
        KAFKA_SASL_USERNAME: 'hailmark',
        KAFKA_SASL_PASSWORD: 'a-secret',
        KAFKA_TLS: 'true',
        KAFKA_TLS_CA_FILE: certificate,
        ...changes,
      });
      return createKafkaLog({ ...config, KAFKA_BROKERS: address });
    };
    const refusal = async (changes: Record<string, string>): Promise<Error> => {
      try {
        await (await open(changes)).close();
      } catch (error) {
        if (error instanceof Error) return error;
      }
      throw new Error('the log was opened');
    };

    it('is read and written with the settings that the broker wants', async () => {
      const log = await open({});
      const { name } = await makeTopic(log);
      await log.append(name, numbered(20, 4));
      const owner = await log.claim('feed/secured');
      await log.append(name, numbered(5, 4, 20), owner);
      assert.equal((await readAll(log, name)).length, 25);
      await owner.release();
      await log.close();
    });

    it('says what to look at when the password is wrong, without saying it', async () => {
      const error = await refusal({ KAFKA_SASL_PASSWORD: 'another-secret' });
      assert.ok(isHailmarkError(error, 'HAIL_CONFIG'), String(error));
      assert.match(error.message, /KAFKA_SASL_/);
      assert.doesNotMatch(error.message, /another-secret/);
    });

    it('does not trust a certificate that nobody vouches for', async () => {
      const error = await refusal({ KAFKA_TLS_CA_FILE: '' });
      assert.ok(isHailmarkError(error), String(error));
    });

    it('wants settings that belong together', async () => {
      assert.ok(isHailmarkError(await refusal({ KAFKA_SASL_USERNAME: '' }), 'HAIL_CONFIG'));
      assert.ok(isHailmarkError(await refusal({ KAFKA_TLS_KEY_FILE: '/nowhere' }), 'HAIL_CONFIG'));
      assert.ok(isHailmarkError(await refusal({ KAFKA_TLS_CA_FILE: '/nowhere' }), 'HAIL_CONFIG'));
    });
  },
);
