/** §5.1 What the identity token of a CI job proves replaces what its reporter says. */
import type { CiBuild } from '#shared/model/runs/origin.ts';
import { bindCommit, bindJob } from '#shared/recording/own-build.ts';
import type { StartRecordingBody } from './recording-wire.ts';

export function bindRecording(body: StartRecordingBody, build: CiBuild | undefined): StartRecordingBody {
  if (!build) return body;
  const { ciBuildId, job, pullRequest } = build;
  const { job: sentJob, github, pullRequest: sentPullRequest } = body;
  return {
    ...body,
    ciBuildId,
    commit: bindCommit(build, body.commit),
    job: bindJob(sentJob, build),
    github: job.build === undefined ? github : { runId: job.build, attempt: String(job.attempt) },
    pullRequest: pullRequest === undefined ? sentPullRequest : { ...sentPullRequest, id: pullRequest },
  };
}
