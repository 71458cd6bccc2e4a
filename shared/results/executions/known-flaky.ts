/** If a failing test was flaky in earlier runs, the commit under test is a less likely cause of the failure. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { ComparedTest, RunComparison, Verdict } from '../comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { KnownFlaky } from './describe-known-flaky.ts';

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

/** Takes one query per test. They run concurrently. */
export async function findKnownFlaky(
  services: WithTable,
  { organizationId, createdAt }: Run,
  sections: readonly Tests[],
): Promise<KnownFlakyOf> {
  const suspects = sections.filter(({ verdict }) => SUSPECT.has(verdict)).flatMap(({ tests }) => tests);
  const signatures = [...new Set(suspects.map(({ signature }) => signature))];
  const counts = await mapConcurrently(signatures, (signature) =>
    readKnownFlaky(services, { organizationId, createdAt }, signature),
  );
  const bySignature = new Map(signatures.map((signature, index) => [signature, counts[index]]));
  return (signature) => bySignature.get(signature);
}

/**
 * All pages and answers count with this function, so that one test has one number. It counts the flaky executions on
 * all branches in the days before the run, and reads only executions that did not pass or were flaky.
 */
export async function readKnownFlaky(
  { table }: WithTable,
  { organizationId, createdAt }: Pick<Run, 'organizationId' | 'createdAt'>,
  signature: string,
): Promise<KnownFlaky | undefined> {
  const { days, events, executions } = RESULT_LIMITS.flaky;
  const from = createdAt - days * DAY_MILLISECONDS;
  const span = getHistorySpan({ organizationId, signature, list: 'notable' }, from, createdAt);
  const { rows } = await table.query(history, span, { limit: executions, newestFirst: true });
  const flakyRows = rows.filter(({ item }) => item.flaky);
  const [newestRow] = flakyRows;
  if (newestRow === undefined || flakyRows.length < events) return undefined;
  const count = { events: flakyRows.length, lastEventAt: formatIsoTime(newestRow.item.recordedAt) };
  return rows.length < executions ? count : { ...count, isLowerBound: true };
}
