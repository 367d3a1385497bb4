import { createRequire } from 'node:module';
import type { Kafka } from 'kafkajs';

/**
 * The parts of kafkajs 2.2.4 below its public client that this twin stands on, with types. The public consumer is not used: it cannot read
 * without a group, hides the marks of transactions (so that "the end" is never reached), and lets batches of one partition overlap around a
 * rebalance (kafkajs issues 1097, 1645, 1764). What stands here is its connection handling and its encoding of requests, unchanged; the
 * version is pinned, and the contract suite runs over all of it.
 */
export interface Cluster {
  connect: () => Promise<void>;
  disconnect: () => Promise<void>;
  addMultipleTargetTopics: (topics: readonly string[]) => Promise<void>;
  refreshMetadata: () => Promise<void>;
  refreshMetadataIfNecessary: () => Promise<void>;
  findBroker: (at: { nodeId: number }) => Promise<Broker>;
  findGroupCoordinator: (group: { groupId: string }) => Promise<Broker>;
  findTopicPartitionMetadata: (topic: string) => { partitionId: number; leader: number }[];
}

export interface Broker {
  joinGroup: (request: {
    groupId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    memberId: string;
    groupProtocols: { name: string; metadata: Buffer }[];
  }) => Promise<JoinAnswer>;
  syncGroup: (request: {
    groupId: string;
    generationId: number;
    memberId: string;
    groupAssignment: { memberId: string; memberAssignment: Buffer }[];
  }) => Promise<{ memberAssignment: Buffer }>;
  heartbeat: (request: { groupId: string; groupGenerationId: number; memberId: string }) => Promise<unknown>;
  leaveGroup: (request: { groupId: string; memberId: string }) => Promise<unknown>;
  offsetCommit: (request: {
    groupId: string;
    groupGenerationId: number;
    memberId: string;
    topics: { topic: string; partitions: { partition: number; offset: string }[] }[];
  }) => Promise<unknown>;
  listOffsets: (request: {
    replicaId: number;
    isolationLevel: number;
    topics: { topic: string; partitions: { partition: number; timestamp: number }[] }[];
  }) => Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>;
  connectionPool: { send: <T>(protocol: { request: Request; response: Response<T> }) => Promise<T> };
}

export interface JoinAnswer {
  generationId: number;
  leaderId: string;
  memberId: string;
  members: { memberId: string; memberMetadata: Buffer }[];
}

export interface FetchRequest {
  replicaId: number;
  maxWaitTime: number;
  minBytes: number;
  maxBytes: number;
  topics: {
    topic: string;
    partitions: { partition: number; fetchOffset: number; maxBytes: number }[];
  }[];
}

/** An encoded request; its inside is the library's. */
export interface Request {
  apiName: string;
}

/** How an answer's bytes become a value. */
interface Response<T> {
  decode: (bytes: Buffer) => Promise<T>;
  parse: (decoded: T) => Promise<T>;
}

export const read_committed = 1;

const require = createRequire(import.meta.url);
/** Node does not see this name among the library's exports. */
const { KafkaJSConnectionError } = require('kafkajs') as typeof import('kafkajs');
/** Fetch in version 11 (KIP-392, Kafka 2.3 and later). */
export const fetchRequest = require('kafkajs/src/protocol/requests/fetch/v11/request.js') as (
  request: FetchRequest,
) => Request;

/** What makes the clusters of a client, also those of its admin and of its producers. */
function clusterMaker(kafka: Kafka): { name: symbol; make: (options: object) => MadeCluster } {
  const name = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const make = name === undefined ? undefined : (kafka as unknown as Record<symbol, unknown>)[name];
  if (name === undefined || typeof make !== 'function') throw new Error('this twin needs kafkajs 2.2.4');
  return { name, make: make as (options: object) => MadeCluster };
}

interface MadeCluster extends Cluster {
  brokerPool: { createBroker: (options: object) => { brokerAddress: string; lookupRequest: () => unknown } };
}

/**
 * A broker that starts takes connections seconds before it answers. To a request of a second caller in that time kafkajs says, with a bare
 * `Error`, that the broker is not connected, which looks like a fault of this program's and ended whoever met it. Here it is the failure of
 * a connection, which waiting mends. A broker's first answer puts the library's own lookup in this one's place.
 */
export function waitForFirstAnswers(kafka: Kafka): Kafka {
  const { name, make } = clusterMaker(kafka);
  const makeWaiting = (options: object): MadeCluster => {
    const cluster = make(options);
    const { brokerPool } = cluster;
    const { createBroker } = brokerPool;
    brokerPool.createBroker = (broker_options) => {
      const broker = createBroker(broker_options);
      broker.lookupRequest = () => {
        throw new KafkaJSConnectionError('The broker takes connections and does not answer yet', {
          broker: broker.brokerAddress,
        });
      };
      return broker;
    };
    return cluster;
  };
  return Object.assign(kafka, { [name]: makeWaiting });
}

/** Connections of one purpose, apart from all others: a broker answers one connection's requests in their order, waiting ones too. */
export function createCluster(kafka: Kafka): Cluster {
  return clusterMaker(kafka).make({ metadataMaxAge: 60_000, allowAutoTopicCreation: false });
}
