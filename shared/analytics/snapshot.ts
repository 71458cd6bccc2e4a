/** The current summaries and pending runs of a period. */

import { invalidRequest, refuse } from '#shared/engine/errors.ts';
import { leafOf } from '#shared/model/analytics-pending.ts';
import { rootsSpan, type SpanRoot, spanRoots } from '#shared/model/analytics-root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { currentEpoch } from './editions.ts';
import type { Entry } from './entry.ts';
import type { Edition } from './facts-reader.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { entriesOf, isWithin, newestOfRuns, oldestOfLeaves, readPending } from './pending-entries.ts';
import type { AnalyticsScope, Period } from './read-model.ts';
import { readIndexes } from './span-index.ts';
import { leavesOf, SpanTree } from './span-tree.ts';

export interface Snapshot {
  readonly edition: Edition;
  /** Spans all of whose runs are in the period. */
  readonly whole: readonly SpanRoot[];
  /** Leaves with runs inside and outside of the period. */
  readonly partial: readonly SpanRoot[];
  /** Run-groups of the period that no summary contains. */
  readonly pending: readonly Entry[];
}

const DAY = 24 * 3_600_000;

export async function takeSnapshot(
  services: Pick<CoreServices, 'table'>,
  { scope: { organizationId, projectId }, period }: { readonly scope: AnalyticsScope; readonly period: Period },
): Promise<Snapshot> {
  if (period.to - period.from > ANALYTICS_LIMITS.days * DAY)
    refuse(invalidRequest(`The dates are more than ${ANALYTICS_LIMITS.days} days apart. Send a shorter range`));
  const scope = { organizationId, projectId };
  const edition = { scope, epoch: await currentEpoch(services, scope) };
  if (period.to <= period.from) return { edition, whole: [], partial: [], pending: [] };
  // A merge deletes the pending row after it wrote the root. So this order sees each run at least once.
  const rows = await readPending(services, scope, period);
  const { first, last } = leavesOf(period);
  const span = rootsSpan({ ...scope, epoch: edition.epoch }, first, last);
  const tree = new SpanTree(await services.table.queryAll(spanRoots, span, { consistent: true }));
  const pending = entriesOf(newestOfRuns(rows)).filter((entry) => isWithin(period, entry));
  return { edition, ...tree.cover(period), pending: await withoutMerged(services, tree, pending) };
}

/** A run that its leaf contains is merged, or its correction waits for the merge. */
async function withoutMerged(
  services: Pick<CoreServices, 'table'>,
  tree: SpanTree,
  pending: readonly Entry[],
): Promise<readonly Entry[]> {
  const leaves = new Set(pending.map(({ createdAt }) => leafOf(createdAt)));
  const roots = [...leaves].flatMap((start) => tree.rootOf({ level: 0, start }) ?? []);
  const indexes = await readIndexes(
    services,
    roots.filter(({ entries }) => entries > 0),
  );
  const merged = new Set(indexes.flatMap(({ entries }) => entries.map(nameOf)));
  return oldestOfLeaves(pending.filter((entry) => !merged.has(nameOf(entry))));
}

/** A build that was deleted and recorded again has the same run id. */
const nameOf = ({ runId, createdAt }: Entry): string =>
  `${runId} ${Math.floor(createdAt / MODEL_LIMITS.leafMilliseconds)}`;
