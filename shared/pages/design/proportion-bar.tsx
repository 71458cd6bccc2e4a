/** A bar that shows which part of the tests has which outcome. */
import type { Html } from '#shared/engine/html/html.ts';
import { type Counts, getOutcomeWord, listOutcomeCounts } from './outcome.tsx';

interface Props {
  readonly counts: Counts;
  /** The number of expected tests. Those without a result leave the end of the bar empty. Default: all have one. */
  readonly total?: number | undefined;
  readonly isSmall?: boolean;
}

/** In percent of the width. Thinner parts could not be seen. */
const LEAST_WIDTH = 1.2;
const GAP = 0.3;
const LEAST_VISIBLE_WIDTH = 0.6;
/** Sums of widths are not exact. */
const END = 99.99;

export function ProportionBar({ counts, total = 0, isSmall = false }: Props): Html {
  const outcomeCounts = listOutcomeCounts(counts);
  const sum = outcomeCounts.reduce((all, { count }) => all + count, 0);
  const wholeCount = Math.max(1, sum, total);
  const unreportedCount = wholeCount - sum;
  const widen = (count: number) => Math.max(LEAST_WIDTH, (count / wholeCount) * 100);
  const widths = outcomeCounts.map(({ count }) => widen(count));
  // Widened thin parts make the others narrower, so that the bar is exactly full.
  const scale =
    100 / [...widths, unreportedCount > 0 ? widen(unreportedCount) : 0].reduce((all, width) => all + width, 0);
  const parts = outcomeCounts.map(({ outcome, count }) => `${count} ${getOutcomeWord(outcome)}`);
  const label = [...parts, ...(sum > 0 && unreportedCount > 0 ? [`${unreportedCount} without a result`] : [])].join(
    ', ',
  );
  let x = 0;
  return (
    <svg class={isSmall ? 'proportion small' : 'proportion'} role="img" aria-label={label || 'no results yet'}>
      {outcomeCounts.map(({ outcome }, index) => {
        const width = (widths[index] ?? 0) * scale;
        const start = x;
        x += width;
        const gap = x < END ? GAP : 0;
        return (
          <rect
            class={outcome}
            x={`${start.toFixed(2)}%`}
            width={`${Math.max(LEAST_VISIBLE_WIDTH, width - gap).toFixed(2)}%`}
            height="8"
            rx="1.5"
          />
        );
      })}
      {x < END && <rect x={`${x.toFixed(2)}%`} width="100%" height="8" />}
    </svg>
  );
}
