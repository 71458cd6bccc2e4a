/** The row of a run that a request starts. */
import type { Beginning } from '#shared/lifecycle/create-run.ts';
import { expiryOf } from '#shared/model/expiry.ts';
import type { ProjectRecord } from '#shared/model/project.ts';
import { retentionOf } from '#shared/model/retention.ts';
import type { Framework, Run } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { githubBuildOf } from './github-build.ts';
import { addedBy, ofRun } from './merge-run.ts';
import { pullRequestOf } from './pull-request.ts';
import type { CreateRunBody } from './run-wire.ts';

interface Build extends Pick<Run, 'organizationId' | 'runId' | 'ciBuildId' | 'createdBy'> {
  readonly project: ProjectRecord;
  readonly framework: Framework;
  readonly imported?: ImportedBeginning | undefined;
}

/** The facts of an imported run beyond its request. Fail fast is for running tests, so it does not cancel an import. */
export interface ImportedBeginning extends Pick<Run, 'pullRequest'> {
  readonly imported: true;
}

export function beginningOf(
  { now, defaultRetention }: Pick<Services, 'now' | 'defaultRetention'>,
  { project, imported, ...build }: Build,
  body: CreateRunBody,
): Beginning {
  const createdAt = now();
  const pullRequest = pullRequestOf(body.commit);
  const allowed = project.failFast ? 1 : body.config?.currents?.autoCancelAfterFailures;
  const cancelAfterFailures = imported ? undefined : allowed;
  const { tags, groupTags, environments } = addedBy(body);
  return {
    ...build,
    createdAt,
    expiry: expiryOf(retentionOf(project.retention, defaultRetention), createdAt),
    ...githubBuildOf(body.ci?.params),
    projectId: body.projectId,
    tags: ofRun('tags', tags),
    groupTags: ofRun('groupTags', groupTags),
    environments: ofRun('environments', environments),
    commit: body.commit,
    ...(pullRequest ? { pullRequest } : {}),
    ...imported,
    inactivityTimeoutSeconds: project.inactivityTimeoutSeconds,
    ...(cancelAfterFailures ? { cancelAfterFailures } : {}),
  };
}
