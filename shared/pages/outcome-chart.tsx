/** Failed, flaky and other outcomes over time, stacked. Passed ones would hide them, so they stand in the table only. */
import type { Html } from '#shared/engine/html/html.ts';
import { countText } from './format.tsx';
import { type Outcome, signOf } from './outcome.tsx';

interface Props {
  readonly caption: string;
  /** The stacked outcomes, from the bottom, each with its name. */
  readonly parts: readonly { readonly outcome: Outcome; readonly name: string }[];
  /** Oldest first. One number for each part. */
  readonly buckets: readonly { readonly values: readonly number[] }[];
}

const WIDTH = 640;
const HEIGHT = 120;
const GAP = 2;

export function OutcomeChart({ caption, parts, buckets }: Props): Html {
  const totals = buckets.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const highest = Math.max(1, ...totals);
  const step = WIDTH / Math.max(1, buckets.length);
  return (
    <figure>
      <figcaption>
        {caption}, at most {countText(highest)}. {legendOf(parts)}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
        <line class="pending" x1={0} y1={HEIGHT} x2={WIDTH} y2={HEIGHT} stroke="currentColor" />
        {buckets.map(({ values }, index) => (
          <Stack parts={parts} values={values} x={index * step} width={Math.max(1, step - GAP)} highest={highest} />
        ))}
      </svg>
    </figure>
  );
}

const legendOf = (parts: Props['parts']): string =>
  parts.map(({ outcome, name }, index) => `${signOf(outcome)} ${name}${index === 0 ? ' (filled)' : ''}`).join(', ');

interface StackProps {
  readonly parts: Props['parts'];
  readonly values: readonly number[];
  readonly x: number;
  readonly width: number;
  readonly highest: number;
}

/** The first part is filled and the others are hollow, so that colour alone tells nothing. */
function Stack({ parts, values, x, width, highest }: StackProps): Html {
  let bottom = HEIGHT;
  const bars = parts.map(({ outcome }, index) => {
    const height = ((values[index] ?? 0) / highest) * (HEIGHT - GAP);
    bottom -= height;
    return { outcome, height, y: bottom, isFilled: index === 0 };
  });
  return (
    <g>
      {bars
        .filter(({ height }) => height > 0)
        .map(({ outcome, height, y, isFilled }) => (
          <rect
            class={outcome}
            x={(x + 1).toFixed(1)}
            y={(y + 1).toFixed(1)}
            width={width.toFixed(1)}
            height={Math.max(1, height - 2).toFixed(1)}
            fill={isFilled ? 'currentColor' : 'none'}
            stroke="currentColor"
          />
        ))}
    </g>
  );
}
