/** Durations over time, as a server-rendered line chart. */
import type { Html } from '#shared/engine/html/html.ts';
import { ChartAxis } from './chart-axis.tsx';
import { durationText, FullTime } from './format.tsx';

interface Point {
  /** `at`: a time, shown as local time by the script. `name`: a day or week, which are in UTC. */
  readonly when: { readonly at: string } | { readonly name: string };
  /** Milliseconds. */
  readonly duration: number;
}

const When = ({ when }: Pick<Point, 'when'>): Html =>
  'name' in when ? <span>{when.name}</span> : <FullTime at={when.at} />;

const WIDTH = 640;
const HEIGHT = 120;
const MARGIN = 16;

interface Props {
  /** Oldest first. */
  readonly points: readonly Point[];
  readonly title?: string;
}

export function DurationChart({ points, title = 'Duration of each execution' }: Props): Html {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return <span hidden />;
  const longest = Math.max(1, ...points.map(({ duration }) => duration));
  const x = (index: number) => MARGIN + (index / (points.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (duration: number) => HEIGHT - MARGIN - (duration / longest) * (HEIGHT - 2 * MARGIN);
  const line = points.map(
    ({ duration }, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(duration).toFixed(1)}`,
  );
  return (
    <figure>
      <figcaption>
        {title}, at most {durationText(longest)}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true" class="blue">
        <line x1={MARGIN} y1={HEIGHT - MARGIN} x2={WIDTH - MARGIN} y2={HEIGHT - MARGIN} stroke="currentColor" />
        <path d={line.join(' ')} fill="none" stroke="currentColor" stroke-width={2} />
      </svg>
      <ChartAxis first={<When {...first} />} last={<When {...last} />} />
      <details>
        <summary>As a table</summary>
        <table>
          <caption>Durations, oldest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col" class="number">
                Duration
              </th>
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr>
                <th scope="row">
                  <When {...point} />
                </th>
                <td class="number">{durationText(point.duration)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
