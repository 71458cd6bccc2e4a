/** The spec files that fail most, over time. */
import { deriveSpecSignature } from '#shared/model/ids.ts';
import { compareTexts } from '#shared/results/contains.ts';
import type { AnalyticsScope, Occurrence, Period } from '../read-model.ts';
import { findBucketStart, listBucketStarts } from './buckets.ts';

export interface FileFailures {
  readonly specSignature: string;
  readonly specFile: string;
  readonly count: number;
  /** By the start of each day. */
  readonly days: readonly { readonly at: number; readonly value: number }[];
}

/** The spec files with the most failed and flaky executions, and their numbers on each day of the period. */
export function listFailuresByFile(
  scope: AnalyticsScope,
  occurrences: readonly Pick<Occurrence, 'specFile' | 'createdAt'>[],
  { period, most }: { readonly period: Period; readonly most: number },
): FileFailures[] {
  const days = listBucketStarts(period, '1d');
  return [...Map.groupBy(occurrences, ({ specFile }) => specFile)]
    .sort(([one, its], [other, others]) => others.length - its.length || compareTexts(one, other))
    .slice(0, most)
    .map(([specFile, all]) => {
      const byDay = Map.groupBy(all, ({ createdAt }) => findBucketStart(createdAt, '1d'));
      return {
        specSignature: deriveSpecSignature({ ...scope, spec: specFile }),
        specFile,
        count: all.length,
        days: days.map((at) => ({ at, value: byDay.get(at)?.length ?? 0 })),
      };
    });
}
