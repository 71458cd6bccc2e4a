/** Determines which summaries are current, and which of them cover a period. */
import { computeDigest } from '#shared/engine/table/keys.ts';
import { getLeaf } from '#shared/model/analytics/pending.ts';
import { countLeaves, type SpanOfTime, type SpanRoot } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { Period } from './read-model.ts';

/** The content digest of a span without runs. */
export const NOTHING = '-';

const CONTENT_CHARACTERS = 16;

export const listChildSpans = ({ level, start }: SpanOfTime): SpanOfTime[] =>
  Array.from({ length: MODEL_LIMITS.spansPerLevel }, (_, place) => ({
    level: level - 1,
    start: start * MODEL_LIMITS.spansPerLevel + place,
  }));

export const computeChildrenContent = (contents: readonly string[]): string =>
  computeDigest(CONTENT_CHARACTERS, ...contents);

/** Extended to whole days, so that the root rows of days and of the leaf spans in them are read together. */
export function findLeafRange({ from, to }: Period): { readonly first: number; readonly last: number } {
  const day = MODEL_LIMITS.spansPerLevel;
  return {
    first: Math.floor(getLeaf(from) / day) * day,
    last: Math.floor(getLeaf(to - 1) / day) * day + day - 1,
  };
}

export interface Cover {
  /** Time spans whose runs were all created in the period. */
  readonly whole: readonly SpanRoot[];
  /** Leaf spans that have runs outside the period, and may have runs inside it. */
  readonly partial: readonly SpanRoot[];
}

export class SpanTree {
  readonly #roots: ReadonlyMap<string, SpanRoot>;
  readonly #contents = new Map<string, string | undefined>();

  constructor(roots: readonly SpanRoot[]) {
    this.#roots = new Map(roots.map((root) => [toSpanKey(root), root]));
  }

  rootOf(span: SpanOfTime): SpanRoot | undefined {
    return this.#roots.get(toSpanKey(span));
  }

  /** `undefined`: the children must be read instead, because a span without a current summary may have runs. */
  contentOf(span: SpanOfTime): string | undefined {
    const name = toSpanKey(span);
    if (!this.#contents.has(name)) this.#contents.set(name, this.#computed(span));
    return this.#contents.get(name);
  }

  /** Finds the fewest spans that cover the period. None of the spans is above `level`. */
  cover(period: Period, level: number = ANALYTICS_LIMITS.levels): Cover {
    const cover = { whole: [] as SpanRoot[], partial: [] as SpanRoot[] };
    const first = Math.floor(getLeaf(period.from) / countLeaves(level));
    const last = Math.floor(getLeaf(period.to - 1) / countLeaves(level));
    for (let start = first; start <= last; start += 1) this.#visit({ level, start }, period, cover);
    return cover;
  }

  #computed(span: SpanOfTime): string | undefined {
    const root = this.rootOf(span);
    if (span.level === 0) return root && root.entries > 0 ? root.content : NOTHING;
    const contents = listChildSpans(span).map((child) => this.contentOf(child));
    if (contents.every((content) => content === NOTHING)) return NOTHING;
    const currentContents = contents.flatMap((content) => content ?? []);
    if (currentContents.length < contents.length || !root) return undefined;
    return root.content === computeChildrenContent(currentContents) ? root.content : undefined;
  }

  #visit(span: SpanOfTime, period: Period, cover: { whole: SpanRoot[]; partial: SpanRoot[] }): void {
    const firstLeaf = span.start * countLeaves(span.level);
    const length = countLeaves(span.level);
    if (firstLeaf > getLeaf(period.to - 1) || firstLeaf + length <= getLeaf(period.from)) return;
    const content = this.contentOf(span);
    if (content === NOTHING) return;
    const root = content === undefined ? undefined : this.rootOf(span);
    if (root && (root.to < period.from || root.from >= period.to)) return;
    if (root && root.from >= period.from && root.to < period.to) cover.whole.push(root);
    else if (root && span.level === 0) cover.partial.push(root);
    else for (const child of listChildSpans(span)) this.#visit(child, period, cover);
  }
}

const toSpanKey = ({ level, start }: SpanOfTime): string => `${level} ${start}`;
