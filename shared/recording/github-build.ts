/** The GitHub Actions run that a CI build is, from what reporters say of their environment. */
import * as z from 'zod';
import { id } from '../resources/names.ts';
import type { Run } from '../resources/run.ts';

const number = z
  .union([id, z.int().nonnegative().transform(String)])
  .optional()
  .catch(undefined);

/** Of `ci.params`: variables of the environment under their names in camelCase. */
export const GithubParams = z.object({ githubRunId: number, githubRunAttempt: number }).nullish().catch(null);

/** An attempt that is not named is the first. */
export function githubBuildOf(params: z.output<typeof GithubParams> | undefined): Pick<Run, 'github'> {
  const { githubRunId, githubRunAttempt = '1' } = params ?? {};
  return githubRunId === undefined ? {} : { github: { runId: githubRunId, attempt: githubRunAttempt } };
}
