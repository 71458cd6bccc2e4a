/** What a handler works with. The only file that reads the environment or the clock, and that connects to AWS. */
import { randomBytes } from 'node:crypto';
import { Artifacts } from './artifacts.ts';
import type { Issuer } from './credentials/access-token.ts';
import { Verifier } from './credentials/verify.ts';
import { ENVIRONMENT } from './environment.ts';
import { type CursorScope, type Cursors, cursorsFor } from './http/cursor.ts';
import { DeliveryQueue } from './outbound/delivery-queue.ts';
import { EventBus } from './outbound/event-bus.ts';
import { organizations } from './resources/organization.ts';
import { Table } from './table/table.ts';

export interface Services {
  readonly table: Table;
  readonly artifacts: Artifacts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Lower-case hex. */
  readonly randomId: (characters: number) => string;
  /** Where this service is reached from outside: `https://host`, no slash at the end. */
  readonly origin: string;
  /** §5.3 Whose access tokens are accepted, if any. */
  readonly oauthIssuer: string | undefined;
  readonly privateReceivers: PrivateReceivers;
  readonly cursors: (organizationId: string, scope: CursorScope) => Promise<Cursors>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * §6 Where webhooks may go beside the internet, and over plain HTTP: nowhere, to the network, or to this machine, too, which
 * must never be where Lambda runs: its own interfaces are on loopback.
 */
export type PrivateReceivers = 'none' | 'network' | 'machine';

function privateReceiversIn(environment: Environment): PrivateReceivers {
  const said = environment[ENVIRONMENT.privateReceivers];
  return said === 'network' || said === 'machine' ? said : 'none';
}

/** What administration works with: nothing that answers requests. */
export type Administration = Pick<Services, 'table' | 'now' | 'randomId'>;

export function administration(environment: Environment): Administration {
  return {
    table: Table.connect(variable(environment, ENVIRONMENT.tableName)),
    now: () => Date.now(),
    randomId: (characters) =>
      randomBytes(Math.ceil(characters / 2))
        .toString('hex')
        .slice(0, characters),
  };
}

/** Connects lazily: importing a function or asking for a service it never uses opens nothing. */
export function services(environment: Environment = process.env): Services {
  const basics = administration(environment);
  const { table } = basics;
  const secrets = new Map<string, Uint8Array>();
  return {
    ...basics,
    artifacts: new Artifacts(variable(environment, ENVIRONMENT.artifactsBucket), environment),
    origin: variable(environment, ENVIRONMENT.publicOrigin),
    oauthIssuer: environment[ENVIRONMENT.oauthIssuer] || undefined,
    privateReceivers: privateReceiversIn(environment),
    cursors: async (organizationId, scope) => {
      const secret = secrets.get(organizationId) ?? (await cursorSecret(table, organizationId));
      if (secrets.size >= REMEMBERED_SECRETS) secrets.clear();
      secrets.set(organizationId, secret);
      return cursorsFor(secret, scope);
    },
  };
}

/** One connection per container, opened at its first call; one meter per call. */
export function connectOnce(): () => Services {
  let connected: Services | undefined;
  return () => {
    connected ??= services();
    return { ...connected, table: connected.table.metered() };
  };
}

/** All that the authorizer reads with, connected at its first call. */
export function connectAuthorizer(): () => Administration {
  let connected: Administration | undefined;
  return () => (connected ??= administration(process.env));
}

/** Who tells what a credential is worth, made at the first call; what it remembers lasts as long as the container. */
export function connectVerifier(environment: Environment = process.env): () => Verifier {
  let connected: Verifier | undefined;
  return () => {
    connected ??= new Verifier(issuerIn(environment));
    return connected;
  };
}

/** §6 Where run events leave by, connected at the first call. */
export function connectEventBus(environment: Environment = process.env): () => EventBus {
  let connected: EventBus | undefined;
  return () => (connected ??= EventBus.connect(variable(environment, ENVIRONMENT.eventBus)));
}

/** §6 What the sender of webhooks works on, connected at the first call. */
export function connectDeliveryQueue(environment: Environment = process.env): () => DeliveryQueue {
  let connected: DeliveryQueue | undefined;
  return () => (connected ??= DeliveryQueue.connect(variable(environment, ENVIRONMENT.deliveryQueue)));
}

function issuerIn(environment: Environment): Issuer | undefined {
  const issuer = environment[ENVIRONMENT.oauthIssuer];
  return issuer ? { issuer, audience: variable(environment, ENVIRONMENT.publicOrigin) } : undefined;
}

/** Organizations whose cursor secret one container keeps in memory. */
const REMEMBERED_SECRETS = 1000;

async function cursorSecret(table: Table, organizationId: string): Promise<Uint8Array> {
  const organization = await table.get(organizations, { organizationId });
  if (!organization) throw new Error(`The organization ${organizationId} of a valid credential does not exist`);
  return organization.cursorSecret;
}

function variable(environment: Environment, name: string): string {
  const value = environment[name];
  if (!value)
    throw new Error(`The environment variable ${name} is not set: the template must give it to this function`);
  return value;
}
