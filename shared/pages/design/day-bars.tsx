/** Small bar chart with one bar per day. For screen readers, its label contains the same information. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount, formatDate } from './format.tsx';

interface Props {
  /** The name of the counted events, such as `Occurrences`. */
  readonly title: string;
  /** The start of each day in epoch milliseconds, with its value. */
  readonly days: readonly { readonly at: number; readonly value: number }[];
  readonly tone?: 'failed' | 'flaky';
}

const WIDTH = 6;
const HEIGHT = 24;

export function DayBars({ title, days, tone = 'failed' }: Props): Html {
  const highest = Math.max(...days.map(({ value }) => value), 1);
  const label = days
    .flatMap(({ at, value }) => (value > 0 ? `${formatCount(value)} on ${formatDate(at)}` : []))
    .join(', ');
  const height = (value: number) => (value === 0 ? 1 : Math.max(3, (value / highest) * HEIGHT));
  return (
    <svg
      viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT}`}
      width={days.length * WIDTH}
      height={HEIGHT}
      class="bars"
      role="img"
      aria-label={`${title} per day: ${label || 'none'}`}
    >
      {days.map(({ value }, index) => (
        <rect
          x={index * WIDTH}
          y={(HEIGHT - height(value)).toFixed(1)}
          width={WIDTH - 1}
          height={height(value).toFixed(1)}
          class={tone}
        />
      ))}
    </svg>
  );
}
