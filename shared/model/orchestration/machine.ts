/** A machine of an orchestration session. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getSessionPartition, type SessionKey, WITH_SESSION } from './session.ts';

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
  /** The start request of the machine. A start request with another key means that the machine was restarted. */
  readonly startedBy: string;
  /** Optimistic lock: counts requests, so that of two concurrent ones, only one can take a batch. */
  readonly version: number;
  /** The key of the request that got the latest batch, so that a repeated request gets the same batch. */
  readonly request?: string;
  /** Time of the latest request, in epoch milliseconds. */
  readonly at: number;
  /** At most two, the newest first. The reporter may still be sending results of the older batch. */
  readonly held: readonly number[];
  readonly givingBack?: GivingBack;
}

export const sessionMachines: Entity<MachineKey, SessionMachine> & GoesWithRun = {
  type: 'orchestration machine',
  guarded: false,
  removal: WITH_SESSION,
  patterns: [{ question: 'A machine of a session' }, { question: 'All machines of a session', begins: 'MACHINE#' }],
  key: (machine) => ({ pk: getSessionPartition(machine), sk: composeKey('MACHINE', machine.machineId) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getSessionMachinesSpan = (key: SessionKey) =>
  getPrefixSpan(getSessionPartition(key), composePrefix('MACHINE'));
