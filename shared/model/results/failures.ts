/** Tests that failed, were skipped or were flaky. Others would make the list more expensive to read. */
import { type Entity, getPartitionSpan, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { CountedTest } from './outcomes.ts';

export const MARKS = ['f', 's', 'y'] as const;
/** Why a test is listed: `f` failed, `s` skipped, `y` flaky, neither failed nor skipped. */
export type Mark = (typeof MARKS)[number];

/**
 * What the error has in common with others of the same cause: what failed, its target, the received and the expected
 * value, the place, and a short message with its variable parts. Empty if the test has no error.
 */
export type FailureTraits = readonly string[];

export interface Failure extends RunKey, Expiring {
  readonly mark: Mark;
  readonly instanceId: string;
  readonly testKey: string;
  readonly groupId: string;
  readonly spec: string;
  /** Absent in rows that version 0.2.0 and earlier ones wrote. */
  readonly traits?: FailureTraits | undefined;
}

/** A page reads hundreds of these rows, so names have one letter, and values in the key are not repeated. */
interface StoredFailure {
  readonly pk: string;
  readonly sk: string;
  readonly g: string;
  readonly s: string;
  readonly c?: FailureTraits;
  readonly expiresAt?: number;
}

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('FAILURES', organizationId, runId);

/** The part of the instance id after the id of its run. */
const getInstancePart = ({ runId, instanceId }: Pick<Failure, 'runId' | 'instanceId'>): string =>
  instanceId.slice(runId.length);

/** Identifies a test within a run: the same in each run, and in each instance in which sources reported it. */
export const getPlaceInRun = (key: Pick<Failure, 'runId' | 'groupId' | 'spec' | 'testKey'>): string =>
  `${deriveInstanceId(key).slice(key.runId.length)}#${key.testKey}`;

/** Among those with the same mark. It equals the place, unless another source reported first. */
export const getRowPosition = (key: Pick<Failure, 'runId' | 'instanceId' | 'testKey'>): string =>
  `${getInstancePart(key)}#${key.testKey}`;

/** Of the same spec file and group in another run. */
export const deriveInstanceIdInRun = (
  { runId }: RunKey,
  { groupId, spec }: Pick<Failure, 'groupId' | 'spec'>,
): string => deriveInstanceId({ runId, groupId, spec });

export const failures: Entity<Omit<Failure, 'groupId' | 'spec' | 'traits' | 'expiresAt'>, Failure> & GoesWithRun = {
  type: 'failure',
  guarded: false,
  removal: {
    ends: 'results',
    ofRun: (run) => [getRunFailuresSpan(run)],
    ofInstance: (instance) => MARKS.map((mark) => getInstanceFailuresSpan(instance, mark)),
  },
  patterns: [
    { question: 'Failed, skipped and flaky tests of a run', sk: 'mark#instance#test' },
    { question: 'Failed, skipped or flaky tests of an instance', begins: 'mark#instance#' },
  ],
  key: (row) => ({ pk: getPartition(row), sk: composeKey(row.mark, getInstancePart(row), row.testKey) }),
  store: ({ groupId, spec, traits, expiresAt }) => ({ g: groupId, s: spec, c: traits, expiresAt }),
  load: (row) => {
    const { pk, sk, g, s, c, expiresAt } = loadAttributes<StoredFailure>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    const [letter, instancePart = '', testKey = ''] = sk.split('#');
    const mark = MARKS.find((one) => one === letter) ?? 'f';
    const key = { organizationId, runId, mark, instanceId: runId + instancePart, testKey };
    return { ...key, groupId: g, spec: s, traits: c, expiresAt };
  },
};

export const getRunFailuresSpan = (run: RunKey) => getPartitionSpan(getPartition(run));
export const getMarkedFailuresSpan = (run: RunKey, mark: Mark) => getPrefixSpan(getPartition(run), composePrefix(mark));
export const getInstanceFailuresSpan = (key: Pick<Failure, 'organizationId' | 'runId' | 'instanceId'>, mark: Mark) =>
  getPrefixSpan(getPartition(key), composePrefix(mark, getInstancePart(key)));

export function findFailureMark({ outcome, flaky }: CountedTest): Mark | undefined {
  if (outcome === 'failed') return 'f';
  if (outcome === 'skipped') return 's';
  return flaky ? 'y' : undefined;
}
