/** If a failing test was flaky in earlier runs, the commit under test is a less likely cause of the failure. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { Span } from '#shared/engine/table/entity.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { ComparedTest, RunComparison, Verdict } from '../comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { KnownFlaky } from './describe-known-flaky.ts';
import type { ExecutionsOf, LatestExecutions } from './latest-executions.ts';

/** The verdicts of failures that the commit of the run may have caused. */
const SUSPECT: ReadonlySet<Verdict> = new Set(['new', 'failed']);

type RunInTime = Pick<Run, 'organizationId' | 'createdAt'>;

/** `executionsOf`: the executions up to this run that the caller has read. */
export async function addKnownFlaky<Section extends Pick<RunComparison['sections'][number], 'verdict' | 'tests'>>(
  services: WithTable,
  { organizationId, createdAt }: RunInTime,
  sections: readonly Section[],
  executionsOf: ExecutionsOf,
): Promise<Section[]> {
  const suspects = sections.filter(({ verdict }) => SUSPECT.has(verdict)).flatMap(({ tests }) => tests);
  const bySignature = new Map(suspects.map((test) => [test.signature, executionsOf(test)]));
  const counts = new Map(
    await mapConcurrently([...bySignature], async ([signature, latestExecutions]) => {
      const test = { signature, latestExecutions };
      return [signature, await readKnownFlaky(services, { organizationId, createdAt }, test)] as const;
    }),
  );
  const markTest = (test: ComparedTest): ComparedTest => {
    const knownFlaky = counts.get(test.signature);
    return knownFlaky ? { ...test, knownFlaky } : test;
  };
  return sections.map((section) =>
    SUSPECT.has(section.verdict) ? { ...section, tests: section.tests.map(markTest) } : section,
  );
}

/**
 * All pages and answers count with this function, so that one test has one number. It counts the flaky executions on
 * all branches in the days before the run. If the latest executions reach back so far, nothing is read. Otherwise one
 * query reads only executions that did not pass or were flaky, and there are usually few of them.
 */
export async function readKnownFlaky(
  services: WithTable,
  { organizationId, createdAt }: RunInTime,
  { signature, latestExecutions }: { signature: string; latestExecutions: LatestExecutions | undefined },
): Promise<KnownFlaky | undefined> {
  const from = createdAt - RESULT_LIMITS.flaky.days * DAY_MILLISECONDS;
  const span = getHistorySpan({ organizationId, signature, list: 'notable' }, from, createdAt);
  const { times, isWhole } =
    (latestExecutions && findFlakyTimes(latestExecutions, { from, to: createdAt })) ??
    (await readFlakyTimes(services, span));
  const [lastEventAt] = times;
  if (lastEventAt === undefined || times.length < RESULT_LIMITS.flaky.events) return undefined;
  const count = { events: times.length, lastEventAt };
  return isWhole ? count : { ...count, isLowerBound: true };
}

interface FlakyTimes {
  /** The times of flaky executions, newest first. */
  readonly times: readonly string[];
  /** Whether these are all in the days before the run. */
  readonly isWhole: boolean;
}

/** `undefined` if there may be older executions in the span. */
function findFlakyTimes(
  { executions, hasMore }: LatestExecutions,
  span: { readonly from: number; readonly to: number },
): FlakyTimes | undefined {
  const from = formatIsoTime(span.from);
  const to = formatIsoTime(span.to);
  const beforeRun = executions.filter(({ createdAt }) => createdAt < to);
  const inSpan = beforeRun.filter(({ createdAt }) => createdAt >= from);
  const isWhole = !hasMore || inSpan.length < beforeRun.length;
  // More than a query reads would give another number than the query does.
  if (!isWhole || inSpan.length >= RESULT_LIMITS.flaky.executions) return undefined;
  return { times: inSpan.flatMap(({ flaky, createdAt }) => (flaky ? createdAt : [])), isWhole };
}

async function readFlakyTimes({ table }: WithTable, span: Span): Promise<FlakyTimes> {
  const limit = RESULT_LIMITS.flaky.executions;
  const { rows } = await table.query(history, span, { limit, newestFirst: true });
  const times = rows.flatMap(({ item: { flaky, recordedAt } }) => (flaky ? formatIsoTime(recordedAt) : []));
  return { times, isWhole: rows.length < limit };
}
