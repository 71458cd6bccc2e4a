/** Reads planned batches, and the spec files in them that still have to run. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { type PlannedBatch, planPages } from '#shared/model/orchestration/plan.ts';
import type { OrchestrationSession } from '#shared/model/orchestration/session.ts';
import { tasks } from '#shared/model/orchestration/task.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';

export interface Batch extends PlannedBatch {
  readonly batch: number;
}

/** Reads batches by their numbers. Leaves out spec files that were completed before their batch was freed. */
export async function readBatches(
  { table }: WithTable,
  session: OrchestrationSession,
  numbers: readonly number[],
): Promise<Batch[]> {
  const { organizationId, runId } = session;
  const places = numbers.map((batch) => ({ organizationId, runId, batch, ...locateBatch(session, batch) }));
  const [pages, taskRows] = await Promise.all([
    table.getMany(planPages, places, CONSISTENT),
    table.getMany(tasks, places, CONSISTENT),
  ]);
  return places.map(({ batch, index, planId }, place) => {
    // The pages of a plan are stored before the session names the plan, so a missing page was deleted with its run.
    const { batches } = pages[place] ?? refuse(notFound('Orchestration session'));
    const plannedBatch = batches[index];
    if (!plannedBatch) throw new Error(`The plan ${planId} of run ${runId} lacks batch ${batch}`);
    const left = taskRows[place]?.left;
    return { batch, ...plannedBatch, files: plannedBatch.files.filter(({ spec }) => left?.includes(spec) ?? true) };
  });
}

const CONSISTENT = { consistent: true } as const;

function locateBatch({ runId, plans }: OrchestrationSession, batch: number) {
  const plan = plans.find(({ from, batches }) => from <= batch && batch < from + batches);
  if (!plan) throw new Error(`The session of run ${runId} has no batch ${batch}`);
  const number = batch - plan.from;
  const page = Math.floor(number / ORCHESTRATION_LIMITS.batchesPerPage);
  return { planId: plan.planId, page, index: number % ORCHESTRATION_LIMITS.batchesPerPage };
}

export interface BatchFile {
  readonly batch: number;
  readonly spec: string;
  readonly milliseconds: number;
  readonly instance: Instance;
}

export async function readFiles(
  { table }: WithTable,
  { organizationId, runId }: OrchestrationSession,
  batches: readonly Batch[],
): Promise<BatchFile[]> {
  const files = batches.flatMap(({ batch, groupId, files: plannedFiles }) =>
    plannedFiles.map((file) => {
      const instanceId = deriveInstanceId({ runId, groupId, spec: file.spec });
      return { organizationId, runId, instanceId, batch, ...file };
    }),
  );
  const instanceRows = await table.getMany(instances, files, CONSISTENT);
  return files.flatMap(({ batch, spec, milliseconds }, place) => {
    const instance = instanceRows[place];
    return instance ? [{ batch, spec, milliseconds, instance }] : [];
  });
}
