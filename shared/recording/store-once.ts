/** Lets one machine store what all machines of a build send, such as the suite. Otherwise each would write all rows. */
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

/** `store` must be idempotent: it may run for several machines if the lock expires or one has waited too long. */
export async function storeOnce<Row>(
  services: Services,
  claim: Claim,
  { row, isStored }: Evidence<Row>,
  store: () => Promise<void>,
): Promise<void> {
  const lookups = [makeLookup(startLocks, claim), row] as const;
  for (let round = 0; round < RECORDING_LIMITS.startLockRounds; round += 1) {
    await waitBeforeAttempt(round);
    const rows = await services.table.getTogether(lookups, { consistent: true });
    const lock = rows.of(lookups[0]);
    const evidence = rows.of(lookups[1]);
    if (evidence !== undefined && isStored(evidence)) return;
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
