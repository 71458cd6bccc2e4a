/** The dates below a plot, each centered below its bucket. */
import type { Html } from '#shared/engine/html/html.ts';

/** More dates than this would touch each other on a phone. */
const MOST_DATES = 6;
const AXIS_HEIGHT = 18;

/** A place or a width in a plot, as a share of its width. */
export const formatPercent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** The newest date is always named, and others in equal distances. `ticks`: a text for each bucket, or an empty text. */
export function TimeAxis({ ticks }: { readonly ticks: readonly string[] }): Html {
  const places = ticks.flatMap((tick, index) => (tick === '' ? [] : [index])).reverse();
  const every = Math.max(1, Math.ceil(places.length / MOST_DATES));
  return (
    <svg class="chart axis" height={AXIS_HEIGHT} aria-hidden="true">
      {places
        .filter((_, rank) => rank % every === 0)
        .map((index) => (
          <text x={formatPercent((index + 0.5) / ticks.length)} y={AXIS_HEIGHT - 4} text-anchor="middle">
            {ticks[index]}
          </text>
        ))}
    </svg>
  );
}
