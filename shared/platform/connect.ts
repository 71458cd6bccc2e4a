/** Connects a Lambda function to AWS. Only this file reads environment variables and the clock. */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Issuer } from '#shared/access/access-token.ts';
import { Verifier } from '#shared/access/verify.ts';
import { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { Secrets } from '#shared/engine/aws/secrets.ts';
import { SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import { cursorsFor } from '#shared/engine/http/cursor.ts';
import { EventBus } from '#shared/engine/outbox/event-bus.ts';
import { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { Table } from '#shared/engine/table/table.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { usageLimitsIn } from '#shared/model/organizations/usage-limits.ts';
import { retentionIn } from '#shared/model/runs/retention.ts';
import type { ObjectMessage } from '#shared/recording/artifact-wire.ts';
import type { CoreServices, PrivateReceivers, Services } from '#shared/services.ts';
import { Gauge } from '#shared/usage/gauge.ts';
import { ENVIRONMENT, EVENT_SOURCE } from './environment.ts';
import type { QUEUE_OUTLETS } from './outlets.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function privateReceiversIn(environment: Environment): PrivateReceivers {
  const value = environment[ENVIRONMENT.privateReceivers];
  return value === 'network' || value === 'machine' ? value : 'none';
}

export function administration(environment: Environment): CoreServices {
  const now = () => Date.now();
  return {
    table: new Table(variable(environment, ENVIRONMENT.tableName), now),
    now,
    randomId: (characters) =>
      randomBytes(Math.ceil(characters / 2))
        .toString('hex')
        .slice(0, characters),
  };
}

/**
 * Creates the services of a function. A service connects when it is first used, so unused services open no connections.
 */
export function services(environment: Environment = process.env): Services {
  const basics = administration(environment);
  const { table } = basics;
  const secrets = new Map<string, KeyObject>();
  return {
    ...basics,
    artifacts: new Artifacts(variable(environment, ENVIRONMENT.artifactsBucket), environment),
    origin: variable(environment, ENVIRONMENT.publicOrigin),
    oauthIssuer: issuerIn(environment).issuer,
    privateReceivers: privateReceiversIn(environment),
    localClients: environment[ENVIRONMENT.localClients] === 'true',
    defaultRetention: retentionIn(environment[ENVIRONMENT.retention]),
    defaultLimits: usageLimitsIn(environment[ENVIRONMENT.limits]),
    cursors: async (organizationId, scope) => {
      const secret = secrets.get(organizationId) ?? (await cursorSecret(table, organizationId));
      if (secrets.size >= CACHED_SECRETS) secrets.clear();
      secrets.set(organizationId, secret);
      return cursorsFor(secret, scope);
    },
  };
}

/**
 * Returns a function that makes a value at its first call, and then returns the same value until the container ends.
 * Each function below that uses it connects to a part of AWS only when it is needed.
 */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

/** Each call of the result returns the services with a new meter, which counts the database usage of one request. */
export function connectOnce(): () => Services {
  const connected = once(services);
  return () => ({ ...connected(), table: connected().table.metered() });
}

/** Connects the services of the authorizer. */
export const connectAuthorizer = (): (() => CoreServices) => once(() => administration(process.env));

/** Creates the credential verifier. The verifier and its cache are kept until the container ends. */
export const connectVerifier = (environment: Environment = process.env): (() => Verifier) =>
  once(() => new Verifier(issuerIn(environment)));

/** Creates the gauge, which counts and limits requests. */
export const connectGauge = (): (() => Gauge) => once(() => new Gauge(usageLimitsIn(process.env[ENVIRONMENT.limits])));

/** §6 Connects to the event bus. */
export const connectEventBus = (environment: Environment = process.env): (() => EventBus) =>
  once(() => new EventBus(variable(environment, ENVIRONMENT.eventBus), EVENT_SOURCE));

const queueConnection = <Message extends object>(
  outlet: keyof typeof QUEUE_OUTLETS,
  environment: Environment,
): (() => MessageQueue<Message>) => once(() => new MessageQueue(variable(environment, ENVIRONMENT[outlet])));

// The queues to which Lambda functions send messages. Each export is a function instead of a constant, because calls at
// the top level would keep the SQS client in every bundle.
export const connectDeliveryQueue = (environment: Environment = process.env) =>
  queueConnection<DeliveryJob>('deliveryQueue', environment);
export const connectNotificationQueue = (environment: Environment = process.env) =>
  queueConnection<DeliveryJob>('notificationQueue', environment);
export const connectFileQueue = () => queueConnection<ObjectMessage>('fileQueue', process.env);
export const connectReportQueue = () => queueConnection<ObjectMessage>('reportQueue', process.env);

/** Connects to the store of notification credentials. */
export const connectSecrets = (environment: Environment = process.env): (() => Secrets) =>
  once(() => new Secrets(variable(environment, ENVIRONMENT.secretsPrefix), environment));

/** §5.2 Connects to the store of issue trackers' credentials. The result also has the network of private trackers. */
export const connectTrackers = (environment: Environment = process.env) =>
  once(() => ({
    secrets: new Secrets(variable(environment, ENVIRONMENT.trackersPrefix), environment),
    ownNetwork: environment[ENVIRONMENT.trackerNetwork],
  }));

/** Returns a function that tells whether this deployment exports each day as Parquet. */
export const connectExports = () => (): { readonly isDaily: boolean } => ({
  isDaily: process.env[ENVIRONMENT.dailyExports] === 'true',
});

/** §5.3 Connects to the keys that sign access tokens. */
export const connectSigningKeys = (): (() => SigningKeys) =>
  once(() => new SigningKeys(variable(process.env, ENVIRONMENT.signingKeys).split(',')));

function issuerIn(environment: Environment): Issuer {
  const audience = variable(environment, ENVIRONMENT.publicOrigin);
  const external = environment[ENVIRONMENT.oauthIssuer];
  return { issuer: external || audience, audience, isOwn: !external };
}

/** Maximum number of organizations whose cursor secret a container caches. */
const CACHED_SECRETS = 1000;

async function cursorSecret(table: Table, organizationId: string): Promise<KeyObject> {
  const organization = await table.get(organizations, { organizationId });
  if (!organization)
    throw new Error(`The organization ${organizationId} does not exist, although a credential for it is valid`);
  return createSecretKey(organization.cursorSecret);
}

function variable(environment: Environment, name: string): string {
  const value = environment[name];
  if (!value) throw new Error(`The environment variable ${name} is not set. Add it to this function in the template`);
  return value;
}
