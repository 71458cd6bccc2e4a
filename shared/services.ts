/** The services that domain code may use. `platform/connect.ts` creates them. */
import type { Artifacts } from './engine/aws/artifacts.ts';
import type { Correlation } from './engine/correlation.ts';
import type { CursorScope, Cursors } from './engine/http/cursor.ts';
import type { Table } from './engine/table/table.ts';
import type { RecentFacts } from './model/results/recent-facts.ts';
import type { Retention } from './model/runs/retention.ts';
import type { DeploymentProvider } from './model/sign-in/deployment-provider.ts';
import type { DefaultLimits } from './model/usage/usage-limits.ts';

export interface Services {
  readonly table: Table;
  readonly artifacts: Artifacts;
  /** What this container knows of runs, groups and instances. */
  readonly recent: RecentFacts;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** Returns a random id with this many lower-case hex characters. */
  readonly randomId: (characters: number) => string;
  /** Of the request, message or run of a schedule that is being handled. `undefined` elsewhere, such as in tests. */
  readonly correlationId: string | undefined;
  /** The public origin of this service: `https://host`, without a trailing slash. */
  readonly origin: string;
  /** §5.3 The issuer of accepted access tokens: an external one, or this service itself. */
  readonly oauthIssuer: string;
  readonly privateReceivers: PrivateReceivers;
  /**
   * §5.3 Whether the service may fetch OAuth client metadata documents from its own machine. Dangerous, because any
   * stranger can then make the service send requests to that machine.
   */
  readonly localClients: boolean;
  /** The retention of projects that do not set their own. */
  readonly defaultRetention: Retention;
  /** The limits of organizations for which the operator sets none. */
  readonly defaultLimits: DefaultLimits;
  /** The providers at which people sign in to their own accounts, in the order of their buttons. */
  readonly signInProviders: readonly DeploymentProvider[];
  readonly cursors: (organizationId: string, scope: CursorScope) => Promise<Cursors>;
}

export type WithClock = Pick<Services, 'table' | 'now'>;

/** The services that all code can use, including the authorizer and the administration commands. */
export type CoreServices = Pick<Services, 'table' | 'now' | 'randomId'> & Correlation;

/**
 * §6 Which receivers of requests, such as webhooks and issue trackers, may have private addresses and use plain HTTP:
 * none, those in private networks, or also those on this machine. Must never be `machine` on Lambda, because Lambda's
 * own interfaces are on loopback.
 */
export type PrivateReceivers = 'none' | 'network' | 'machine';
