/** If a failing test was flaky in earlier runs, the commit under test is a less likely cause of the failure. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { ComparedTest, RunComparison, Verdict } from '../comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { ShownExecution } from './latest-executions.ts';

type KnownFlaky = NonNullable<ComparedTest['knownFlaky']>;

/** The verdicts of failures that the commit of the run may have caused. */
const SUSPECT: ReadonlySet<Verdict> = new Set(['new', 'failed']);

type Tests = Pick<RunComparison['sections'][number], 'verdict' | 'tests'>;

export function addKnownFlaky<Section extends Tests>(section: Section, flakyOf: KnownFlakyOf): Section {
  const markTest = (test: ComparedTest): ComparedTest => {
    const knownFlaky = flakyOf(test.signature);
    return knownFlaky ? { ...test, knownFlaky } : test;
  };
  return SUSPECT.has(section.verdict) ? { ...section, tests: section.tests.map(markTest) } : section;
}

type KnownFlakyOf = (signature: string) => KnownFlaky | undefined;

/** Takes one query per test. They run concurrently, and read only executions that did not pass or were flaky. */
export async function findKnownFlaky(
  { table }: WithTable,
  { organizationId, createdAt }: Run,
  sections: readonly Tests[],
): Promise<KnownFlakyOf> {
  const suspects = sections.filter(({ verdict }) => SUSPECT.has(verdict)).flatMap(({ tests }) => tests);
  const signatures = [...new Set(suspects.map(({ signature }) => signature))];
  const { days, executions } = RESULT_LIMITS.flaky;
  const from = createdAt - days * DAY_MILLISECONDS;
  const flakyTimes = await mapConcurrently(signatures, async (signature) => {
    const span = getHistorySpan({ organizationId, signature, list: 'notable' }, from, createdAt);
    const { rows } = await table.query(history, span, { limit: executions, newestFirst: true });
    return rows.flatMap(({ item: { flaky, recordedAt } }) => (flaky ? formatIsoTime(recordedAt) : []));
  });
  const bySignature = new Map(signatures.map((signature, index) => [signature, flakyTimes[index] ?? []]));
  return (signature) => summarizeFlaky(bySignature.get(signature) ?? []);
}

/** `events`: the times of the flaky executions, newest first. `undefined` if there are too few. */
function summarizeFlaky(events: readonly string[]): KnownFlaky | undefined {
  const [lastEventAt] = events;
  return lastEventAt === undefined || events.length < RESULT_LIMITS.flaky.events
    ? undefined
    : { events: events.length, lastEventAt };
}

/** Like `findKnownFlaky`, from executions that the caller has read, newest first. Others do not count. */
export function deriveKnownFlaky(
  executions: readonly Pick<ShownExecution, 'flaky' | 'createdAt'>[],
  run: { readonly createdAt: string },
): KnownFlaky | undefined {
  const from = formatIsoTime(Date.parse(run.createdAt) - RESULT_LIMITS.flaky.days * DAY_MILLISECONDS);
  const before = executions.filter(({ createdAt }) => createdAt >= from && createdAt < run.createdAt);
  return summarizeFlaky(before.flatMap(({ flaky, createdAt }) => (flaky ? createdAt : [])));
}
