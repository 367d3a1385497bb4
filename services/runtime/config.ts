import cron from 'node-cron';
import { z } from 'zod';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, sep } from 'node:path';
import { HailmarkError, systemCode } from './errors.ts';
import { log_levels } from './log-output.ts';

const port = whole(0, 65_535);
const url = z.url({ protocol: /^https?$/, error: 'must be an address such as https://host:port' });
const schedule = z.string().refine(cron.validate, 'must be a cron expression such as */10 * * * *');
const hops = z
  .string()
  .regex(/^[1-9]\d?$/)
  .transform(Number);
/** IP addresses, networks, and the names that express knows for ranges; what is no address would end the process unexplained. */
const proxies = z
  .string()
  .transform((text) => text.split(','))
  .refine(
    (list) => list.every(isProxyAddress),
    'must be false, a number of proxies, or their addresses and networks',
  );

/**
 * Every setting of every process, read from the environment once and checked as a whole. Defaults are those of one machine with nothing
 * configured: the services of `npm start` find one another by them.
 */
const settings = z.object({
  HAILMARK_DATA_DIR: z.string().min(1).default('.hailmark'),
  /** Added to the machine's clock for all that is dated: `npm start -- --at` sets the service to the time of the recordings by it. */
  HAILMARK_CLOCK_OFFSET_MS: whole(Number.MIN_SAFE_INTEGER).default(0),
  /** The least that is written as a log line. Read where the log begins, which is before the settings are. */
  HAILMARK_LOG_LEVEL: z.enum(log_levels).default('info'),
  HAILMARK_CONTACT: z
    .string()
    .min(3, 'must be an address that publishers can write to')
    .default('contact not configured'),

  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port.default(8080),
  PUBLIC_BASE_URL: url.optional(),
  /** The proxies in front: how many, or their addresses and networks. A trusted one may name the request (`X-Request-Id`). */
  TRUST_PROXY: z.union([z.literal('false').transform(() => false as const), hops, proxies]).default(false),
  /** Property answers that are read from the store at once, and how many may wait for their turn; beyond that 503. */
  API_CONCURRENCY: whole(1, 1_000).default(16),
  API_QUEUE: whole(0, 100_000).default(128),
  /** How much of the observations the API keeps in memory, megabytes; with 0 every answer is the same, only slower. */
  API_CELL_INDEX_MB: whole(0, 65_536).default(256),

  /** The operations pages of each process: `/healthz`, `/readyz`, `/metrics`. Not for partners; port 0 takes any free one. */
  OPS_HOST: z.string().default('127.0.0.1'),
  API_OPS_PORT: port.default(9464),
  FEEDS_OPS_PORT: port.default(9465),
  PROJECTOR_OPS_PORT: port.default(9466),
  /** Of the local engine and registry. */
  LOCAL_OPS_PORT: port.default(9467),

  /** The Redis in which all API processes count limits together; unset, each process counts for itself. */
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be an address such as redis://host:6379' })
    .optional(),

  /** Ports of the local stand-ins that `npm start` runs. */
  REGISTRY_PORT: port.default(8081),
  CLICKHOUSE_PORT: port.default(8123),
  SANDBOX_PORT: port.default(8088),
  /** Of the broker that `npm run kafka` runs. */
  KAFKA_PORT: port.default(9092),

  /** Brokers of Apache Kafka, `host:port,host:port`; unset, the log is a file of this machine. */
  KAFKA_BROKERS: z
    .string()
    .regex(/^[^\s,:]+:\d{1,5}(,[^\s,:]+:\d{1,5})*$/, 'must be host:port, several separated by commas')
    .optional(),
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  KAFKA_SASL_USERNAME: z.string().min(1).optional(),
  KAFKA_SASL_PASSWORD: z.string().min(1).optional(),
  KAFKA_TLS: z.enum(['true', 'false']).default('false'),
  /** PEM files: the authority that signed the brokers' certificates, and this client's own certificate and key. */
  KAFKA_TLS_CA_FILE: z.string().min(1).optional(),
  KAFKA_TLS_CERT_FILE: z.string().min(1).optional(),
  KAFKA_TLS_KEY_FILE: z.string().min(1).optional(),
  /** How often each message is kept; -1 is the brokers' own default. */
  KAFKA_REPLICATION: whole(-1, 10)
    .refine((count) => count !== 0, 'must be -1, or from 1 to 10')
    .default(-1),
  /** After how long without a sign of life a process loses what it holds to another. */
  KAFKA_SESSION_MS: whole(1_000, 300_000).default(10_000),

  SCHEMA_REGISTRY_URL: url.default('http://127.0.0.1:8081'),
  CLICKHOUSE_URL: url.default('http://127.0.0.1:8123'),
  CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/, 'must be a name of small letters, digits and _, such as hailmark')
    .default('hailmark'),
  /** The cluster's name in its servers' configuration; set, all tables are replicated and CLICKHOUSE_URL names one of the replicas. */
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^[A-Za-z_][\w-]*$/, 'must be the name of a cluster as its servers have it')
    .optional(),
  CLICKHOUSE_USER: z.string().default('default'),
  CLICKHOUSE_PASSWORD: z.string().default(''),

  /** How soon a publisher that failed is asked again, ahead of its schedule. */
  FEEDS_RETRY_MS: whole(100, 86_400_000).default(300_000),

  /** The deadline of one request to a publisher, from the question to the last byte. */
  FEEDS_TIMEOUT_MS: whole(100, 3_600_000).default(120_000),
  /** Whether the bytes of every document that yielded a fact are kept below the data folder, and how many of them at most. */
  DOCUMENTS_KEEP: z.enum(['true', 'false']).default('true'),
  DOCUMENTS_MAX_BYTES: whole(0).default(20_000_000_000),

  NOAA_SED_URL: url.default('https://www.ncei.noaa.gov'),
  /** A cron expression; by default once a day: one listing, and a download where a stamp changed. */
  NOAA_SED_SCHEDULE: schedule.default('17 9 * * *'),
  /** Years before this one are read by backfill only. */
  NOAA_SED_FIRST_YEAR: whole(1950, 2100).default(1950),

  SWDI_URL: url.default('https://www.ncei.noaa.gov'),
  SWDI_SCHEDULE: schedule.default('41 */6 * * *'),
  /** West, south, east, north in degrees; the box that is asked for and the region that coverage claims. */
  SWDI_BBOX: z.string().default('-125,24,-66.5,50'),
  /** How many days before the catalogue's end date every poll reads again, because the publisher revises them. */
  SWDI_REREAD_DAYS: whole(1, 400).default(90),
  /** Periods read once as history, first day inclusive, last day exclusive: `2011-05-24/2011-05-25,2026-08-27/2026-08-30`. */
  SWDI_HISTORY: z.string().default(''),

  MRMS_URL: url.default('https://noaa-mrms-pds.s3.amazonaws.com'),
  MRMS_SCHEDULE: schedule.default('*/10 * * * *'),
  /** The product of the MESH family that is read and answered from: a row of the product table. Two would count one hail twice. */
  MRMS_PRODUCT: z.enum(['MESH_Max_60min', 'MESH']).default('MESH_Max_60min'),
  /** How many hours back every poll lists again, because a granule may come late or be issued anew. */
  MRMS_REREAD_HOURS: whole(1, 168).default(24),
  MRMS_HISTORY: z.string().default(''),

  SPC_URL: url.default('https://www.spc.noaa.gov'),
  SPC_SCHEDULE: schedule.default('*/10 * * * *'),
  /** How many convective days before today's every poll reads again, because reports come late. */
  SPC_REREAD_DAYS: whole(1, 60).default(3),
  SPC_HISTORY: z.string().default(''),

  COCORAHS_URL: url.default('https://data.cocorahs.org'),
  COCORAHS_SCHEDULE: schedule.default('23 * * * *'),
  /** Postal codes of the states that are asked for, separated by commas; empty is every state. */
  COCORAHS_STATES: z.string().default(''),
  /** How many days before today every poll reads again, because reports are entered and corrected late. */
  COCORAHS_REREAD_DAYS: whole(1, 60).default(7),
  COCORAHS_HISTORY: z.string().default(''),

  NWS_URL: url.default('https://api.weather.gov'),
  NWS_SCHEDULE: schedule.default('*/2 * * * *'),
  NWS_HISTORY: z.string().default(''),

  /** Which geocoders are asked, in this order, until one has the house: `census`, `pelias`, or both separated by a comma. */
  GEOCODERS: z
    .string()
    .regex(
      /^(?:census|pelias|census,pelias|pelias,census)$/,
      'must be census, pelias, or both separated by a comma',
    )
    .default('census'),
  /** Of the Census Bureau's geocoder. */
  GEOCODER_URL: url.default('https://geocoding.geo.census.gov'),
  /** A geocoder that speaks Pelias' API; needed where GEOCODERS names it. Hosted ones ask for a key. */
  PELIAS_URL: url.optional(),
  PELIAS_API_KEY: z.string().min(1).optional(),
  /** Of one attempt; there are up to three. */
  GEOCODER_TIMEOUT_MS: whole(50, 60_000).default(8_000),
  /** Addresses that are remembered of each geocoder. */
  GEOCODER_CACHE_ENTRIES: whole(0, 10_000_000).default(50_000),

  PROJECTOR_BATCH_MESSAGES: whole(1, 100_000).default(25_000),
  /** An instant to hold the API's clock at, for comparing answers; unset, the clock runs. */
  HAILMARK_HOLD_CLOCK_AT: z.iso.datetime('must be an instant such as 2026-08-29T03:00:00Z').optional(),
});

export type Config = z.infer<typeof settings>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Names of all settings: what is set under another name is not read. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** Reads the configuration; all problems are reported together, in one sentence each. */
export function readConfig(environment: Environment = process.env): Config {
  const { config, problems } = examineSettings(environment);
  if (problems.length === 0) return config;
  throw new HailmarkError('HAIL_CONFIG', `The configuration cannot be used. ${problems.join('; ')}.`);
}

/**
 * The settings with everything that is wrong with each of them; a broken one stands as its default in `config`, so that the others can be
 * judged all the same.
 */
export function examineSettings(environment: Environment): {
  config: Config;
  names: string[];
  broken: string[];
  problems: string[];
} {
  const names = Object.keys(settings.shape);
  const given = Object.entries(environment).filter(
    ([name, value]) => name in settings.shape && value !== undefined && value !== '',
  );
  // Not taken for unset, nor for a value: who left it so meant something, and as a number it would be 0.
  const blank = given.filter(([, value]) => value?.trim() === '').map(([name]) => name);
  const known = Object.fromEntries(given.filter(([name]) => !blank.includes(name)));
  const { error } = settings.safeParse(known);
  const broken = [...new Set([...blank, ...(error?.issues ?? []).map(({ path }) => path.join('.'))])];
  const usable = Object.fromEntries(Object.entries(known).filter(([name]) => !broken.includes(name)));
  return {
    config: settings.parse(usable),
    names,
    broken,
    problems: [
      ...blank.map((name) => `${name}: is blank; unset it, or give it a value`),
      ...(error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ],
  };
}

/**
 * A whole number in digits. JavaScript's own reading would take a blank for 0 and `1e3` for 1000, and 0 means something: no kept documents, any
 * free port.
 */
function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const bounds =
    most === Number.MAX_SAFE_INTEGER
      ? least === Number.MIN_SAFE_INTEGER
        ? ''
        : ` from ${least} on`
      : ` from ${least} to ${most}`;
  return z
    .string()
    .refine(
      (text) => /^\s*-?\d+\s*$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number${bounds}`,
    )
    .transform(Number);
}

function isProxyAddress(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const family = isIP(address);
  const is_prefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
  return family !== 0 && more.length === 0 && is_prefix;
}

/** Makes a folder below the data folder and returns its path, or says in one sentence why it cannot be written. */
export function dataFolder(path: string): string {
  try {
    makeFolder(path);
    // A file may be executable too; what is asked of a folder tells them apart.
    accessSync(`${path}${sep}.`, constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `The data folder ${path} cannot be written (${systemCode(error) ?? 'unknown cause'}): ` +
        'make it writable for this user, or set HAILMARK_DATA_DIR to another folder.',
      { cause: error },
    );
  }
}

/** Level by level: Node's own `recursive` never comes back where a file system says that nothing can be made in it (`/proc`). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was a moment earlier. A link that leads nowhere is found out by what is done with the folder next.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
