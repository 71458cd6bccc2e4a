/** What all requests of a machine of our own reporters have in common. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Lookup, type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import { findTargets, type Targets } from '#shared/ingest/execution-of.ts';
import type { Origin } from '#shared/model/runs/origin.ts';
import { type RecordingMachine, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { machineNotStarted } from '#shared/recording/errors.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import type { Services } from '#shared/services.ts';

export interface RunRequest<Body> {
  readonly organizationId: string;
  readonly runId: string;
  readonly body: Body;
  readonly origin?: Origin | undefined;
}

/** The limits that a machine is told. */
export const MACHINE_LIMITS = {
  batchBytes: RECORDING_LIMITS.batchBytes,
  filesPerCall: RECORDING_LIMITS.filesPerCall,
  fileBytes: RECORDING_LIMITS.artifactBytes,
};

type MachineKey = Pick<RecordingMachine, 'organizationId' | 'runId' | 'machineId' | 'process'>;

interface StartedMachine {
  readonly run: Run;
  readonly machine: RecordingMachine;
  /** The groups and spec files of the run that the request names. */
  readonly targets: Targets;
  readonly found: LookupResult;
}

/**
 * Also reads the groups and spec files of `sentFiles`, and the rows of `others`, in one round trip. Throws 404 if there
 * is no run, and 422 if the machine has not started.
 */
export async function findStartedMachine(
  services: Services,
  key: MachineKey,
  sentFiles: readonly { readonly groupId: string; readonly spec: string }[] = [],
  others: readonly Lookup<unknown>[] = [],
): Promise<StartedMachine> {
  const machineLookup = makeLookup(recordingMachines, key);
  const { found, ...targets } = await findTargets(services, key, sentFiles, [machineLookup, ...others]);
  const run = targets.run ?? refuse(notFound('Run'));
  return { run, machine: found.of(machineLookup) ?? refuse(machineNotStarted()), targets, found };
}
