/** Summaries of a span of time, each of a cut: a set of groups of runs. Immutable: the root names the current ones. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { formatPartKey, type Part, splitParts } from '#shared/engine/table/parts.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { SpanOfProject, SummaryKind } from './root.ts';

export interface SummaryOf extends SpanOfProject {
  readonly generation: string;
  readonly kind: SummaryKind;
  /** The key of the set of groups that the summary covers. `0` stands for all groups of all runs in the span. */
  readonly cut: string;
}

export type SummaryPart = SummaryOf & Part;

const getPartition = ({ organizationId, projectId, level, start }: SpanOfProject) =>
  composeKey('SPAN', organizationId, projectId, String(level), String(start));

export const summaryParts: Entity<SummaryOf & Pick<SummaryPart, 'part'>, SummaryPart> = {
  type: 'analytics summary',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Totals of the runs of a span of time' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey(row.generation, row.kind, row.cut, formatPartKey(row.part)) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getGenerationSpan = (key: SpanOfProject & { readonly generation: string }) =>
  getPrefixSpan(getPartition(key), composePrefix(key.generation));

export const splitSummary = (key: SummaryOf, value: object): SummaryPart[] =>
  splitParts(value, 0).map((part) => ({ ...part, ...key }));
