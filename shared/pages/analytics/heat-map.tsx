/** Where tests fail: a row for each spec file and a column for each day. */
import type { FileFailures } from '#shared/analytics/metrics/failures-by-file.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount, formatShortDate } from '#shared/pages/design/format.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { TimeAxis } from '#shared/pages/design/time-axis.tsx';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly files: readonly FileFailures[];
}

/** The style sheet has so many shades. */
const LEVELS = 4;
const HEIGHT = 18;

/** A darker field has more failures, and the row says the numbers. */
export const HeatMap = ({ visit, files }: Props): Html => {
  const most = Math.max(...files.flatMap(({ days }) => days.map(({ value }) => value)));
  const days = files[0]?.days ?? [];
  return (
    <Panel
      title="Where tests fail"
      note="failed and flaky executions with an error, by spec file and day"
      actions={<a href={linkToProjectPage(visit, 'spec-files')}>Spec files</a>}
    >
      <ul class="heat">
        {files.map((file) => (
          <li>
            <a href={linkToProjectPage(visit, 'spec-files', file.specSignature)} title={file.specFile}>
              {file.specFile}
            </a>
            <svg class="chart" height={HEIGHT} role="img" aria-label={describeHeat(file)}>
              {file.days.map(({ at: day, value }, index) => (
                <rect
                  class={`heat-${Math.ceil((LEVELS * value) / most)}`}
                  x={`${((100 * index) / file.days.length).toFixed(2)}%`}
                  width={`${(90 / file.days.length).toFixed(2)}%`}
                  height={HEIGHT}
                  rx="2"
                >
                  <title>
                    {formatShortDate(day)}: {formatCount(value)}
                  </title>
                </rect>
              ))}
            </svg>
            <span class="number">{formatCount(file.count)}</span>
          </li>
        ))}
        <li aria-hidden="true">
          <span />
          <TimeAxis ticks={days.map(({ at: day }) => formatShortDate(day))} />
          <span />
        </li>
      </ul>
    </Panel>
  );
};

const describeHeat = ({ days }: FileFailures): string =>
  days.flatMap(({ at, value }) => (value > 0 ? `${formatCount(value)} on ${formatShortDate(at)}` : [])).join(', ');
