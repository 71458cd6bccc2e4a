/** Everything that a handler may use beside its request. `platform/connect.ts` builds it; tests build their own. */
import type { Artifacts } from './engine/files/artifacts.ts';
import type { CursorScope, Cursors } from './engine/http/cursor.ts';
import type { Table } from './engine/table/table.ts';

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

/** The services of code that answers no requests: administration and schedules. */
export type CoreServices = Pick<Services, 'table' | 'now' | 'randomId'>;

/**
 * §6 Where webhooks may go beside the internet, and over plain HTTP: nowhere, to the network, or to this machine, too, which
 * must never be where Lambda runs: its own interfaces are on loopback.
 */
export type PrivateReceivers = 'none' | 'network' | 'machine';
