/** The parts of sample requests. */
import type { Tenant } from '#test/harness/service.ts';

export interface Ids {
  readonly projectId: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly recordId: string;
  readonly signature: string;
  readonly hookId: string;
  readonly deliveryId: string;
  readonly importId: string;
  /** The id of a webhook that only the deletion uses. */
  readonly doomedHookId: string;
  readonly actionId: string;
  /** The id of a rule that only the deletion uses. */
  readonly doomedActionId: string;
  /** The ids of runs that only one operation uses. */
  readonly doomedRunId: string;
  readonly endingRunId: string;
  /** A cached version. */
  readonly cacheKey: string;
  /** The orchestration session of another run. */
  readonly sessionId: string;
}

/** Data that only some operations need: behind an id, or the run of a GitHub build. */
export type Need = keyof Ids | 'githubRunId';

/** The ids of an organization with one recorded run. */
export interface World extends Ids {
  readonly keys: Tenant['keys'];
}

export interface Sample {
  /** Existing or unknown ids, in path, query or body. */
  readonly ids: readonly (keyof Ids)[];
  /** Data that its success needs beyond these ids. */
  readonly needs?: readonly Need[];
  readonly query?: (world: World) => string;
  readonly body?: (world: World) => object;
  /** A body that is no JSON. */
  readonly file?: string;
  /** Path parameters whose id has another name. */
  readonly at?: Readonly<Record<string, keyof Ids>>;
  /** Path parameters that are no ids. */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether the request can succeed only once. */
  readonly once?: true;
  /** A request that is refused with 400 for any ids. */
  readonly bad?: { readonly query: string } | { readonly body: object };
}
