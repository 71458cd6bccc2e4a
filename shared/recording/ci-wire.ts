/** The CI variables that clients of the published protocol send, and what they say about a run. */
import * as z from 'zod';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { sentId, sentText } from '#shared/model/names.ts';
import { CI_JOB_VARIABLES, findBuildId, findCiJob } from '#shared/model/runs/ci-job.ts';
import { limitCommitText } from '#shared/model/runs/commit.ts';
import type { RunRequest } from './run-request.ts';

const githubNumber = z
  .union([sentId, z.int().nonnegative().transform(String)])
  .optional()
  .catch(undefined);

const variable = z.string().transform(limitCommitText).optional().catch(undefined);

/** The variables that tell the job and its try. */
const JOB_VARIABLES = Object.fromEntries(CI_JOB_VARIABLES.map((name) => [name, variable]));

const PROCESS_CHARACTERS = 16;

/** Adds a digest of all variables, which tells apart the processes of different jobs. */
const addProcess = (variables: unknown): unknown =>
  typeof variables === 'object' && variables !== null
    ? { ...variables, process: computeDigest(PROCESS_CHARACTERS, JSON.stringify(Object.entries(variables).toSorted())) }
    : variables;

/** Environment variables of the CI job, with their names in camelCase: `GITHUB_RUN_ID` is `githubRunId`. */
const CiParams = z
  .preprocess(
    addProcess,
    z.object({
      ...JOB_VARIABLES,
      githubRunId: githubNumber,
      githubRunAttempt: githubNumber,
      ciMergeRequestIid: variable,
      ciMergeRequestTitle: variable,
      ciOpenMergeRequests: variable,
      process: z.string().optional(),
    }),
  )
  .nullish()
  .catch(null);

export const SentCi = z
  .object({ params: CiParams, ciBuildId: z.object({ value: sentText.nullish() }).nullish() })
  .nullish();

const OPEN_MERGE_REQUEST = /^[^!,]*!(\d+)/;
const IID = /^\d{1,12}$/;

/** Finds the number of the pull request in the variables of GitLab CI. */
function findMergeRequest(variables: NonNullable<z.output<typeof CiParams>>): RunRequest['pullRequest'] {
  const { ciMergeRequestIid, ciMergeRequestTitle: title = null, ciOpenMergeRequests = '' } = variables;
  // In the pipeline of a branch, GitLab sets only a list of the open merge requests, such as `acme/shop!7,acme/fork!8`.
  const id = ciMergeRequestIid ?? OPEN_MERGE_REQUEST.exec(ciOpenMergeRequests)?.[1];
  return id !== undefined && IID.test(id) ? { id, title } : undefined;
}

interface SentBuild {
  readonly ciBuildId?: string | null | undefined;
  readonly ci?: z.output<typeof SentCi>;
}

/** The part of a request that the CI variables tell. */
export function readSentCi({ ciBuildId, ci }: SentBuild) {
  const variables = ci?.params ?? {};
  const { githubRunId, githubRunAttempt = '1' } = variables;
  return {
    ciBuildId: ciBuildId || ci?.ciBuildId?.value || findBuildId(variables),
    job: findCiJob(variables),
    // The environment variables of a CI job do not always contain the number of the attempt.
    github: githubRunId === undefined ? undefined : { runId: githubRunId, attempt: githubRunAttempt },
    pullRequest: findMergeRequest(variables),
  };
}
