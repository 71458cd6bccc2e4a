/** Finds the GitHub Actions run of a CI build in the environment that reporters send. */
import type * as z from 'zod';
import type { Run } from '#shared/model/run.ts';
import type { GithubParams } from './run-wire.ts';

/** The first attempt is the default. */
export function githubBuildOf(params: z.output<typeof GithubParams> | undefined): Pick<Run, 'github'> {
  const { githubRunId, githubRunAttempt = '1' } = params ?? {};
  return githubRunId === undefined ? {} : { github: { runId: githubRunId, attempt: githubRunAttempt } };
}
