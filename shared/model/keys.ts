/** The ids by which rows are found. All of them belong to an organization. */

export interface ProjectKey {
  readonly organizationId: string;
  readonly projectId: string;
}

export interface RunKey {
  readonly organizationId: string;
  readonly runId: string;
}

/** The id of an instance begins with the id of its run. */
export interface OfInstance {
  readonly organizationId: string;
  readonly instanceId: string;
}
