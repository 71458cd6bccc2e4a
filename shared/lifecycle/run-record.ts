/** What the audit records of runs say: the build for people, the ids for programs. */
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Run } from '#shared/model/runs/run.ts';

export function runRecord<Name extends 'run deleted' | 'run reset'>(
  action: Name,
  { organizationId, runId, ciBuildId, projectId }: Run,
  {
    project,
    more = [],
  }: { readonly project: Pick<ProjectRecord, 'name'> | undefined; readonly more?: readonly string[] },
) {
  const of = project ? `project ${project.name} (${projectId})` : `project ${projectId}`;
  return { organizationId, action, subject: runId, label: ciBuildId, detail: [of, ...more].join(', ') };
}
