/** Reads the problems of a run for readers that have not read its groups. */
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import type { RunProblem } from './problem-wire.ts';
import { listProblemsOfRun } from './problems-of-run.ts';
import { readGroupSummaries } from './read-run.ts';

/** Reads nothing for a run that passed without a warning, or that is in progress without a problem so far. */
export async function readProblems(services: Services, run: Run): Promise<readonly RunProblem[]> {
  const mayHaveSome = run.status === 'FAILED' || run.jobFailed === true || run.hasProblems === true;
  return mayHaveSome ? listProblemsOfRun(services, run, await readGroupSummaries(services, run)) : [];
}
