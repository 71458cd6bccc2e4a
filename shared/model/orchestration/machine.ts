/** A machine of an orchestration session. Access patterns: by id; all machines of a session. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { type SessionKey, sessionPartition, WITH_SESSION } from './session.ts';

interface MachineKey extends SessionKey {
  readonly machineId: string;
}

/** Batches that are being returned to the session, because the machine died, was restarted or was reset. */
export interface GivingBack {
  /** Identifies the request that returns the batches. */
  readonly token: string;
  readonly at: number;
  readonly held: readonly number[];
}

export interface SessionMachine extends MachineKey, Expiring {
  /**
   * The key of the request that started the machine. A start request with a different key means that the machine was
   * restarted.
   */
  readonly startedBy: string;
  /**
   * Optimistic lock: counts the requests of the machine, so that of two concurrent requests, only one can take a batch.
   */
  readonly version: number;
  /** The key of the request that got the latest batch, so that a repeated request gets the same batch. */
  readonly request?: string;
  /** Time of the latest request, in epoch milliseconds. */
  readonly at: number;
  /**
   * The numbers of the machine's latest batches, at most two, the newest first. The reporter may still be sending
   * results of the older batch.
   */
  readonly held: readonly number[];
  readonly givingBack?: GivingBack;
}

export const sessionMachines: Entity<MachineKey, SessionMachine> & GoesWithRun = {
  type: 'orchestration machine',
  guarded: false,
  removal: WITH_SESSION,
  patterns: [
    { question: 'A machine of a session', key: 'pk = ORCHESTRATION#org#run, sk = MACHINE#machine' },
    { question: 'All machines of a session', key: 'pk = ORCHESTRATION#org#run, sk begins with MACHINE#' },
  ],
  key: (machine) => ({ pk: sessionPartition(machine), sk: composed('MACHINE', machine.machineId) }),
  store: attributesOf,
  load: stored,
};

export const machinesSpan = (of: SessionKey) => beginningWith(sessionPartition(of), prefix('MACHINE'));
