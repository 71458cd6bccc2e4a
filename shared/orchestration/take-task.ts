/** Gives a machine its next batch of spec files. By asking, the machine acknowledges the batch before. */
import { notFound } from '#shared/engine/errors.ts';
import { refuseEnded } from '#shared/lifecycle/refuse-ended.ts';
import type { SessionMachine } from '#shared/model/orchestration/machine.ts';
import type { OrchestrationSession } from '#shared/model/orchestration/session.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import { progressOfRead } from '#shared/results/live-counters.ts';
import type { Services } from '#shared/services.ts';
import { assignBatch } from './assign-batch.ts';
import { awaitSilent } from './await-silent.ts';
import { freeSilentMachines } from './find-silent.ts';
import { readBatches } from './read-batches.ts';
import type { TakeTaskAnswer } from './session-wire.ts';
import { readOrchestration } from './start-session.ts';

interface TaskRequest {
  readonly organizationId: string;
  /** The id of the session, which is that of its run. */
  readonly sessionId: string;
  readonly machineId: string;
  readonly sentRunId: string | null | undefined;
  readonly requestKey: string;
  /** How often the client has retried this request. `undefined` if it may not retry it. */
  readonly attempt?: number | undefined;
}

export async function takeTask(services: Services, request: TaskRequest): Promise<TakeTaskAnswer> {
  const { organizationId, sessionId: runId, machineId, requestKey, attempt } = request;
  const { run, session, machine } = await readOrchestration(services, { organizationId, runId, machineId });
  if (!run || !session) throw notFound('Orchestration session');
  refuseContradictions({ runId: request.sentRunId }, { runId });
  if (!machine) throw notFound('Machine of this orchestration session');
  const batch = await nextBatch(services, { run, session, machine, requestKey, attempt });
  const [progress, batches] = await Promise.all([
    progressOfRead(services, run),
    batch === undefined ? [] : readBatches(services, session, [batch]),
  ]);
  return { run: { progress: shown(progress) }, batch: batches.map(presented)[0] ?? null };
}

interface Asking {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
  readonly requestKey: string;
  readonly attempt: number | undefined;
}

/** The run may have completed while the last machines still ask, which is not an error. Any other end is one. */
async function nextBatch(services: Services, asking: Asking): Promise<number | undefined> {
  const { run, session, machine, requestKey, attempt } = asking;
  if (machine.request === requestKey) return machine.held[0];
  if (run.completionState === 'COMPLETE') return undefined;
  refuseEnded(run);
  const { machineId } = machine;
  const latest = await freeSilentMachines(services, run, session, { machineId, hasWaited: (attempt ?? 0) > 0 });
  const batch = await assignBatch(services, { session: latest, machine, requestKey });
  if (batch === undefined) await awaitSilent(services, latest, { machineId, attempt });
  return batch;
}

type Progress = Awaited<ReturnType<typeof progressOfRead>>;

const shown = ({ specFiles, tests }: Progress): TakeTaskAnswer['run']['progress'] => ({
  specs: { overall: specFiles.total, completed: specFiles.complete },
  tests: {
    overall: tests.tests,
    passes: tests.passes,
    failures: tests.failures + tests.skipped,
    ignored: tests.pending,
    flaky: tests.flaky,
  },
});

type Planned = Awaited<ReturnType<typeof readBatches>>[number];

const presented = ({ groupId, files }: Planned): NonNullable<TakeTaskAnswer['batch']> => ({
  groupId,
  tasks: files.map(({ spec, milliseconds }, workerIndex) => ({
    spec,
    score: milliseconds,
    workerIndex,
    batchSize: files.length,
  })),
});
