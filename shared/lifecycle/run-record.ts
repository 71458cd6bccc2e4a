/** Builds audit records of runs. They contain the name of the build for people, and ids for programs. */
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Run } from '#shared/model/runs/run.ts';

export function runRecord<Name extends 'run deleted' | 'run reset' | 'files of a run deleted'>(
  action: Name,
  { organizationId, runId, ciBuildId, projectId }: Run,
  {
    project,
    more = [],
  }: { readonly project: Pick<ProjectRecord, 'name'> | undefined; readonly more?: readonly string[] },
) {
  const scope = project ? `project ${project.name} (${projectId})` : `project ${projectId}`;
  return { organizationId, action, subject: runId, label: ciBuildId, detail: [scope, ...more].join(', ') };
}
