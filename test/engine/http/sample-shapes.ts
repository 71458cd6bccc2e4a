/** Types of sample requests. */
import type { Tenant } from '#test/harness/service.ts';

export interface Ids {
  readonly projectId: string;
  /** The id of a project that only the delete and restore operations use. */
  readonly doomedProjectId: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly recordId: string;
  /** The id of a run that is recorded with the protocol of our own reporters. */
  readonly recordingId: string;
  readonly signature: string;
  readonly hookId: string;
  readonly deliveryId: string;
  readonly importId: string;
  /** The id of a webhook that only the delete operation uses. */
  readonly doomedHookId: string;
  readonly actionId: string;
  /** The id of a rule that only the delete operation uses. */
  readonly doomedActionId: string;
  /** The id of a run that only the delete operation uses. */
  readonly doomedRunId: string;
  /** The id of a run that only the cancel operation and the deletion of files use. */
  readonly endingRunId: string;
  readonly cacheKey: string;
  /** The id of the orchestration session. The session belongs to a run other than `runId`. */
  readonly sessionId: string;
  readonly shareId: string;
  readonly shareSecret: string;
  readonly organizationId: string;
  readonly identityToken: string;
  /** The id of the failed test of the sample run. */
  readonly testId: string;
  readonly integrationId: string;
  readonly trackerProjectId: string;
  readonly issueTypeId: string;
  /** The id of the link between the failed test and an issue. */
  readonly issueId: string;
  readonly issueKey: string;
}

/** Test data that only some operations need: the object that an id refers to, or the run of a GitHub build. */
export type Need = keyof Ids | 'githubRunId';

/** The ids of the test data in an organization, and the API keys of the organization. */
export interface World extends Ids {
  readonly keys: Tenant['keys'];
}

export interface Sample {
  /** The ids that occur in the path, the query or the body. Some tests replace them with ids that do not exist. */
  readonly ids: readonly (keyof Ids)[];
  /** Other test data that the request needs to succeed. */
  readonly needs?: readonly Need[];
  readonly query?: (world: World) => string;
  readonly body?: (world: World) => object;
  readonly headers?: (world: World) => readonly (readonly [string, string])[];
  /** A body that is not JSON. */
  readonly file?: string;
  /** The id for each path parameter that has another name than the id, such as `{ runId: 'endingRunId' }`. */
  readonly at?: Readonly<Record<string, keyof Ids>>;
  /** The values of path parameters that are not ids, by parameter name. */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether the request can succeed only once. */
  readonly once?: true;
  /** A request that is refused with 400, whatever its ids are. */
  readonly bad?: { readonly query: string } | { readonly body: object };
}
