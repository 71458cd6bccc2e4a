/** A machine that records a run with our own reporters: its stored batches, and whether it has ended. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';

interface MachineKey extends RunKey {
  readonly machineId: string;
  /** A process of the machine, for clients that keep the id of their machine when they restart. */
  readonly process?: string | undefined;
}

export interface RecordingMachine extends MachineKey, Expiring {
  /** When the machine started, or when its latest batch was stored, in epoch milliseconds. */
  readonly at: number;
  /** The sequence numbers of the stored batches as ranges, such as `0-17,19`. */
  readonly received: string;
  /** The value of `ends` of the run when the machine joined or reopened it. Absent for a run that had not ended. */
  readonly period?: number;
  /** When the machine first started, in epoch milliseconds. Absent for machines of earlier versions. */
  readonly startedAt?: number;
  /** When the machine first reported that it had ended, in epoch milliseconds. */
  readonly endedAt?: number;
  /** The CI job, if the client named it. */
  readonly job?: string | undefined;
  /** The number of spec files that it will run, if the client said so. It announces no tests then. */
  readonly specFiles?: number | undefined;
  /** Whether it ends its tests when it learns that the run was cancelled. */
  readonly stopsIfCancelled?: boolean | undefined;
  /** Which part of which suite it runs, such as a shard, if the client said so. */
  readonly part?: string | undefined;
  /** The command that it is, which is the same in all tries of the build, if the client said so. */
  readonly leg?: string | undefined;
  /** The places of its tests that failed or did not run. Absent if it did not end, or if there are too many. */
  readonly toRepeat?: readonly string[];
  /** Errors outside tests, such as a spec file that could not be loaded. */
  readonly errors?: readonly string[];
}

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('MACHINE', organizationId, runId);

export const recordingMachines: Entity<MachineKey, RecordingMachine> & GoesWithRun = {
  type: 'recording machine',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getRecordingMachinesSpan(run)] },
  patterns: [
    { question: 'The stored batches of a machine', of: { process: undefined } },
    { question: 'All machines that record a run', begins: '' },
  ],
  key: (machine) => {
    const { machineId, process } = machine;
    const sk = process === undefined ? composeKey(machineId) : composeKey(machineId, process);
    return { pk: getPartition(machine), sk };
  },
  store: toAttributes,
  load: loadAttributes,
};

export const getRecordingMachinesSpan = (run: RunKey) => getPartitionSpan(getPartition(run));
