/** Stacked bars of the most frequent errors per day. The table below has the same numbers. */
import type { ErrorsTimeline } from '#shared/analytics/metrics/errors-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { ChartAxis } from '#shared/pages/design/chart-axis.tsx';
import { DataTable, numbers } from '#shared/pages/design/data-table.tsx';
import { countText, dateText } from '#shared/pages/design/format.tsx';

interface Props {
  readonly timeline: ErrorsTimeline;
}

const WIDTH = 640;
const HEIGHT = 120;
const GAP = 2;
/** The bars of more errors would be too thin to tell apart. */
const STACKED = 5;
/** The most frequent error has the strongest colour. */
const OPACITIES = [1, 0.7, 0.45, 0.25, 0.1];

export function ErrorChart({ timeline }: Props): Html {
  const days = Object.entries(timeline)
    .map(([at, errors]) => ({ at: Number(at), errors: errors.slice(0, STACKED) }))
    .sort((one, other) => one.at - other.at);
  const names = days[0]?.errors.map(({ message }) => message || 'No message') ?? [];
  if (names.length === 0) return <span hidden />;
  const totals = days.map(({ errors }) => errors.reduce((sum, { value }) => sum + value, 0));
  const highest = Math.max(1, ...totals);
  const step = WIDTH / days.length;
  return (
    <figure>
      <figcaption>
        Daily occurrences of the {names.length === 1 ? 'only error' : `${names.length} most frequent errors`}. The
        highest daily total is {countText(highest)}.
        {names.length > 1 && ' The most frequent error is at the bottom, in the strongest colour.'}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true" class="failed">
        <line class="pending" x1={0} y1={HEIGHT} x2={WIDTH} y2={HEIGHT} stroke="currentColor" />
        {days.map(({ at, errors }, index) => (
          <Day
            name={dateText(at)}
            values={errors.map(({ value }) => value)}
            x={index * step}
            width={Math.max(1, step - GAP)}
            highest={highest}
          />
        ))}
      </svg>
      <ChartAxis first={dateText(days[0]?.at ?? 0)} last={dateText(days.at(-1)?.at ?? 0)} />
      <Numbers days={days} names={names} />
    </figure>
  );
}

interface DayProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly x: number;
  readonly width: number;
  readonly highest: number;
}

function Day({ name, values, x, width, highest }: DayProps): Html {
  let bottom = HEIGHT;
  const bars = values.map((value, rank) => {
    const height = (value / highest) * (HEIGHT - GAP);
    bottom -= height;
    return { height, y: bottom, opacity: OPACITIES[rank] ?? 0 };
  });
  return (
    <g>
      <title>{`${name}: ${values.join(', ')}`}</title>
      {bars
        .filter(({ height }) => height > 0)
        .map(({ height, y, opacity }) => (
          <rect
            x={x.toFixed(1)}
            y={y.toFixed(1)}
            width={width.toFixed(1)}
            height={height.toFixed(1)}
            fill="currentColor"
            fill-opacity={opacity}
            stroke="currentColor"
          />
        ))}
    </g>
  );
}

interface Days {
  readonly days: readonly { readonly at: number; readonly errors: readonly { readonly value: number }[] }[];
  readonly names: readonly string[];
}

const Numbers = ({ days, names }: Days): Html => (
  <details>
    <summary>As a table</summary>
    <ol>
      {names.map((name) => (
        <li>{name}</li>
      ))}
    </ol>
    <DataTable
      label="Errors per day as a table"
      caption="Occurrences per day in UTC, by the numbers of the errors above"
      columns={['Day', ...numbers(...names.map((_, rank) => String(rank + 1)))]}
    >
      {days
        .filter(({ errors }) => errors.some(({ value }) => value > 0))
        .map(({ at, errors }) => (
          <tr>
            <th scope="row">{dateText(at)}</th>
            {errors.map(({ value }) => (
              <td class="number">{value}</td>
            ))}
          </tr>
        ))}
    </DataTable>
  </details>
);
