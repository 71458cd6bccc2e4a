/** Connects a Lambda function to AWS. Only this file reads environment variables and the clock. */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Issuer } from '#shared/access/access-token.ts';
import { Verifier } from '#shared/access/verify.ts';
import { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { Secrets } from '#shared/engine/aws/secrets.ts';
import { SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import { makeCursors } from '#shared/engine/http/cursor.ts';
import { EventBus } from '#shared/engine/outbox/event-bus.ts';
import { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { Table } from '#shared/engine/table/table.ts';
import { makeTxtReader, type ReadTxtRecords } from '#shared/engine/txt-records.ts';
import { CallShare } from '#shared/fair-shares/call-share.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { makeRecentFacts } from '#shared/model/results/recent-facts.ts';
import { parseRetention } from '#shared/model/runs/retention.ts';
import { parseDeploymentProviders } from '#shared/model/sign-in/deployment-provider.ts';
import { parseUsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { ObjectMessage } from '#shared/recording/artifact-wire.ts';
import type { CoreServices, PrivateReceivers, Services } from '#shared/services.ts';
import { Gauge } from '#shared/usage/gauge.ts';
import { ENVIRONMENT, EVENT_SOURCE } from './environment.ts';
import type { QUEUE_OUTLETS } from './outlets.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function readPrivateReceivers(environment: Environment): PrivateReceivers {
  const value = environment[ENVIRONMENT.privateReceivers];
  return value === 'network' || value === 'machine' ? value : 'none';
}

export function makeCoreServices(environment: Environment): CoreServices {
  const now = () => Date.now();
  return {
    table: new Table(readVariable(environment, ENVIRONMENT.tableName), now),
    now,
    randomId: (characters) =>
      randomBytes(Math.ceil(characters / 2))
        .toString('hex')
        .slice(0, characters),
  };
}

/** A service connects when it is first used, so unused services open no connections. */
export function makeServices(environment: Environment = process.env): Services {
  const basics = makeCoreServices(environment);
  const { table } = basics;
  const secrets = new Map<string, KeyObject>();
  return {
    ...basics,
    correlationId: undefined,
    artifacts: new Artifacts(readVariable(environment, ENVIRONMENT.artifactsBucket), environment),
    recent: makeRecentFacts(),
    origin: readVariable(environment, ENVIRONMENT.publicOrigin),
    oauthIssuer: readIssuer(environment).issuer,
    privateReceivers: readPrivateReceivers(environment),
    localClients: environment[ENVIRONMENT.localClients] === 'true',
    defaultRetention: parseRetention(environment[ENVIRONMENT.retention]),
    defaultLimits: parseUsageLimits(environment[ENVIRONMENT.limits]),
    signInProviders: parseDeploymentProviders(environment[ENVIRONMENT.signInProviders]),
    cursors: async (organizationId, scope) => {
      const secret = secrets.get(organizationId) ?? (await readCursorSecret(table, organizationId));
      if (secrets.size >= CACHED_SECRETS) secrets.clear();
      secrets.set(organizationId, secret);
      return makeCursors(secret, scope);
    },
  };
}

/** Makes a value at the first call, and then returns it until the container ends, to connect only when needed. */
function makeOnce<Made>(make: () => Made): () => Made {
  let value: Made | undefined;
  return () => (value ??= make());
}

/** Each call of the result returns a new meter, which counts the database usage of one request. */
export function connectOnce(): (correlationId: string | undefined) => Services {
  const getServices = makeOnce(makeServices);
  return (correlationId) => ({ ...getServices(), correlationId, table: getServices().table.metered() });
}

export const connectAuthorizer = (): (() => CoreServices) => makeOnce(() => makeCoreServices(process.env));

/** The verifier and its cache are kept until the container ends. */
export const connectVerifier = (environment: Environment = process.env): (() => Verifier) =>
  makeOnce(() => new Verifier(readIssuer(environment)));

/** Returns a function that reads the origin of the service. */
export const connectOrigin = (): (() => string) => makeOnce(() => readVariable(process.env, ENVIRONMENT.publicOrigin));

export const connectGauge = (): (() => Gauge) =>
  makeOnce(() => new Gauge(parseUsageLimits(process.env[ENVIRONMENT.limits])));

/** §6 Connects to the event bus. */
export const connectEventBus = (environment: Environment = process.env): (() => EventBus) =>
  makeOnce(() => new EventBus(readVariable(environment, ENVIRONMENT.eventBus), EVENT_SOURCE));

const connectQueue = <Message extends object>(
  outlet: keyof typeof QUEUE_OUTLETS,
  environment: Environment,
): (() => MessageQueue<Message>) => makeOnce(() => new MessageQueue(readVariable(environment, ENVIRONMENT[outlet])));

// The queues to which Lambda functions send messages. Each export is a function instead of a constant, because calls at
// the top level would keep the SQS client in every bundle.
export const connectDeliveryQueue = (environment: Environment = process.env) =>
  connectQueue<DeliveryJob>('deliveryQueue', environment);
export const connectNotificationQueue = (environment: Environment = process.env) =>
  connectQueue<DeliveryJob>('notificationQueue', environment);
export const connectFileQueue = () => connectQueue<ObjectMessage>('fileQueue', process.env);
export const connectReportQueue = () => connectQueue<ObjectMessage>('reportQueue', process.env);

/** The share of an organization in the concurrent calls of this function. */
export const connectCallShare = (): (() => CallShare) =>
  makeOnce(() => new CallShare(Number(readVariable(process.env, ENVIRONMENT.callsInTotal))));

const openSecrets = (prefix: string, environment: Environment): Secrets =>
  new Secrets(readVariable(environment, prefix), environment, environment[ENVIRONMENT.secretsKey]);

/** Connects to the store of notification credentials. */
export const connectSecrets = (environment: Environment = process.env): (() => Secrets) =>
  makeOnce(() => openSecrets(ENVIRONMENT.secretsPrefix, environment));

/** §5.2 Connects to the store of issue trackers' credentials. The result also has the network of private trackers. */
export const connectTrackers = (environment: Environment = process.env) =>
  makeOnce(() => ({
    secrets: openSecrets(ENVIRONMENT.trackersPrefix, environment),
    ownNetwork: environment[ENVIRONMENT.trackerNetwork],
  }));

/** Connects to the store of the client secrets of companies' identity providers. */
export const connectProviders = (environment: Environment = process.env): (() => Secrets) =>
  makeOnce(() => openSecrets(ENVIRONMENT.providersPrefix, environment));

/** The store of the client secrets of this deployment's own providers. */
export const connectSignInSecrets = (environment: Environment = process.env): (() => Secrets) =>
  makeOnce(() => openSecrets(ENVIRONMENT.signInPrefix, environment));

/** Reads TXT records, with which organizations prove their domains. */
export const connectTxtReader = (environment: Environment = process.env): (() => ReadTxtRecords) =>
  makeOnce(() => makeTxtReader(environment[ENVIRONMENT.dnsServer]));

/** Returns a function that tells whether this deployment exports each day as Parquet. */
export const connectExports = () => (): { readonly isDaily: boolean } => ({
  isDaily: process.env[ENVIRONMENT.dailyExports] === 'true',
});

/** §5.3 Connects to the keys that sign access tokens. */
export const connectSigningKeys = (): (() => SigningKeys) =>
  makeOnce(() => new SigningKeys(readVariable(process.env, ENVIRONMENT.signingKeys).split(',')));

function readIssuer(environment: Environment): Issuer {
  const audience = readVariable(environment, ENVIRONMENT.publicOrigin);
  const externalIssuer = environment[ENVIRONMENT.oauthIssuer];
  return { issuer: externalIssuer || audience, audience, isOwn: !externalIssuer };
}

/** Organizations whose cursor secret a container caches. */
const CACHED_SECRETS = 1000;

async function readCursorSecret(table: Table, organizationId: string): Promise<KeyObject> {
  const organization = await table.get(organizations, { organizationId });
  if (!organization)
    throw new Error(`The organization ${organizationId} does not exist, although a credential for it is valid`);
  return createSecretKey(organization.cursorSecret);
}

function readVariable(environment: Environment, name: string): string {
  const value = environment[name];
  if (!value) throw new Error(`The environment variable ${name} is not set. Add it to this function in the template`);
  return value;
}
