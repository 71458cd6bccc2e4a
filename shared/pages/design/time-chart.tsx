/**
 * Numbers over time as stacked bars or as lines. Widths are in percent and heights in pixels, so that text keeps its
 * size in every window. The plot is as wide as its buckets: values stand left of it, and dates below it, each centered
 * below its bucket. A table below the chart contains the same numbers.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers } from './data-table.tsx';
import { formatCount, formatTick, toSentenceCase } from './format.tsx';
import { COUNT_STEPS, DURATION_STEPS, listTicks } from './ticks.ts';
import { formatPercent, TimeAxis } from './time-axis.tsx';

interface Series {
  readonly name: string;
  /** An outcome, or one of the neutral colors `c1` to `c5`. */
  readonly tone: string;
  /** A line for comparison, which is drawn thin and dashed. */
  readonly isFaint?: boolean;
}

interface Bucket {
  /** The time of the bucket as text, such as `21 Nov`. */
  readonly name: string;
  /** A short text for the axis, if `name` is too long. Empty if the axis must not name this bucket. */
  readonly tick?: string | undefined;
  /** One entry for each series: a number, or `null` if the series has no number in this bucket. */
  readonly values: readonly (number | null)[];
  readonly href?: string | undefined;
}

/** An event in time, such as a release. */
interface ChartMark {
  readonly name: string;
  /** From 0 at the start of the first bucket to 1 at the end of the last one. */
  readonly at: number;
}

interface Props {
  /** What the chart shows, for screen readers and the table. */
  readonly label: string;
  /** Bars are stacked from bottom to top. */
  readonly series: readonly Series[];
  /** Oldest first. */
  readonly buckets: readonly Bucket[];
  readonly kind?: 'bars' | 'line';
  /** Durations in milliseconds instead of counts. */
  readonly isDuration?: boolean;
  readonly textOf?: (value: number) => string;
  readonly marks?: readonly ChartMark[];
}

const HEIGHT = 148;
const TOP = 16;

/** The share of a bucket's width that its bar fills. */
const FILL = 0.6;
/** The widest bar, as a share of the chart. */
const WIDEST = 0.06;

export function TimeChart(props: Props): Html {
  const { label, series, buckets, kind = 'bars', isDuration = false, textOf = formatCount, marks = [] } = props;
  const highest = kind === 'bars' ? findHighestBar(buckets) : findHighestUsual(buckets);
  const ticks = listTicks(highest, isDuration ? DURATION_STEPS : COUNT_STEPS);
  const top = ticks.at(-1) ?? 1;
  const tickTexts = ticks.map((tick) => (isDuration ? formatTick(tick) : textOf(tick)));
  const width = Math.max(...tickTexts.map(({ length }) => length)) * CHARACTER_WIDTH + VALUE_GAP;
  return (
    <figure>
      {(series.length > 1 || marks.length > 0) && (
        <figcaption class="legend">
          {series.map(({ name, tone, isFaint }) => (
            <span class={isFaint ? `${tone} faint` : tone}>{name}</span>
          ))}
          {marks.length > 0 && <span class="moment">release</span>}
        </figcaption>
      )}
      <div class="plot">
        <svg class="chart" width={width} height={HEIGHT + TOP + 1} aria-hidden="true">
          {ticks.map((tick, index) => (
            <text class="tick" x={width - VALUE_GAP} y={computeY(tick / top) + 4} text-anchor="end">
              {tickTexts[index]}
            </text>
          ))}
        </svg>
        {/* biome-ignore lint/a11y/useSemanticElements: a group of links in an SVG, where no HTML element can be used */}
        <svg class="chart" height={HEIGHT + TOP + 1} role="group" aria-label={label}>
          {ticks.map((tick) => (
            <line class="grid" x1="0" x2="100%" y1={computeY(tick / top)} y2={computeY(tick / top)} />
          ))}
          {buckets.map((bucket, index) => (
            <Column bucket={bucket} index={index} count={buckets.length} {...{ series, top, kind, textOf }} />
          ))}
          {kind === 'line' && series.map((one, index) => <Line {...{ buckets, top, index }} series={one} />)}
          {buckets.map((bucket, index) => (
            <Outlier bucket={bucket} at={(index + 0.5) / buckets.length} {...{ top, textOf }} />
          ))}
          {marks.map((mark) => (
            <Mark mark={mark} />
          ))}
        </svg>
        <TimeAxis ticks={buckets.map(({ name, tick = name }) => tick)} />
      </div>
      <Numbers {...{ label, series, buckets, textOf }} />
    </figure>
  );
}

const CHARACTER_WIDTH = 6.5;
const VALUE_GAP = 8;

const findHighestBar = (buckets: readonly Bucket[]): number =>
  Math.max(0, ...buckets.map(({ values }) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)));

/** A value above this multiple of the upper quartile is an outlier. */
const OUTLIER_FACTOR = 6;

/** The highest value without outliers: the axis ends there, because one outlier would flatten all other values. */
function findHighestUsual(buckets: readonly Bucket[]): number {
  const values = buckets
    .flatMap((bucket) => bucket.values)
    .filter((value) => value !== null)
    .toSorted((a, b) => a - b);
  const upperQuartile = values[Math.floor((values.length - 1) * 0.75)] ?? 0;
  const usualValues = values.filter((value) => upperQuartile === 0 || value <= OUTLIER_FACTOR * upperQuartile);
  return usualValues.at(-1) ?? 0;
}

/** A share above 1 belongs to an outlier, which is drawn at the upper end. */
const computeY = (share: number): number => TOP + Math.round((1 - Math.min(share, 1)) * HEIGHT);

interface ColumnProps extends Required<Pick<Props, 'series' | 'kind' | 'textOf'>> {
  readonly bucket: Bucket;
  readonly index: number;
  /** How many buckets there are. */
  readonly count: number;
  readonly top: number;
}

function Column({ bucket, index, count, series, top, kind, textOf }: ColumnProps): Html {
  const title = `${bucket.name}: ${series
    .map(({ name }, at) => `${formatValue(bucket.values[at] ?? null, textOf)} ${name}`)
    .join(', ')}`;
  // A single day of many would otherwise fill half of the chart.
  const fill = Math.min(FILL, WIDEST * count);
  let y = computeY(0);
  const bars = bucket.values.map((value, at) => {
    const height = Math.round(((value ?? 0) / top) * HEIGHT);
    if (height === 0) return undefined;
    y -= height;
    return (
      <rect
        class={series[at]?.tone}
        x={formatPercent((index + (1 - fill) / 2) / count)}
        y={y}
        width={formatPercent(fill / count)}
        height={Math.max(1, height - 1)}
        rx="2"
      />
    );
  });
  const marks = (
    <>
      <title>{title}</title>
      <rect class="hit" x={formatPercent(index / count)} y={TOP} width={formatPercent(1 / count)} height={HEIGHT} />
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

interface LineProps extends Pick<Props, 'buckets'> {
  readonly series: Series;
  /** The place of the series among all series. */
  readonly index: number;
  readonly top: number;
}

const Line = ({ buckets, series: { tone, isFaint }, index: place, top }: LineProps): Html => {
  const points = buckets.flatMap(({ values }, index) => {
    const value = values[place];
    return value == null ? [] : [{ x: formatPercent((index + 0.5) / buckets.length), y: computeY(value / top) }];
  });
  return (
    <g class={isFaint ? `${tone} faint` : tone}>
      {points.map(({ x, y }, index) => {
        const before = points[index - 1];
        return (
          <>
            {before && <line class="path" x1={before.x} y1={before.y} x2={x} y2={y} />}
            {!isFaint && <circle cx={x} cy={y} r="3" />}
          </>
        );
      })}
    </g>
  );
};

interface OutlierProps extends Required<Pick<Props, 'textOf'>> {
  readonly bucket: Bucket;
  /** From 0 at the left side of the chart to 1 at its right side. */
  readonly at: number;
  readonly top: number;
}

/** The value of a bucket that is above the axis, at the side that has more room. */
function Outlier({ bucket, at, top, textOf }: OutlierProps): Html {
  const value = Math.max(...bucket.values.map((one) => one ?? 0));
  if (value <= top) return <></>;
  return (
    <text class="tick" x={formatPercent(at)} y={TOP + 12} text-anchor={at < 0.5 ? 'start' : 'end'}>
      {`\u00A0\u00A0↑ ${textOf(value)}\u00A0\u00A0`}
    </text>
  );
}

/** The name stands at the side that has more room. */
const Mark = ({ mark: { name, at } }: { readonly mark: ChartMark }): Html => (
  <g class="moment">
    <title>{name}</title>
    <line x1={formatPercent(at)} x2={formatPercent(at)} y1="4" y2={computeY(0)} />
    <text x={formatPercent(at)} y="12" text-anchor={at < 0.5 ? 'start' : 'end'}>
      {`\u00A0${name}\u00A0`}
    </text>
  </g>
);

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
