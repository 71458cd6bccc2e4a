/** Runs whose results do not count yet: they are in progress, or ended a moment ago. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runMembersSpan, runs, runsOfProject, runsSpan } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { CoreServices } from '#shared/services.ts';
import { isUnfilteredAnalytics, matchesEntry, matchesTags } from '../filter.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from '../read-model.ts';
import type { OpenRun } from './insights.ts';
import { METRIC_LIMITS } from './limits.ts';

type Read = Pick<CoreServices, 'table' | 'now'>;

interface Question {
  readonly scope: AnalyticsScope;
  readonly period: Period;
  readonly filter: AnalyticsFilter;
}

/**
 * Finds runs that match the filter and do not count yet. `counted`: the ids of the runs of the period that already
 * count.
 */
export async function openRuns(
  services: Read,
  { scope, period, filter }: Question,
  counted: ReadonlySet<string>,
): Promise<OpenRun[]> {
  const from = Math.max(period.from, services.now() - METRIC_LIMITS.openRunMilliseconds);
  if (from >= period.to) return [];
  const { from: first, to: last, pk } = runsSpan(scope, from, period.to);
  const listed = await services.table.queryAll(runsOfProject, { pk, from: first, to: last });
  const open = listed.filter(({ runId }) => !counted.has(runId));
  if (isUnfilteredAnalytics(filter)) return open;
  const found = (await services.table.getMany(runs, open)).flatMap((run) => run ?? []);
  const matching = await mapConcurrently(found, async (run) =>
    (await matchesRun(services, filter, run)) ? [run] : [],
  );
  return matching.flat();
}

/** A run matches if one of its groups does. */
async function matchesRun({ table }: Read, filter: AnalyticsFilter, run: Run): Promise<boolean> {
  const members = await table.queryAll(groups, runMembersSpan(run, 'GROUP'));
  const { branch, authorName, authorEmail } = run.commit;
  return members.some(
    ({ groupId, environment, tags }) =>
      matchesEntry(filter, { branch, authorName, authorEmail, groupId, environment }) &&
      matchesTags(filter, mergeTags(run.tags, tags)),
  );
}
