/** Keeps a run open until an import or a machine of the same build completes it. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Changes, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { countLateResults } from './complete-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { UNDER_WAY } from './states.ts';

/** Keeps the run open until `releaseRun` is called. Does nothing if the run has ended. */
export async function holdRun({ table }: WithTable, run: Run): Promise<void> {
  if (isUnderWay(run) && !run.held) await table.update(runs, run, { set: [['held', true]] }, UNDER_WAY);
}

interface ImportNote {
  readonly importId: string;
  readonly jobFailed: boolean;
  readonly hasProblems: boolean;
  readonly job: string | undefined;
}

/**
 * Stores the latest import in the run. If the job failed, the run cannot pass, whatever the results of its tests are.
 */
export async function noteImport(
  { table }: WithTable,
  run: Run,
  { importId, jobFailed, hasProblems, job }: ImportNote,
): Promise<void> {
  const failureChanges = jobFailed ? makeFailureChanges(run, job) : {};
  const isNews =
    run.importId !== importId ||
    failureChanges.append !== undefined ||
    (jobFailed && !run.jobFailed) ||
    (hasProblems && !run.hasProblems);
  if (!isNews) return;
  const { set = [] } = failureChanges;
  const facts = toAssignments({ importId, hasProblems: hasProblems || undefined });
  await table.update(runs, run, { ...failureChanges, set: [...facts, ...set] }, PRESENT);
}

/** Notes how long the tests of an import took, in milliseconds. The longest import counts, because jobs run in parallel. */
export async function noteDuration({ table }: WithTable, run: Run, ran: number): Promise<void> {
  if (!run.imported || (run.ran ?? -1) >= ran) return;
  const isLonger = { any: [{ absent: 'ran' }, { path: 'ran', atMost: ran }] } as const;
  await table.update(runs, run, { set: [['ran', ran]] }, { all: [PRESENT, isLonger] });
}

/** A run without named jobs gets no list. The list may name a job twice, if two requests add it at the same time. */
function makeFailureChanges({ jobs = [], failedJobs = [] }: Run, job = ''): Changes {
  const isFull = failedJobs.length >= LIFECYCLE_LIMITS.failedJobs;
  const name = isFull ? '' : job;
  const set = [['jobFailed', true]] as const;
  const hasNoJobs = jobs.length === 0 && job === '';
  if (hasNoJobs || failedJobs.includes(name)) return { set };
  return { set, append: [['failedJobs', [name]]] };
}

/** Notes that the job failed for a reason other than its tests, so that the run cannot pass. */
export async function noteFailedJob(services: Services, run: Run, job: string | undefined): Promise<void> {
  const outcome = await services.table.update(runs, run, makeFailureChanges(run, job), PRESENT);
  // The run may have ended since it was read, or an earlier request was killed before it updated the status.
  if (outcome.done && !isUnderWay(outcome.item)) await countLateResults(services, run, { announce: true });
}
