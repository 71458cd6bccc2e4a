/** Gives a machine its next batch of spec files. Its request also acknowledges its previous batch. */

import { notFound } from '#shared/engine/errors.ts';
import { refuseEnded } from '#shared/lifecycle/refuse-ended.ts';
import type { SessionMachine } from '#shared/model/orchestration/machine.ts';
import type { OrchestrationSession } from '#shared/model/orchestration/session.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import { readProgressOfRun } from '#shared/results/runs/live-counters.ts';
import type { Services } from '#shared/services.ts';
import { assignBatch } from './assign-batch.ts';
import { type Batch, readBatches } from './read-batches.ts';
import type { TakeTaskAnswer } from './session-wire.ts';
import { askToRetry, freeSilentMachines } from './silent-machines.ts';
import { readOrchestration } from './start-session.ts';

interface TaskRequest {
  readonly organizationId: string;
  /** The id of the session, which is also the id of its run. */
  readonly sessionId: string;
  readonly machineId: string;
  readonly sentRunId: string | null | undefined;
  readonly requestKey: string;
  /** How many times the client has already retried this request. `undefined` if the client cannot retry it. */
  readonly attempt?: number | undefined;
}

export async function takeTask(services: Services, request: TaskRequest): Promise<TakeTaskAnswer> {
  const { organizationId, sessionId: runId, machineId, requestKey, attempt } = request;
  const { run, session, machine } = await readOrchestration(services, { organizationId, runId, machineId });
  if (!run || !session) throw notFound('Orchestration session');
  refuseContradictions({ runId: request.sentRunId }, { runId });
  if (!machine) throw notFound('Machine of this orchestration session');
  const batch = await takeNextBatch(services, { run, session, machine, requestKey, attempt });
  const [progress, batches] = await Promise.all([
    readProgressOfRun(services, run),
    batch === undefined ? [] : readBatches(services, session, [batch]),
  ]);
  const { specFiles, tests } = progress;
  const wireProgress = {
    specs: { overall: specFiles.total, completed: specFiles.complete },
    tests: {
      overall: tests.tests,
      passes: tests.passes,
      failures: tests.failures + tests.skipped,
      ignored: tests.pending,
      flaky: tests.flaky,
    },
  };
  const [next] = batches;
  return { run: { progress: wireProgress }, batch: next ? presentBatch(next) : null };
}

const presentBatch = ({ groupId, files }: Batch): TakeTaskAnswer['batch'] => ({
  groupId,
  tasks: files.map(({ spec, milliseconds }, workerIndex) => ({
    spec,
    score: milliseconds,
    workerIndex,
    batchSize: files.length,
  })),
});

interface BatchRequest {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
  readonly requestKey: string;
  readonly attempt: number | undefined;
}

/** In a complete run, machines may still ask for batches. After a cancellation or time-out, they are refused. */
async function takeNextBatch(services: Services, request: BatchRequest): Promise<number | undefined> {
  const { run, session, machine, requestKey, attempt } = request;
  if (machine.request === requestKey) return machine.held[0];
  if (run.completionState === 'COMPLETE') return undefined;
  refuseEnded(run);
  const { machineId } = machine;
  const currentSession = await freeSilentMachines(services, run, session, { machineId, hasWaited: (attempt ?? 0) > 0 });
  const batch = await assignBatch(services, { session: currentSession, machine, requestKey });
  if (batch === undefined) await askToRetry(services, currentSession, { machineId, attempt });
  return batch;
}
