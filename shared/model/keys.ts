/** What names a project, a run, or an instance (whose id begins with the id of its run). All keys name the organization. */

export interface ProjectKey {
  readonly organizationId: string;
  readonly projectId: string;
}

export interface RunKey {
  readonly organizationId: string;
  readonly runId: string;
}

export interface OfInstance {
  readonly organizationId: string;
  readonly instanceId: string;
}
