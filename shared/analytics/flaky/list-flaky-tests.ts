/** Lists the flaky tests of a project. Tests with the strongest evidence come first. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { findProject } from '#shared/find-project.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import type { WithClock } from '#shared/services.ts';
import { paginateByOffset } from '../metrics/offset-page.ts';
import { sortRows } from '../metrics/order.ts';
import type { AnalyticsScope } from '../read-model.ts';
import type { FlakyTestRow, FlakyTestsPage, FlakyTestsQuery } from './flaky-wire.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { type FlakyTest, readFlakyTests } from './read-flaky-tests.ts';

export async function listFlakyTests(
  services: WithClock,
  { query, ...scope }: AnalyticsScope & { readonly query: FlakyTestsQuery },
): Promise<z.infer<typeof FlakyTestsPage>> {
  const { defaultBranchName: defaultBranch } = await findProject(services, scope);
  const flakyTests = await readFlakyTests(services, { ...scope, defaultBranch });
  const byEvidence = sortByEvidence(flakyTests.tests.filter(({ state }) => query.state.includes(state)));
  const { list, ...page } = paginateByOffset(byEvidence, query);
  const rows = await mapConcurrently(list, (test) => buildFlakyTestRow(services, scope, test, flakyTests.from));
  return { list: rows, ...page, dateStart: formatIsoTime(flakyTests.from), isWhole: flakyTests.isWhole };
}

export const sortByEvidence = <Test extends Pick<FlakyTest, 'score' | 'title' | 'signature'>>(
  tests: readonly Test[],
): Test[] =>
  sortRows(tests, {
    by: ({ score }) => score,
    direction: 'desc',
    thenBy: [({ title }) => title.join(' > '), ({ signature }) => signature],
  });

async function buildFlakyTestRow(
  services: WithClock,
  { organizationId }: AnalyticsScope,
  test: FlakyTest,
  from: number,
): Promise<FlakyTestRow> {
  const { signature, specFile, title, state, score, events, retried, flips, executions, failures, lastFlipAt } = test;
  const retriedAt = retried > 0 ? await findLastRetriedAt(services, { organizationId, signature }, from) : undefined;
  const eventTimes = [lastFlipAt, retriedAt].filter((time) => typeof time === 'number');
  return {
    signature,
    spec: specFile,
    title: [...title],
    state,
    score,
    events,
    retried,
    flips,
    executions,
    failures,
    lastEventAt: eventTimes.length > 0 ? formatIsoTime(Math.max(...eventTimes)) : null,
  };
}

/**
 * A test that passed on a retry is flaky, and flaky executions are listed among the notable ones, newest first: the
 * first flaky one is the last that was retried. `undefined` if it is too far back to be looked up.
 */
async function findLastRetriedAt(
  { table, now }: WithClock,
  { organizationId, signature }: { readonly organizationId: string; readonly signature: string },
  from: number,
): Promise<number | undefined> {
  const span = getHistorySpan({ organizationId, signature, list: 'notable' }, from, now() + 1);
  const { rows } = await table.query(history, span, { limit: FLAKY_LIMITS.lookedUp, newestFirst: true });
  return rows.find(({ item }) => item.flaky)?.item.recordedAt;
}
