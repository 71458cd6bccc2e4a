/** Lets one machine store what all machines of a build send, such as the suite. Otherwise each would write all rows. */
import { waitBeforeAttempt } from '#shared/engine/table/back-off.ts';
import type { Lookup } from '#shared/engine/table/found.ts';
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
 * `store` must be idempotent: it may run for several machines if the lock expires or one has waited too long. Returns the
 * row if another machine has stored everything, as it is then. The caller has just read that it is missing.
 *
 * All machines of a build wait here at the same time, so they read only the lock while another machine holds it. That
 * read is eventually consistent, because only acquiring the lock decides.
 */
export async function storeOnce<Row>(
  services: Services,
  claim: Claim,
  { row, isStored }: Evidence<Row>,
  store: () => Promise<void>,
): Promise<Row | undefined> {
  const { table } = services;
  const readEvidence = async () => {
    const evidence = (await table.getTogether([row], { consistent: true })).of(row);
    return evidence !== undefined && isStored(evidence) ? evidence : undefined;
  };
  for (let round = 0; round < RECORDING_LIMITS.startLockRounds; round += 1) {
    if (round > 0) await waitBeforeAttempt(round + LONGER_WAITS);
    const lock = await table.get(startLocks, claim);
    if (lock !== undefined && lock.owner !== claim.owner) continue;
    const evidence = round === 0 ? undefined : await readEvidence();
    if (evidence) return evidence;
    if (await acquire(services, claim)) return storeAlone(services, claim, { readEvidence, store });
  }
  await store();
  return undefined;
}

/** Begins with waits of about 0.2 seconds: a suite takes longer than a write that is repeated, and all machines wait. */
const LONGER_WAITS = 4;

/** Acquires the lock if it is free. The table treats an expired lock as absent. */
async function acquire({ table, now }: Services, claim: Claim): Promise<boolean> {
  const isFree = { any: [{ absent: 'pk' }, { path: 'owner', equals: claim.owner }] };
  const expiresAt = Math.ceil((now() + RECORDING_LIMITS.startLockMilliseconds) / 1000);
  return (await table.put(startLocks, { ...claim, expiresAt }, isFree)).done;
}

interface Storing<Row> {
  readonly readEvidence: () => Promise<Row | undefined>;
  readonly store: () => Promise<void>;
}

/** Another machine may have stored everything and released the lock since the evidence was last read. */
async function storeAlone<Row>(
  { table }: Services,
  claim: Claim,
  { readEvidence, store }: Storing<Row>,
): Promise<Row | undefined> {
  try {
    const evidence = await readEvidence();
    if (!evidence) await store();
    return evidence;
  } finally {
    await table.writeMany([remove(startLocks, claim)]);
  }
}
