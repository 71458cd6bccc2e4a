/**
 * Numbers over time as stacked bars or as a line. Widths are in percent and heights in pixels, so that text keeps its
 * size in every window. A table below the chart contains the same numbers.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers } from './data-table.tsx';
import { formatCount, toSentenceCase } from './format.tsx';

interface Series {
  readonly name: string;
  /** An outcome, or one of the neutral colors `c1` to `c5`. */
  readonly tone: string;
}

interface Bucket {
  /** The time of the bucket as text, such as `21 Nov`. */
  readonly name: string;
  /** One entry for each series: a number, or `null` if the series has no number in this bucket. */
  readonly values: readonly (number | null)[];
  readonly href?: string | undefined;
}

interface Props {
  /** What the chart shows, for screen readers and the table. */
  readonly label: string;
  /** Stacked from bottom to top. */
  readonly series: readonly Series[];
  /** Oldest first. */
  readonly buckets: readonly Bucket[];
  readonly kind?: 'bars' | 'line';
  readonly textOf?: (value: number) => string;
}

const HEIGHT = 148;
const TOP = 16;
/** The share of a bucket's width that its bar fills. */
const FILL = 0.6;
const LABELS = 5;

export function TimeChart({ label, series, buckets, kind = 'bars', textOf = formatCount }: Props): Html {
  const sums = buckets.map(({ values }) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  const top = pickAxisEnd(Math.max(...sums, 0));
  const every = Math.max(1, Math.ceil(buckets.length / LABELS));
  return (
    <figure>
      {series.length > 1 && (
        <figcaption class="legend">
          {series.map(({ name, tone }) => (
            <span class={tone}>{name}</span>
          ))}
        </figcaption>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of links in an SVG, where no HTML element can be used */}
      <svg class="chart" height={HEIGHT + TOP + 1} role="group" aria-label={label}>
        {[0, 0.5, 1].map((share) => (
          <line class="grid" x1="0" x2="100%" y1={computeY(share)} y2={computeY(share)} />
        ))}
        {buckets.map((bucket, index) => (
          <Column bucket={bucket} index={index} of={buckets.length} {...{ series, top, kind, textOf }} />
        ))}
        {kind === 'line' && <Line buckets={buckets} top={top} tone={series[0]?.tone ?? 'c1'} />}
        {/* After the bars, because the last bar may be below a label. */}
        {[0.5, 1].map((share) => (
          <text class="tick" x="100%" y={computeY(share) - 4} text-anchor="end">
            {textOf(top * share)}
          </text>
        ))}
      </svg>
      <p class="axis" aria-hidden="true">
        {buckets
          .filter((_, index) => index % every === 0 || index === buckets.length - 1)
          .map(({ name }) => (
            <span>{name}</span>
          ))}
      </p>
      <Numbers {...{ label, series, buckets, textOf }} />
    </figure>
  );
}

const computeY = (share: number): number => TOP + Math.round((1 - share) * HEIGHT);

/** The upper end of the vertical axis: a round number that is not smaller than the largest value. */
function pickAxisEnd(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 4, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}

interface ColumnProps extends Required<Pick<Props, 'series' | 'kind' | 'textOf'>> {
  readonly bucket: Bucket;
  readonly index: number;
  readonly of: number;
  readonly top: number;
}

const formatPercent = (share: number): string => `${(share * 100).toFixed(2)}%`;

function Column({ bucket, index, of, series, top, kind, textOf }: ColumnProps): Html {
  const title = `${bucket.name}: ${series
    .map(({ name }, at) => `${formatValue(bucket.values[at] ?? null, textOf)} ${name}`)
    .join(', ')}`;
  let y = computeY(0);
  const bars = bucket.values.map((value, at) => {
    const height = Math.round(((value ?? 0) / top) * HEIGHT);
    if (height === 0) return undefined;
    y -= height;
    return (
      <rect
        class={series[at]?.tone}
        x={formatPercent((index + (1 - FILL) / 2) / of)}
        y={y}
        width={formatPercent(FILL / of)}
        height={Math.max(1, height - 1)}
        rx="2"
      />
    );
  });
  const marks = (
    <>
      <title>{title}</title>
      <rect class="hit" x={formatPercent(index / of)} y={TOP} width={formatPercent(1 / of)} height={HEIGHT} />
      {kind === 'bars' && bars}
    </>
  );
  // The links in the chart cannot be reached with the Tab key, because the table contains the same links.
  return bucket.href === undefined ? (
    <g>{marks}</g>
  ) : (
    <a href={bucket.href} tabindex={-1} aria-label={title}>
      {marks}
    </a>
  );
}

const Line = ({
  buckets,
  top,
  tone,
}: Pick<Props, 'buckets'> & { readonly top: number; readonly tone: string }): Html => {
  const points = buckets.flatMap(({ values: [value] }, index) =>
    value == null ? [] : [{ x: formatPercent((index + 0.5) / buckets.length), y: computeY(value / top) }],
  );
  return (
    <g class={tone}>
      {points.map(({ x, y }, index) => {
        const before = points[index - 1];
        return (
          <>
            {before && <line class="path" x1={before.x} y1={before.y} x2={x} y2={y} />}
            <circle cx={x} cy={y} r="3" />
          </>
        );
      })}
    </g>
  );
};

const formatValue = (value: number | null, textOf: (value: number) => string): string =>
  value === null ? 'none' : textOf(value);

const Numbers = ({
  label,
  series,
  buckets,
  textOf,
}: Required<Pick<Props, 'label' | 'series' | 'buckets' | 'textOf'>>): Html => (
  <details>
    <summary>As a table</summary>
    <DataTable
      label={`${label} as a table`}
      columns={['When', ...numbers(...series.map(({ name }) => toSentenceCase(name)))]}
    >
      {buckets.map(({ name, values, href }) => (
        <tr>
          <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
          {values.map((value) => (
            <td class="number">{formatValue(value, textOf)}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  </details>
);
