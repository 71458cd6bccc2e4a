/** The tests of a run for which the settings of a project ask for an issue. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { signatureOf } from '#shared/model/ids.ts';
import { completedBefore, completeRuns } from '#shared/model/runs/complete-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { history, historySpan } from '#shared/model/tests/history-row.ts';
import { isStub, testRecords } from '#shared/model/tests/test-record.ts';
import { knownFlakyIn } from '#shared/results/known-flaky.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { type MarkedTest, type Marks, markedTests } from '#shared/results/marked-tests.ts';
import { isoTime } from '#shared/results/test-result.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { daysBefore, type Pass } from './pass.ts';
import { runOf } from './run-results.ts';

export interface Candidate {
  readonly reason: 'failing' | 'flaky';
  readonly signature: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly groupId: string;
}

/** Returns each test only once, even if it failed in several groups. */
export async function candidatesIn(pass: Pass, run: Run, marks: Marks): Promise<Candidate[]> {
  const { createsAfterFailures, createsWhenFlaky } = pass.settings;
  const failing = createsAfterFailures === undefined ? [] : await failingInARow(pass, run, marks, createsAfterFailures);
  const flaky = createsWhenFlaky ? marks.flaky.tests.slice(0, AUTOMATION_LIMITS.candidates) : [];
  const all = [
    ...(await named(pass, run, failing, 'failing')),
    ...(await flakyAmong(pass, run, await named(pass, run, flaky, 'flaky'))),
  ];
  return [...Map.groupBy(all, ({ signature }) => signature).values()].flatMap(([first]) => first ?? []);
}

/** The tests that failed in this run and in each of the `count - 1` complete runs of the same groups before it. */
async function failingInARow(
  { services }: Pass,
  run: Run,
  { failed }: Marks,
  count: number,
): Promise<readonly MarkedTest[]> {
  const { table } = services;
  if (failed.tests.length === 0 || !run.listed) return [];
  if (count === 1) return failed.tests.slice(0, AUTOMATION_LIMITS.candidates);
  const span = completedBefore({ ...run, ...run.listed }, run.createdAt);
  const { rows } = await table.query(completeRuns, span, { limit: count - 1, newestFirst: true });
  if (rows.length < count - 1) return [];
  const limit = RESULT_LIMITS.comparison.marks;
  const earlier = await mapConcurrently(rows, ({ item }) => markedTests(services, { run: item, mark: 'f', limit }));
  return failed.tests
    .filter(({ place }) => earlier.every(({ places }) => places.has(place)))
    .slice(0, AUTOMATION_LIMITS.candidates);
}

/** Reads the names of the tests. Leaves out tests without a record, for example if the run was deleted meanwhile. */
async function named(
  { services, project }: Pass,
  { organizationId }: Run,
  tests: readonly MarkedTest[],
  reason: Candidate['reason'],
): Promise<Candidate[]> {
  const records = await services.table.getMany(testRecords, tests);
  return tests.flatMap(({ instanceId, groupId, spec }, index) => {
    const record = records[index];
    if (!record || isStub(record)) return [];
    const { testId, title } = record;
    const signature = signatureOf({ organizationId, projectId: project.projectId, spec, title });
    return [{ reason, signature, instanceId, testId, groupId }];
  });
}

/** The tests that were flaky often enough in complete runs on the default branch. */
async function flakyAmong({ services, project }: Pass, run: Run, tests: readonly Candidate[]): Promise<Candidate[]> {
  const { organizationId, defaultBranchName } = project;
  const until = (run.endedAt ?? run.createdAt) + 1;
  const { days, executions: limit } = RESULT_LIMITS.flaky;
  const found = await mapConcurrently(tests, async (test) => {
    const span = historySpan({ ...test, organizationId, list: 'notable' }, daysBefore(until, days), until);
    const { rows } = await services.table.query(history, span, { limit, newestFirst: true });
    const own = rows.map(({ item }) => item).filter(({ flaky, branch }) => flaky && branch === defaultBranchName);
    const runIds = [...new Set(own.flatMap((row) => runOf(row) ?? []))];
    const keys = runIds.map((runId) => ({ organizationId, runId }));
    const complete = await services.table.getMany(runs, keys);
    const ids = new Set(complete.flatMap((one) => (one?.completionState === 'COMPLETE' ? [one.runId] : [])));
    const counted = own.filter((row) => ids.has(runOf(row) ?? ''));
    const executions = counted.map(({ recordedAt }) => ({ flaky: true, createdAt: isoTime(recordedAt) }));
    return knownFlakyIn(executions, { createdAt: isoTime(until) }) ? [test] : [];
  });
  return found.flat();
}
