/** Names the current generation of the summaries of a span of time, and contains a digest of their content. */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { formatLeafKey } from './pending.ts';

/** Level 0 is a leaf of six hours. Each further level is four times as long as the level below. */
export interface SpanOfTime {
  /** The start of the span: the number of spans of the same length between the Unix epoch and this span. */
  readonly start: number;
  readonly level: number;
}

export interface SpanOfProject extends SpanOfTime, ProjectKey {}

/** Totals of tests, totals of spec files, failed and flaky executions, and the list of the groups of the runs. */
const SUMMARY_KINDS = ['tests', 'specs', 'events', 'index'] as const;
export type SummaryKind = (typeof SUMMARY_KINDS)[number];

/** The number of rows of a summary, and their total size in compressed bytes. */
export interface SummarySize {
  readonly parts: number;
  readonly bytes: number;
}

export interface SpanRoot extends SpanOfProject {
  readonly version: number;
  readonly generation: string;
  /** A digest of everything that the summaries contain. */
  readonly content: string;
  /** Creation times of the first and the last run, in epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** The sizes of the summaries that contain all runs of the span. */
  readonly sizes: Readonly<Record<SummaryKind, SummarySize>>;
  /** The number of entries. There is one entry for each group of each run. A span without entries has no summaries. */
  readonly entries: number;
}

export const countLeaves = (level: number): number => MODEL_LIMITS.spansPerLevel ** level;
const getFirstLeaf = ({ level, start }: SpanOfTime): number => start * countLeaves(level);

const getPartition = ({ organizationId, projectId }: ProjectKey) => composeKey('ROOTS', organizationId, projectId);

/** A query reads hundreds of root rows, so attribute names are short. */
interface StoredRoot {
  readonly pk: string;
  readonly l: number;
  readonly s: number;
  readonly v: number;
  readonly g: string;
  readonly c: string;
  readonly f: number;
  readonly t: number;
  readonly p: readonly number[];
  readonly b: readonly number[];
  readonly n: number;
}

export const spanRoots: Entity<SpanOfProject, SpanRoot> = {
  type: 'analytics root',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Which summaries are current', sk: 'first leaf#level' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey(formatLeafKey(getFirstLeaf(row)), String(row.level)) }),
  store: (root) => ({
    l: root.level,
    s: root.start,
    v: root.version,
    g: root.generation,
    c: root.content,
    f: root.from,
    t: root.to,
    p: SUMMARY_KINDS.map((kind) => root.sizes[kind].parts),
    b: SUMMARY_KINDS.map((kind) => root.sizes[kind].bytes),
    n: root.entries,
  }),
  load: (row) => {
    const { pk, l, s, v, g, c, f, t, p, b, n } = loadAttributes<StoredRoot>(row);
    const [, organizationId = '', projectId = ''] = pk.split('#');
    const of = { organizationId, projectId, level: l, start: s };
    return { ...of, version: v, generation: g, content: c, from: f, to: t, sizes: combineSizes(p, b), entries: n };
  },
};

/** Both lists are in the order of `SUMMARY_KINDS`. */
function combineSizes(parts: readonly number[], bytes: readonly number[]): SpanRoot['sizes'] {
  const sizeOf = (kind: SummaryKind): SummarySize => {
    const at = SUMMARY_KINDS.indexOf(kind);
    return { parts: parts[at] ?? 0, bytes: bytes[at] ?? 0 };
  };
  return { tests: sizeOf('tests'), specs: sizeOf('specs'), events: sizeOf('events'), index: sizeOf('index') };
}

export const NO_SUMMARY: SummarySize = { parts: 0, bytes: 0 };

export const expectUnchangedRoot = ({ version }: SpanRoot) => ({ path: 'v', equals: version });

/** Spans whose first leaf is between `first` and `last`, both inclusive. A leaf is a span of six hours. */
export const getRootsSpan = (project: ProjectKey, first: number, last: number): Span => ({
  pk: getPartition(project),
  from: formatLeafKey(first),
  to: `${composePrefix(formatLeafKey(last))}\u{10ffff}`,
});
