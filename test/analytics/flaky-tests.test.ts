/** Records runs through the API, and lists the flaky tests. */
import { describe, expect, test } from 'vitest';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { compileRuns, mergeRuns } from '#test/harness/analytics.ts';
import { batchInstance, upload, uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, flaky, passed, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const DAY = 86_400_000;
const SUM = 'cart.spec.ts > cart > sums';
const TAX = 'cart.spec.ts > cart > tax';

interface Row {
  readonly title: readonly string[];
  readonly flips: number;
  readonly retried: number;
}

let builds = 0;
async function record(
  stage: Stage,
  tests: Record<string, TestState>,
  more: object = {},
  group = 'retail',
): Promise<void> {
  builds += 1;
  clock.advance(1000);
  const sha = `${builds}`.padStart(40, '0');
  const commit = { ...COMMIT, sha, ...more };
  await uploadRun(stage, tests, { ciBuildId: `build ${builds}`, commit }, group);
}

const GROUPS = ['retail', 'wholesale', 'export', 'returns'];

/** Records a run that executes each test once in each group. */
async function recordInGroups(stage: Stage, tests: Record<string, TestState>): Promise<void> {
  builds += 1;
  clock.advance(1000);
  const suite = GROUPS.map((group) => suiteGroup(group, Object.keys(tests)));
  const sent = GROUPS.map((group) => batchInstance(group, 'cart.spec.ts', tests));
  const commit = { ...COMMIT, sha: `${builds}`.padStart(40, '0') };
  await upload(stage, suite, sent, { ciBuildId: `build ${builds}`, commit });
}

const times = async (count: number, work: () => Promise<void>) => {
  for (let done = 0; done < count; done += 1) await work();
};

/** Adds all recorded runs to the read model, and lists the flaky tests. */
async function list(stage: Stage, query = '') {
  await compileRuns(stage);
  const { reader, projectId } = stage;
  const { status, body } = await reader.get(`/flaky/${projectId}${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

describe('GET /flaky/{projectId}', () => {
  test('The list of flaky tests contains tests that passed after a retry, with their score and counts, also as CSV', async () => {
    const stage = await service();
    await times(2, () => record(stage, { [SUM]: flaky(), [TAX]: passed() }));
    const retriedAt = new Date().toISOString();
    await times(3, () => record(stage, { [SUM]: passed(), [TAX]: passed() }));
    const { list: rows, total, isWhole } = await list(stage);
    expect(rows).toEqual([
      {
        signature: expect.any(String),
        spec: 'cart.spec.ts',
        title: ['cart', 'sums'],
        state: 'flaky',
        score: expect.closeTo(0.1427, 4),
        events: 2,
        retried: 2,
        flips: 0,
        executions: 5,
        failures: 0,
        lastEventAt: expect.any(String),
      },
    ]);
    expect(Math.abs(Date.parse(rows[0].lastEventAt) - Date.parse(retriedAt))).toBeLessThan(1000);
    expect([total, isWhole]).toEqual([1, true]);
    const { signature, lastEventAt } = rows[0];
    const { headers, body } = await stage.reader.get(`/flaky/${stage.projectId}?format=csv`);
    expect([headers.get('content-type'), headers.get('x-total-count')]).toEqual(['text/csv; charset=utf-8', '1']);
    expect(body.split('\r\n')).toEqual([
      'title,spec,signature,state,score,events,retried,flips,executions,failures,lastEventAt',
      expect.stringMatching(`^cart > sums,cart.spec.ts,${signature},flaky,0.14\\d+,2,2,0,5,0,${lastEventAt}$`),
      '',
    ]);
  });

  test('The list of flaky tests contains tests that passed and failed on the same commit, even without retries', async () => {
    const stage = await service();
    const same = { sha: 'a'.repeat(40) };
    await record(stage, { [SUM]: failed(), [TAX]: failed() }, same);
    await record(stage, { [SUM]: passed(), [TAX]: failed() }, same);
    expect((await list(stage)).list).toMatchObject([
      { title: ['cart', 'sums'], state: 'suspected', events: 1, flips: 1, retried: 0, executions: 2, failures: 1 },
    ]);
    await record(stage, { [SUM]: failed(), [TAX]: passed() }, { sha: 'b'.repeat(40) });
    expect((await list(stage)).total).toBe(1);
    await record(stage, { [SUM]: passed(), [TAX]: passed() }, same);
    expect((await list(stage)).list).toMatchObject([
      { title: ['cart', 'sums'], events: 1, executions: 4, failures: 2 },
      { title: ['cart', 'tax'], events: 1, executions: 4, failures: 2 },
    ]);
  });

  test('The list of flaky tests is the same before and after its runs are merged into summaries', async () => {
    const stage = await service();
    const same = { sha: 'a'.repeat(40) };
    await record(stage, { [SUM]: failed(), [TAX]: flaky() }, same);
    await times(8, () => record(stage, { [SUM]: passed(), [TAX]: passed() }, same));
    const before = await list(stage);
    expect(before.list.map(({ title, flips, retried }: Row) => [title[1], flips, retried])).toEqual([
      ['sums', 1, 0],
      ['tax', 0, 1],
    ]);
    const pending = () => stage.services.table.queryAll(pendingRuns, getPendingRunsSpan(stage, 0, getLeaf(Date.now())));
    expect(await pending()).toHaveLength(9);
    await mergeRuns(stage);
    expect(await pending()).toEqual([]);
    expect(await list(stage)).toEqual(before);
  });

  test('The list of flaky tests compares only results of the same group and commit with each other', async () => {
    const stage = await service();
    const same = { sha: 'a'.repeat(40) };
    await record(stage, { [SUM]: failed() });
    await record(stage, { [SUM]: passed(), [TAX]: failed() }, same);
    await record(stage, { [TAX]: passed() }, same, 'wholesale');
    expect((await list(stage)).list).toEqual([]);
  });

  test('With `state[]`, the list of flaky tests shows a test as recovered after a week without flaky events, or as broken if it keeps failing', async () => {
    const stage = await service();
    await record(stage, { [SUM]: flaky(), [TAX]: failed() });
    clock.advance(8 * DAY);
    await times(5, () => recordInGroups(stage, { [SUM]: passed(), [TAX]: failed() }));
    expect((await list(stage)).list).toEqual([]);
    expect((await list(stage, '?state[]=recovered')).list).toMatchObject([{ title: ['cart', 'sums'], events: 1 }]);
    expect((await list(stage, '?state[]=broken')).list).toMatchObject([{ title: ['cart', 'tax'], failures: 21 }]);
    clock.advance(7 * DAY);
    expect((await list(stage, '?state[]=recovered')).list).toEqual([]);
  });

  test('The list of flaky tests returns 404 for the project of another organization', async () => {
    const stage = await service();
    const other = await service();
    const { status } = await other.reader.get(`/flaky/${stage.projectId}`);
    expect(status).toBe(404);
  });
});
