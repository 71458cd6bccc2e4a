/** All occurrences of one error, by day and by test. */
import type { Occurrence, Period } from '../read-model.ts';
import { findBucketStart, listBucketStarts } from './buckets.ts';
import { METRIC_LIMITS } from './limits.ts';
import { sortRows } from './order.ts';

/** The values that identify an error. */
export type ErrorKeys = Pick<Occurrence, 'message' | 'target' | 'action' | 'category'>;

interface ClusterTest extends Pick<Occurrence, 'signature' | 'title' | 'specFile'> {
  readonly count: number;
  /** The latest occurrence of the error in this test. */
  readonly last: Pick<Occurrence, 'runId' | 'branch' | 'createdAt'>;
}

export interface ErrorCluster extends ErrorKeys {
  readonly count: number;
  readonly firstSeen: number;
  /** The run with the first occurrence in the period. */
  readonly firstRunId: string;
  readonly lastSeen: number;
  readonly days: readonly { readonly at: number; readonly value: number }[];
  /** At most one page of tests in which the error occurred. Tests with the most occurrences come first. */
  readonly tests: readonly ClusterTest[];
  /** The number of further tests that are not listed in `tests`. */
  readonly hidden: number;
  readonly branches: readonly { readonly branch: string | null; readonly count: number }[];
}

/** Returns `undefined` if the error did not occur. */
export function buildErrorCluster(
  occurrences: readonly Occurrence[],
  keys: ErrorKeys,
  period: Period,
): ErrorCluster | undefined {
  const matchingOccurrences = occurrences
    .filter(
      ({ message, target, action, category }) =>
        message === keys.message && target === keys.target && action === keys.action && category === keys.category,
    )
    .toSorted((one, other) => other.createdAt - one.createdAt || (one.runId < other.runId ? -1 : 1));
  const last = matchingOccurrences[0];
  const first = matchingOccurrences.at(-1);
  if (!last || !first) return undefined;
  const days = Map.groupBy(matchingOccurrences, ({ createdAt }) => findBucketStart(createdAt, '1d'));
  const tests = listClusterTests(matchingOccurrences);
  const { default: limit } = METRIC_LIMITS.page;
  return {
    ...keys,
    count: matchingOccurrences.length,
    firstSeen: first.createdAt,
    firstRunId: first.runId,
    lastSeen: last.createdAt,
    days: listBucketStarts(period, '1d').map((at) => ({ at, value: days.get(at)?.length ?? 0 })),
    tests: tests.slice(0, limit),
    hidden: Math.max(0, tests.length - limit),
    branches: sortRows(
      [...Map.groupBy(matchingOccurrences, ({ branch }) => branch)].map(([branch, all]) => ({
        branch,
        count: all.length,
      })),
      { by: ({ count }) => count, direction: 'desc', thenBy: [({ branch }) => branch] },
    ),
  };
}

/** The occurrences must be sorted newest first, so that the first one in each test is the latest. */
function listClusterTests(occurrences: readonly Occurrence[]): ClusterTest[] {
  const tests = [...Map.groupBy(occurrences, ({ signature }) => signature).values()].flatMap(
    (testOccurrences): ClusterTest[] => {
      const [last] = testOccurrences;
      return last
        ? [
            {
              signature: last.signature,
              title: last.title,
              specFile: last.specFile,
              count: testOccurrences.length,
              last,
            },
          ]
        : [];
    },
  );
  const joinTitle = ({ title }: ClusterTest) => title.join(' > ');
  const thenBy = [joinTitle, ({ signature }: ClusterTest) => signature];
  return sortRows(tests, { by: ({ count }) => count, direction: 'desc', thenBy });
}
