/**
 * A small bar chart of a test's results over parts of a period. For screen readers, its label contains the same
 * information.
 */
import type { TrendPart } from '#shared/analytics/metrics/trends.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatDate } from '#shared/pages/design/format.tsx';

interface Props {
  /** Oldest first. */
  readonly parts: readonly TrendPart[];
}

const WIDTH = 96;
const HEIGHT = 24;
const NARROWEST = 4;

export function Trend({ parts }: Props): Html {
  const first = parts[0];
  const last = parts.at(-1);
  if (!first || !last) return <span class="soft">–</span>;
  const visibleParts = parts.filter(({ executions }) => executions > 0);
  const scale = (WIDTH - NARROWEST) / Math.max(1, last.to - first.from);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={visibleParts.map(describePart).join(', ')}
    >
      {visibleParts.map((part) => (
        <Bar
          part={part}
          x={(part.from - first.from) * scale}
          width={Math.max(NARROWEST, (part.to - part.from) * scale - 1)}
        />
      ))}
    </svg>
  );
}

/** Failures at the bottom, and flaky executions above them. The baseline shows that the test ran. */
function Bar({ part, x, width }: { readonly part: TrendPart; readonly x: number; readonly width: number }): Html {
  const height = (count: number) => (count / part.executions) * (HEIGHT - 2);
  const failedHeight = height(part.failures);
  const flakyHeight = height(part.flaky);
  const place = { x: x.toFixed(1), width: width.toFixed(1) };
  return (
    <g>
      <rect class="pending" {...place} y={HEIGHT - 1} height={1} />
      {failedHeight > 0 && (
        <rect class="failed" {...place} y={(HEIGHT - 2 - failedHeight).toFixed(1)} height={failedHeight.toFixed(1)} />
      )}
      {flakyHeight > 0 && (
        <rect
          class="flaky"
          {...place}
          y={Math.max(0.5, HEIGHT - 2 - failedHeight - flakyHeight).toFixed(1)}
          height={flakyHeight.toFixed(1)}
        />
      )}
    </g>
  );
}

function describePart({ from, to, executions, failures, flaky }: TrendPart): string {
  const first = formatDate(from);
  const last = formatDate(to - 1);
  const when = first === last ? first : `${first} to ${last}`;
  const problems = [failures > 0 && `${failures} failed`, flaky > 0 && `${flaky} flaky`].filter(Boolean);
  return `${when}: ${problems.join(' and ') || 'none failed'} of ${executions}`;
}
