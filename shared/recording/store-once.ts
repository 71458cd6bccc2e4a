/**
 * Lets one machine store data that all machines of a build send at the same time, such as the suite, while the other
 * machines wait. Otherwise each machine would write a row for every spec file.
 */
import { waitBeforeAttempt } from '#shared/engine/table/back-off.ts';
import { type Lookup, makeLookup } from '#shared/engine/table/found.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type StartLock, startLocks } from '#shared/model/runs/start-lock.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';

type Claim = Omit<StartLock, 'expiresAt'>;

/** The row that shows whether another machine has stored everything. */
interface Evidence<Row> {
  readonly row: Lookup<Row>;
  readonly isStored: (row: Row) => boolean;
}

/**
 * Calls `store` in the request of one machine, and waits in the requests of all other machines. `store` must be
 * idempotent, because it may be called for several machines if the lock expires or if a machine has waited too long.
 */
export async function storeOnce<Row>(
  services: Services,
  claim: Claim,
  { row, isStored }: Evidence<Row>,
  store: () => Promise<void>,
): Promise<void> {
  const wanted = [makeLookup(startLocks, claim), row] as const;
  for (let round = 0; round < RECORDING_LIMITS.startLockRounds; round += 1) {
    await waitBeforeAttempt(round);
    const found = await services.table.getTogether(wanted, { consistent: true });
    const lock = found.of(wanted[0]);
    const known = found.of(wanted[1]);
    if (known !== undefined && isStored(known)) return;
    const isFree = lock === undefined || lock.owner === claim.owner;
    if (isFree && (await acquire(services, claim))) return storeAlone(services, claim, store);
  }
  await store();
}

/** Acquires the lock if it is free. The table treats an expired lock as absent. */
async function acquire({ table, now }: Services, claim: Claim): Promise<boolean> {
  const isFree = { any: [{ absent: 'pk' }, { path: 'owner', equals: claim.owner }] };
  const expiresAt = Math.ceil((now() + RECORDING_LIMITS.startLockMilliseconds) / 1000);
  return (await table.put(startLocks, { ...claim, expiresAt }, isFree)).done;
}

async function storeAlone({ table }: Services, claim: Claim, store: () => Promise<void>): Promise<void> {
  try {
    await store();
  } finally {
    await table.writeMany([remove(startLocks, claim)]);
  }
}
