/** Finds the GitHub Actions run of a CI build in the environment that reporters send. */
import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import type { Run } from '#shared/model/run.ts';

const number = z
  .union([id, z.int().nonnegative().transform(String)])
  .optional()
  .catch(undefined);

/** `ci.params` contains environment variables with their names in camelCase. */
export const GithubParams = z.object({ githubRunId: number, githubRunAttempt: number }).nullish().catch(null);

/** The first attempt is the default. */
export function githubBuildOf(params: z.output<typeof GithubParams> | undefined): Pick<Run, 'github'> {
  const { githubRunId, githubRunAttempt = '1' } = params ?? {};
  return githubRunId === undefined ? {} : { github: { runId: githubRunId, attempt: githubRunAttempt } };
}
