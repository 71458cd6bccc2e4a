/** One spec file of one group of a run. Its tests have rows of their own, so that they do not update the same row. */
import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import type { Entity } from '#shared/engine/table/entity.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Expiry, loadExpiry, storeExpiry } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getMemberKey, WITH_RUN } from '#shared/model/runs/run.ts';
import { type Counters, countTests } from './outcomes.ts';

export interface Claim {
  /** The key of the request that made the claim, by which a repeated request is recognized. */
  readonly key: string;
  readonly machineId: string;
  /** Time of the claim, in epoch milliseconds. */
  readonly at: number;
}

export interface Instance {
  readonly organizationId: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly groupId: string;
  readonly spec: string;
  /**
   * The key of the source whose results a further instance holds, because other sources reported these tests of the spec
   * file first. Absent for the instance that all sources of a spec file share. No suite expects a further instance.
   */
  readonly source?: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly claims: readonly Claim[];
  /** The number of tags that the run had when the spec file was last claimed. Tags are only added to a run. */
  readonly tagsOfRun?: number;
  readonly worker?: { readonly workerIndex: number; readonly parallelIndex: number };
  /** A digest of the keys of the tests that the first suite listed for the spec file. */
  readonly suite?: string;
  /** The start of the digest of the suite that named the spec file first, and therefore counts it. */
  readonly addedBy?: string;
  /** Tests for which suites reserved space, so that concurrent ones cannot exceed the limit. At least `expected`. */
  readonly reserved: number;
  /** The number of tests that the suites announced. */
  readonly expected: number;
  /** The number of tests that were expected or had reported when the results were last counted. */
  readonly known: number;
  /** The counters from the last time that the results were counted. They are exact once the instance is complete. */
  readonly counters: Counters;
  /** The tags of the instance's tests when the results were last counted. Events contain these tags. */
  readonly testTags: readonly string[];
  /** Grows with each final message and upload, so that older counters never replace newer ones. */
  readonly version: number;
  /** The number of resets. Counters from before a reset must not be stored after it. */
  readonly epoch: number;
  /** When a batch upload first recorded results, in epoch milliseconds. */
  readonly recordedAt?: number;
  readonly completedAt?: number;
  /** Whether a machine sends the spec file in parts, and has not sent the last one. */
  readonly hasMore?: true;
  /** When the instance was last claimed, or when it was completed, in epoch milliseconds. */
  readonly heardAt?: number;
  /** If set, the request that completes the instance checks whether its run is complete. */
  readonly watched?: boolean;
  /** The expiry of the run, which the instance shares. */
  readonly expiry: Expiry;
}

export type InstanceKey = Pick<Instance, 'organizationId' | 'runId' | 'instanceId'>;

export const instances: Entity<InstanceKey, Instance> & GoesWithRun = {
  type: 'instance',
  guarded: false,
  removal: WITH_RUN,
  patterns: [
    { question: 'An instance by id (which begins with its run id)' },
    { question: 'All instances of a run', begins: 'INSTANCE#' },
  ],
  key: (instance) => getMemberKey(instance, 'INSTANCE', instance.instanceId),
  store: ({ expiry, ...instance }) => ({ ...instance, ...storeExpiry(expiry) }),
  load: (row) => ({ ...loadAttributes<Instance>(row), expiry: loadExpiry(row) }),
};

export const makeInstance = (
  facts: Pick<
    Instance,
    'organizationId' | 'runId' | 'instanceId' | 'groupId' | 'spec' | 'source' | 'createdAt' | 'expiry'
  >,
): Instance => ({
  ...facts,
  claims: [],
  reserved: 0,
  expected: 0,
  known: 0,
  counters: countTests([]),
  testTags: [],
  version: 0,
  epoch: 0,
});

const CLAIM_BYTES = 60;

/**
 * All claims of an instance share one row. A claim that does not fit is not stored, but its request succeeds. A claim is
 * repeated by each part of a spec file that is sent in parts, of which a later one may contain the test that began first.
 */
export function appendClaim(claims: Instance['claims'], claim: Claim): Instance['claims'] {
  const isSame = ({ key }: Claim): boolean => key === claim.key;
  if (claims.some(isSame))
    return claims.map((stored) => (isSame(stored) ? { ...stored, at: Math.min(stored.at, claim.at) } : stored));
  const all = [...claims, claim];
  const machines = all.map(({ machineId }) => machineId);
  return keepFirstTexts(machines, MODEL_LIMITS.rowBytes.claims, CLAIM_BYTES).length === all.length ? all : claims;
}

/** Those that are stored with the spec file, because events contain them. */
export const pickCountedTags = (tags: readonly string[]): string[] =>
  tags.filter((tag) => Buffer.byteLength(tag) <= MODEL_LIMITS.countedTagBytes).slice(0, MODEL_LIMITS.countedTags);

/** Expected or reported. */
export const countKnownTests = ({ expected, known }: Pick<Instance, 'expected' | 'known'>): number =>
  Math.max(expected, known);

/** Every expected test of the spec file has finished. */
export const isComplete = ({ completedAt }: Pick<Instance, 'completedAt'>): boolean => completedAt !== undefined;

/** As people see it while the run is in progress. Afterwards, no part is expected any more. */
export const isWaitingForParts = ({ hasMore }: Pick<Instance, 'hasMore'>): boolean => hasMore !== undefined;

/** A machine has claimed the spec file, or it has a result. */
export const isTouched = ({ claims, counters }: Instance): boolean => claims.length > 0 || counters.overall > 0;

/** §2.1 A failed or skipped test. */
export const hasFailed = ({ counters }: Pick<Instance, 'counters'>): boolean =>
  counters.failures + counters.skipped > 0;

/** Whether a test of the instance failed or was flaky. */
export const hasEvidence = ({ counters }: Pick<Instance, 'counters'>): boolean =>
  counters.failures + counters.flaky > 0;
