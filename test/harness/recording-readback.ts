/** Reads a run through the API in the format of `recording-report.ts`, to compare it with Playwright's report. */
import { expect } from 'vitest';
import { type Client, query } from './client.ts';
import { byName, countersOf, type SeenTest } from './recording-report.ts';

interface Reader {
  readonly api: Client;
  readonly projectId: string;
}

// Untyped, because tests check the content of response bodies themselves.
type Body = Awaited<ReturnType<Client['get']>>['body'];

export async function read(api: Client, path: string): Promise<Body> {
  const answer = await api.get(path);
  expect(answer, `GET ${path}`).toMatchObject({ status: 200 });
  return answer.body.data;
}

/** All tests of a run, collected from its instances. */
async function testsOfRun(api: Client, runId: string): Promise<SeenTest[]> {
  const run = await read(api, `/runs/${runId}`);
  const tests: SeenTest[] = [];
  for (const { instanceId } of run.specs) {
    const instance = await read(api, `/instances/${instanceId}`);
    tests.push(...instance.results.tests.map((test: Body) => seen(instance, test)));
  }
  return tests.sort(byName);
}

function seen({ groupId: group, spec, results }: Body, test: Body): SeenTest {
  return {
    name: [`${group} ${spec}`, ...test.title].join(' > '),
    group,
    spec,
    title: test.title,
    outcome: test.state,
    flaky: test.isFlaky,
    expectedStatus: test.expectedStatus,
    annotations: test.annotations,
    tags: [...test.tags].sort(),
    attempts: test.attempts.map((attempt: Body, index: number) => ({
      status: attempt.rawStatus,
      startedAt: attempt.wallClockStartedAt,
      duration: attempt.wallClockDuration,
      workerIndex: attempt.workerIndex,
      errors: attempt.errors.length,
      error: errorOf(attempt.error),
      attachments: results.attachments
        .filter((file: Body) => file.testId === test.testId && file.testAttemptIndex === index)
        .map((file: Body) => `${file.name} ${file.contentType}`)
        .sort(),
    })),
  };
}

const errorOf = (error: Body) => (error ? { message: error.message, location: error.location ?? null } : null);

/** Checks a run with its groups, spec files, instances, tests and histories against Playwright's report. */
export async function expectRunToBe({ api, projectId }: Reader, runId: string, expected: readonly SeenTest[]) {
  expect(await testsOfRun(api, runId)).toEqual(expected);
  const run = await read(api, `/runs/${runId}`);
  expectRun(run, expected);
  for (const spec of run.specs) await expectInstance(api, spec, expected);
  for (const test of distinct(expected)) {
    const executions = (await historyOf({ api, projectId }, test)).filter((result: Body) => result.runId === runId);
    const wanted = expected.filter(({ spec, title }) => nameOf({ spec, title }) === nameOf(test));
    expect(executions.map(summaryOf).sort(byGroup)).toEqual(wanted.map(expectedSummary).sort(byGroup));
  }
}

function expectRun(run: Body, expected: readonly SeenTest[]): void {
  const red = expected.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped');
  expect(run).toMatchObject({ status: red ? 'FAILED' : 'PASSED', completionState: 'COMPLETE' });
  expect(run.durationMs).toBeGreaterThanOrEqual(0);
  const groups = [...new Set(expected.map(({ group }) => group))].sort();
  expect(run.groups.map(({ groupId }: Body) => groupId).sort()).toEqual(groups);
  for (const group of run.groups) {
    const own = expected.filter((test) => test.group === group.groupId);
    const specs = [...new Set(own.map(({ spec }) => spec))];
    const isRed = (spec: string) =>
      own.some((test) => test.spec === spec && (test.outcome === 'failed' || test.outcome === 'skipped'));
    const failures = specs.filter(isRed).length;
    const all = specs.length;
    expect(group.tests).toEqual(countersOf(own));
    expect(group.instances).toEqual({ overall: all, claimed: all, complete: all, passes: all - failures, failures });
    expect(group.specCount).toBe(all);
    expect(group.durationMs).toBeGreaterThanOrEqual(0);
  }
}

async function expectInstance(api: Client, spec: Body, expected: readonly SeenTest[]): Promise<void> {
  const own = expected.filter((test) => test.group === spec.groupId && test.spec === spec.spec);
  const { results, completedAt, claimList } = await read(api, `/instances/${spec.instanceId}`);
  expect(spec.results.stats).toEqual(countersOf(own));
  expect(results.stats).toMatchObject(countersOf(own));
  expect(results.stats.wallClockDuration).toBeGreaterThanOrEqual(0);
  expect([completedAt, claimList.length > 0]).toEqual([spec.completedAt, true]);
  expect(completedAt).toEqual(expect.any(String));
}

const nameOf = ({ spec, title }: Pick<SeenTest, 'spec' | 'title'>) => JSON.stringify([spec, title]);
const distinct = (tests: readonly SeenTest[]) => [...new Map(tests.map((test) => [nameOf(test), test])).values()];
const byGroup = (one: { group: string }, other: { group: string }) => (one.group < other.group ? -1 : 1);

/** The latest executions of a test since 2020, newest first. Returns at most 100 executions. */
export async function historyOf({ api, projectId }: Reader, { spec, title }: Pick<SeenTest, 'spec' | 'title'>) {
  const body = { projectId, specFilePath: spec, testTitle: title };
  const { signature } = (await api.post('/signature/test', body)).body.data;
  const range = query(['date_start', '2020-01-01T00:00:00Z'], ['date_end', '2100-01-01T00:00:00Z'], ['limit', '100']);
  return read(api, `/test-results/${signature}${range}`);
}

const STATES: Readonly<Record<string, string>> = { passed: 'passed', skipped: 'skipped', interrupted: 'skipped' };

function expectedSummary({ group, outcome, flaky, expectedStatus, annotations, tags, attempts }: SeenTest) {
  const shown = outcome === 'failed' || flaky ? attempts.findLast(({ error }) => error) : undefined;
  return {
    group,
    outcome,
    flaky,
    expectedStatus,
    annotations,
    tags,
    displayError: shown?.error?.message ?? null,
    duration: attempts.reduce((total, { duration }) => total + duration, 0),
    attempts: attempts.map(({ status, startedAt, duration, error }) => ({
      state: status === 'skipped' && outcome === 'pending' ? 'pending' : (STATES[status] ?? 'failed'),
      startedAt,
      duration,
      error,
    })),
  };
}

const summaryOf = (result: Body): ReturnType<typeof expectedSummary> => ({
  group: result.groupId,
  outcome: result.status,
  flaky: result.flaky,
  expectedStatus: result.expectedStatus,
  annotations: result.annotations,
  tags: [...result.tags].sort(),
  displayError: result.displayError,
  duration: result.duration,
  attempts: result.attempts.map(({ state, startedAt, duration, error }: Body) => ({
    state,
    startedAt,
    duration,
    error: errorOf(error),
  })),
});
