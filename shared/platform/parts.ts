/** The validated parts of an HTTP request or a tool call. */
import type { ApiActor } from '#shared/access/actor.ts';

export interface Parts {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** The body before validation. */
  readonly sent: unknown;
  readonly actor: ApiActor | undefined;
  readonly header: (name: string) => string | undefined;
  readonly isTool: boolean;
}
