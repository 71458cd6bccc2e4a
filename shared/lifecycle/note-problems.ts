/** Stores with a run what is wrong with it other than its tests, so that people see why it failed. */
import { check, PRESENT, put } from '#shared/engine/table/writes.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type RunProblems, runProblems } from '#shared/model/runs/run-problem.ts';
import { PROBLEMS } from '#shared/results/runs/problem-wire.ts';
import type { Services } from '#shared/services.ts';
import { noteFailedJob } from './hold-run.ts';

type ProblemsOfSource = Pick<RunProblems, 'source' | 'problems'>;

/** Stores the problems of one source, for a caller that notes them in the row of the run. */
export async function storeProblems(
  services: Services,
  run: Run,
  { source, problems }: ProblemsOfSource,
): Promise<void> {
  if (problems.length === 0) return;
  const { organizationId, runId, expiry } = run;
  const row = { organizationId, runId, source, problems, expiresAt: expiry.results };
  // A run that was deleted in the meantime must leave no row behind.
  await services.table.transact([check(runs, run, PRESENT), put(runProblems, row)]);
}

/** `job` is the CI job that reported the problems. A run with a problem other than a warning cannot pass. */
export async function noteProblems(
  services: Services,
  run: Run,
  { job, ...sourceProblems }: ProblemsOfSource & { readonly job: string | undefined },
): Promise<void> {
  const { problems } = sourceProblems;
  if (problems.length === 0) return;
  await storeProblems(services, run, sourceProblems);
  await services.table.update(runs, run, { set: [['hasProblems', true]] }, PRESENT);
  if (problems.some(({ kind }) => PROBLEMS[kind].failsRun)) await noteFailedJob(services, run, job);
}
