import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { EventLog } from '../../services/log/event-log.ts';
import { eventLogContract } from '../contract/event-log.suite.ts';
import { containersAreMissing } from './engine.ts';
import { startContainers, type RealServices } from './services.ts';
import { realServicesContract } from './suite.ts';

/** How a process opens the twin on Kafka; loaded only where there is a broker to open. */
const twin_module = join(import.meta.dirname, '../contract/event-log.kafka.ts');

describe('real services in containers', { skip: await containersAreMissing(), timeout: 900_000 }, () => {
  let running: RealServices | undefined;
  const services = (): RealServices => {
    if (running === undefined) throw new Error('the containers are started before the tests');
    return running;
  };
  const openLog = async (): Promise<EventLog> => {
    const { openTwin } = (await import(pathToFileURL(twin_module).href)) as {
      openTwin: (brokers: string) => Promise<EventLog>;
    };
    return openTwin(services().brokers);
  };

  before(async () => {
    running = await startContainers();
  });
  after(() => running?.stop());

  realServicesContract(services, openLog);

  eventLogContract('Apache Kafka in a container', async () => {
    const log = await openLog();
    return {
      log,
      open: openLog,
      elsewhere: { module: twin_module, connection: services().brokers },
      dispose: () => log.close(),
    };
  });
});
