/**
 * Records a planned import with the same code as all other results. Idempotent: a repetition rewrites the same rows.
 */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { holdRun, noteImport, releaseRun } from '#shared/lifecycle/hold-run.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import type { ImportedFile, ImportOptions } from '#shared/model/runs/import.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import type { Services } from '#shared/services.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { type ImportPlan, type PlannedInstance, withWarnings } from './plan-import.ts';
import { frameworkOf, pullRequestOf, runBodyOf } from './run-of-import.ts';
import { storeAttachments } from './store-attachments.ts';

export interface ImportRecording {
  readonly organizationId: string;
  readonly projectId: string;
  readonly importId: string;
  readonly options: ImportOptions;
  readonly plan: ImportPlan;
  readonly ciBuildId: string;
  /** Identifies the import and its content. Stable across repetitions. */
  readonly requestKey: string;
}

interface Steps {
  /** Number of spec files that earlier calls recorded. */
  readonly recorded: number;
  readonly onStep: (run: Run, recorded: number) => Promise<void>;
}

/** Returns the report files as the import lists them, with warnings about attachments that could not be read. */
export async function recordPlan(
  services: Services,
  recording: ImportRecording,
  steps: Steps,
): Promise<readonly ImportedFile[]> {
  const { options, plan } = recording;
  const run = await joinedRun(services, recording);
  if (options.complete === false) await holdRun(services, run);
  await noteImport(services, run, { importId: recording.importId, jobFailed: plan.jobFailed });
  let { recorded } = steps;
  for (const instances of stepsOf(plan.instances.slice(recorded))) {
    const machineId = instances[0].machineId;
    await recordInstances(services, { run, machineId, requestKey: recording.requestKey, instances });
    recorded += instances.length;
    await steps.onStep(run, recorded);
  }
  const unread = await storeAttachments(services, run, plan.attachments);
  if (options.complete !== false) await releaseRun(services, run);
  return withWarnings(plan.files, unread);
}

async function joinedRun(services: Services, recording: ImportRecording): Promise<Run> {
  const { organizationId, projectId, options, plan, ciBuildId, requestKey } = recording;
  const { runId } = await joinRun(services, {
    organizationId,
    body: runBodyOf({ projectId, options, plan, ciBuildId }),
    framework: frameworkOf(plan),
    requestKeys: [requestKey],
    imported: { imported: true, ...pullRequestOf(options) },
  });
  const run = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  return run ?? refuse(notFound('Run'));
}

type Step = [PlannedInstance, ...PlannedInstance[]];

/** Splits the list into steps, each with spec files of one machine. */
function stepsOf(instances: readonly PlannedInstance[]): Step[] {
  const steps: Step[] = [];
  let tests = 0;
  for (const instance of instances) {
    const last = steps.at(-1);
    tests += instance.tests.length;
    const fits = tests <= IMPORT_LIMITS.testsPerStep && (last?.length ?? 0) < IMPORT_LIMITS.specsPerStep;
    if (last && fits && last[0].machineId === instance.machineId) last.push(instance);
    else {
      steps.push([instance]);
      tests = instance.tests.length;
    }
  }
  return steps;
}
