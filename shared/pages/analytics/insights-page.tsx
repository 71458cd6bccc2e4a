/** A project over time: its runs, their durations and their tests. */
import type { FileFailures } from '#shared/analytics/metrics/failures-by-file.ts';
import type { InsightMetrics, Insights } from '#shared/analytics/metrics/insights-wire.ts';
import type { Release } from '#shared/analytics/metrics/releases.ts';
import type { groupDurations } from '#shared/analytics/metrics/run-durations.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { toIsoDay } from '#shared/pages/design/format.tsx';
import { Notice, PageHead, Segments } from '#shared/pages/design/parts.tsx';
import { linkWithChanges } from '#shared/pages/shell/here.ts';
import { HOURLY_DAYS } from '#shared/pages/shell/limits.ts';
import { formatDays, getFirstDay, ListFilters, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import { NothingInPeriod } from '#shared/pages/shell/nothing-in-period.tsx';
import type { InTime } from './in-time.ts';
import { Charts } from './insights-charts.tsx';
import { Overall } from './insights-summary.tsx';
import { isTooLongForHours, RESOLUTION_NAMES, RESOLUTIONS, type Resolution } from './resolutions.ts';

interface Props extends InTime {
  readonly resolution: Resolution;
  /** Whether hours were requested for a period that is too long for them. */
  readonly areHoursRefused: boolean;
  readonly results: Insights['results'];
  readonly durations: Durations;
  /** The metrics of the preceding period of the same length. */
  readonly before: InsightMetrics;
  readonly durationsBefore: Durations;
  /** The longest shorter period before which there are runs. */
  readonly comparablePeriod: ShownPeriod | undefined;
  readonly releases: readonly Release[];
  /** The spec files with the most failures. */
  readonly files: readonly FileFailures[];
}

type Durations = ReturnType<typeof groupDurations>;

export function InsightsPage(props: Props): Html {
  const { at, resolution, areHoursRefused, period, results, before, now } = props;
  const buckets = Object.entries(results.timeline)
    .map(([start, metrics]) => ({ at: Number(start), ...metrics }))
    .sort((one, other) => one.at - other.at);
  return (
    <>
      <PageHead
        title="Insights"
        actions={
          <Segments
            label="Resolution"
            choices={RESOLUTION_NAMES.map((one) => ({
              name: RESOLUTIONS[one].name,
              href: linkToResolution(props, one),
              isCurrent: one === resolution,
            }))}
          />
        }
      />
      <ListFilters
        hasFile
        at={at}
        period={period}
        now={now}
        own={[{ name: 'environments[]', label: 'Environment', icon: 'monitor' }]}
      />
      {areHoursRefused && (
        <Notice>Hours are shown for periods of at most {HOURLY_DAYS} days. This page shows days.</Notice>
      )}
      <Overall
        current={{ ...results.overall, durations: props.durations.flatMap(({ durations }) => durations) }}
        before={{ ...before, durations: props.durationsBefore.flatMap(({ durations }) => durations) }}
      />
      {results.overall.runs.total > 0 && before.runs.total === 0 && <NothingBefore {...props} />}
      {results.overall.runs.total === 0 ? (
        <NothingInPeriod
          at={at}
          icon="chart-column"
          title="No runs"
          noun="run"
          reason="There are no runs in this period."
        />
      ) : (
        <Charts {...props} visit={at.visit} buckets={buckets} />
      )}
    </>
  );
}

const NothingBefore = ({ at, period, comparablePeriod }: Props): Html => (
  <p class="soft">
    Not compared: there are no runs in the {formatDays(period)} before this period.{' '}
    {comparablePeriod && (
      <a href={linkWithChanges(at, { date_start: toIsoDay(comparablePeriod.from) })}>
        Compare {formatDays(comparablePeriod)}
      </a>
    )}
  </p>
);

/** The link to hours also shortens a period that is too long for them, to its last days until today. */
function linkToResolution({ at, period, now }: InTime, resolution: Resolution): string {
  if (resolution !== '1h' || !isTooLongForHours(period)) return linkWithChanges(at, { resolution });
  return linkWithChanges(at, { resolution, date_start: getFirstDay(HOURLY_DAYS, now), date_end: undefined });
}
