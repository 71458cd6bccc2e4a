/** Metrics as tools show them: without redundant fields, and with times that a model can read. */
import type * as z from 'zod';
import type { ErrorsList } from '#shared/analytics/metrics/errors-wire.ts';
import type { Insights } from '#shared/analytics/metrics/insights-wire.ts';
import type { TestsList } from '#shared/analytics/metrics/tests-wire.ts';

interface DataEnvelope<Data> {
  readonly data: Data;
}

/** The list of errors without its timeline, which is larger than all the rows together. */
export const shortenErrors = ({ data: { timeline: _, ...page } }: DataEnvelope<z.output<typeof ErrorsList>>): object =>
  page;

export const shortenTests = ({
  data: { list, total, nextPage },
}: DataEnvelope<z.output<typeof TestsList>>): object => ({
  total,
  nextPage,
  list: list.map(({ titlePath: _, latestTag, metrics, ...row }) => {
    const { avgDuration, failureVolume, flakinessVolume, durationVolume, ...shownMetrics } = metrics;
    return { ...row, ...shownMetrics, tags: latestTag && latestTag.length > 0 ? latestTag : undefined };
  }),
});

export function shortenInsights({ data }: DataEnvelope<z.output<typeof Insights>>): object {
  const { dateStart, dateEnd, resolution, results } = data;
  return {
    dateStart,
    dateEnd,
    resolution,
    overall: results.overall,
    timeline: Object.entries(results.timeline).map(([start, numbers]) => ({
      from: new Date(Number(start)).toISOString(),
      ...numbers,
    })),
  };
}
