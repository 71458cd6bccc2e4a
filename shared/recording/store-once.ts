/**
 * Lets one machine store a suite while the others wait. All machines of a build send the same suite at once, and each
 * would otherwise write every spec file.
 */
import { backOff } from '#shared/engine/table/back-off.ts';
import { lookup } from '#shared/engine/table/found.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { runs } from '#shared/model/run.ts';
import { type StartLock, startLocks } from '#shared/model/start-lock.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';

type Claim = Omit<StartLock, 'expiresAt'>;

/** `store` must be idempotent: two machines may both store if the lock expires. */
export async function storeOnce(services: Services, claim: Claim, store: () => Promise<void>): Promise<void> {
  const wanted = [lookup(startLocks, claim), lookup(runs, claim)] as const;
  for (let round = 0; round < RECORDING_LIMITS.startLockRounds; round += 1) {
    await backOff(round);
    const found = await services.table.getTogether(wanted, { consistent: true });
    const [lock, run] = [found.of(wanted[0]), found.of(wanted[1])];
    if (run?.suites[claim.suite] !== undefined) return;
    const isFree = lock === undefined || lock.owner === claim.owner;
    if (isFree && (await acquire(services, claim))) return storeAlone(services, claim, store);
  }
  await store();
}

/** The table treats an expired lock as absent. */
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
