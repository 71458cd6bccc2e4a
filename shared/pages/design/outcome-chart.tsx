/** Stacked bars of outcomes over time. Passed tests would dwarf all others, so only the table shows them. */
import type { Html } from '#shared/engine/html/html.ts';
import { ChartAxis } from './chart-axis.tsx';
import { DataTable, numbers } from './data-table.tsx';
import { countText } from './format.tsx';
import type { ShownOutcome } from './outcome.tsx';

interface Props {
  readonly caption: string;
  /** The outcomes to stack, from bottom to top. */
  readonly parts: readonly { readonly outcome: ShownOutcome; readonly name: string }[];
  /** Oldest first. */
  readonly buckets: readonly Bucket[];
}

interface Bucket {
  /** The start of the bucket, formatted. */
  readonly name: string;
  /** One number for each part. */
  readonly values: readonly number[];
}

const WIDTH = 640;
const HEIGHT = 120;
const GAP = 2;
const PALE = 0.25;

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
        {buckets.map((bucket, index) => (
          <Stack parts={parts} {...bucket} x={index * step} width={Math.max(1, step - GAP)} highest={highest} />
        ))}
      </svg>
      <ChartAxis first={buckets[0]?.name} last={buckets.at(-1)?.name} />
      <Numbers caption={caption} parts={parts} buckets={buckets} />
    </figure>
  );
}

const legendOf = (parts: Props['parts']): string =>
  parts.map(({ name }, index) => `${name}${index === 0 ? ' (filled)' : ''}`).join(', ');

const Numbers = ({ caption, parts, buckets }: Props): Html => (
  <details>
    <summary>As a table</summary>
    <DataTable label={`${caption} as a table`} caption={caption} columns={['From', ...numbers(...namesOf(parts))]}>
      {buckets.map(({ name, values }) => (
        <tr>
          <th scope="row">{name}</th>
          {values.map((value) => (
            <td class="number">{countText(value)}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  </details>
);

const namesOf = (parts: Props['parts']): string[] =>
  parts.map(({ name }) => name.charAt(0).toUpperCase() + name.slice(1));

interface StackProps extends Bucket {
  readonly parts: Props['parts'];
  readonly x: number;
  readonly width: number;
  readonly highest: number;
}

/** The first part is filled, the others are pale with an outline, so that they differ in more than colour. */
function Stack({ name, parts, values, x, width, highest }: StackProps): Html {
  let bottom = HEIGHT;
  const bars = parts.map(({ outcome }, index) => {
    const height = ((values[index] ?? 0) / highest) * (HEIGHT - GAP);
    bottom -= height;
    return { outcome, height, y: bottom, isFilled: index === 0 };
  });
  return (
    <g>
      <title>{`${name}: ${parts.map((part, index) => `${values[index] ?? 0} ${part.name}`).join(', ')}`}</title>
      {bars
        .filter(({ height }) => height > 0)
        .map(({ outcome, height, y, isFilled }) => (
          <rect
            class={outcome}
            x={(x + 1).toFixed(1)}
            y={(y + 1).toFixed(1)}
            width={width.toFixed(1)}
            height={Math.max(1, height - 2).toFixed(1)}
            fill="currentColor"
            fill-opacity={isFilled ? 1 : PALE}
            stroke="currentColor"
          />
        ))}
    </g>
  );
}
