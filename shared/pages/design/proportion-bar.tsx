/** A bar that shows which part of the tests has which outcome. */
import type { Html } from '#shared/engine/html/html.ts';
import { type Counts, getOutcomeWord, listOutcomeCounts } from './outcome.tsx';

interface Props {
  readonly counts: Counts;
  /** The number of tests of the run: in progress, it may be more than the sum of the counts. Default: that sum. */
  readonly total?: number | undefined;
  readonly isSmall?: boolean;
}

/** In percent of the width. Thinner parts could not be seen. */
const LEAST_WIDTH = 1.2;
const GAP = 0.3;
const LEAST_VISIBLE_WIDTH = 0.6;

export function ProportionBar({ counts, total = 0, isSmall = false }: Props): Html {
  const outcomeCounts = listOutcomeCounts(counts);
  const sum = outcomeCounts.reduce((all, { count }) => all + count, 0);
  const whole = Math.max(1, sum, total);
  const widths = outcomeCounts.map(({ count }) => Math.max(LEAST_WIDTH, (count / whole) * 100));
  // Widened thin parts make the others narrower, so that a complete bar is exactly full.
  const isComplete = sum >= whole;
  const scale = isComplete ? 100 / widths.reduce((all, width) => all + width, 0) : 1;
  const label = outcomeCounts.map(({ outcome, count }) => `${count} ${getOutcomeWord(outcome)}`).join(', ');
  let x = 0;
  return (
    <svg class={isSmall ? 'proportion small' : 'proportion'} role="img" aria-label={label || 'no results yet'}>
      <rect x="0" width="100%" height="8" />
      {outcomeCounts.map(({ outcome }, index) => {
        const width = (widths[index] ?? 0) * scale;
        const start = x;
        x += width;
        return (
          <rect
            class={outcome}
            x={`${start.toFixed(2)}%`}
            width={`${Math.max(LEAST_VISIBLE_WIDTH, width - GAP).toFixed(2)}%`}
            height="8"
            rx="1.5"
          />
        );
      })}
    </svg>
  );
}
