/**
 * Summaries of a span of time in the read model. Immutable: the root row of the span names the current generation.
 * Access pattern: by span, generation and cut. A cut is a set of groups of runs.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { type Part, partKey, splitParts } from '#shared/engine/table/parts.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { SpanOfProject, SummaryKind } from './root.ts';

export interface SummaryOf extends SpanOfProject {
  readonly generation: string;
  readonly kind: SummaryKind;
  /** The key of the set of groups that the summary covers. `0` stands for all groups of all runs in the span. */
  readonly cut: string;
}

export type SummaryPart = SummaryOf & Part;

const partition = ({ organizationId, projectId, level, start }: SpanOfProject) =>
  composed('SPAN', organizationId, projectId, String(level), String(start));

export const summaryParts: Entity<SummaryOf & Pick<SummaryPart, 'part'>, SummaryPart> = {
  type: 'analytics summary',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'Totals of the runs of a span of time',
      key: 'pk = SPAN#org#project#level#start, sk = generation#kind#cut#part',
    },
  ],
  key: (of) => ({ pk: partition(of), sk: composed(of.generation, of.kind, of.cut, partKey(of.part)) }),
  store: attributesOf,
  load: stored,
};

export const generationSpan = (of: SpanOfProject & { readonly generation: string }) =>
  beginningWith(partition(of), prefix(of.generation));

export const splitSummary = (of: SummaryOf, value: object): SummaryPart[] =>
  splitParts(value, 0).map((part) => ({ ...part, ...of }));
