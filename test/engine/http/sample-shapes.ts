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
  /** Of a webhook that nothing else is asked of, so that it can be deleted. */
  readonly doomedHookId: string;
  /** Likewise, of runs. */
  readonly doomedRunId: string;
  readonly endingRunId: string;
}

/** The ids of an organization with one recorded run. */
export interface World extends Ids {
  readonly keys: Tenant['keys'];
}

export interface Sample {
  /** Ids that lead to something or to a 404, in path, query or body. */
  readonly ids: readonly (keyof Ids)[];
  readonly query?: (world: World) => string;
  readonly body?: (world: World) => object;
  /** Names in the path that stand for another id than their own. */
  readonly at?: Readonly<Record<string, keyof Ids>>;
  /** It can be done once only: afterwards, what it is about is not there any more. */
  readonly once?: true;
  /** Refused with 400 whatever the ids are. */
  readonly bad?: { readonly query: string } | { readonly body: object };
}
