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
  key: (of) => ({ pk: getPartition(of), sk: composeKey(of.generation, of.kind, of.cut, formatPartKey(of.part)) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getGenerationSpan = (of: SpanOfProject & { readonly generation: string }) =>
  getPrefixSpan(getPartition(of), composePrefix(of.generation));

export const splitSummary = (of: SummaryOf, value: object): SummaryPart[] =>
  splitParts(value, 0).map((part) => ({ ...part, ...of }));
