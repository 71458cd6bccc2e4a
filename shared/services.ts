/** The interface of everything that rules may use. `platform/connect.ts` implements it. */
import type { Artifacts } from './engine/files/artifacts.ts';
import type { CursorScope, Cursors } from './engine/http/cursor.ts';
import type { Table } from './engine/table/table.ts';
import type { Retention } from './model/runs/retention.ts';

export interface Services {
  readonly table: Table;
  readonly artifacts: Artifacts;
  /** The current time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a random id of this many lower-case hex characters. */
  readonly randomId: (characters: number) => string;
  /** The external address of this service: `https://host`, without a trailing slash. */
  readonly origin: string;
  /** §5.3 The issuer of accepted access tokens: an external one, or this service itself. */
  readonly oauthIssuer: string;
  readonly privateReceivers: PrivateReceivers;
  /** §5.3 Whether metadata documents of clients may be on this machine. Anybody may make the service read one. */
  readonly localClients: boolean;
  /** The retention of projects that set none. */
  readonly defaultRetention: Retention;
  readonly cursors: (organizationId: string, scope: CursorScope) => Promise<Cursors>;
}

/** The services of administration and schedules, which answer no requests. */
export type CoreServices = Pick<Services, 'table' | 'now' | 'randomId'>;

/**
 * §6 Private receivers of webhooks, over plain HTTP: none, those of the network, or also those of this machine. On Lambda
 * it must never be `machine`, because Lambda's own interfaces are on loopback.
 */
export type PrivateReceivers = 'none' | 'network' | 'machine';
