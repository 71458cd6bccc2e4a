import { describe, expect, test } from 'vitest';
import { put } from '#shared/engine/table/writes.ts';
import { pullRequestRuns, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';
import { runs } from '#shared/model/runs/run.ts';
import { startRun } from '#test/harness/recording.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { recordSelected, recordWalked, SUITE, startPullRequestRun } from './pull-request-runs.ts';

const list = async ({ reader, projectId }: Tenant, query = '') => {
  const { status, body } = await reader.get(`/projects/${projectId}/pull-requests${query}`);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'OK' } });
  return body;
};
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

/** Organizations that several tests share, because these tests only read their data. */
let walked: Promise<Tenant> | undefined;
let selected: Promise<Tenant> | undefined;

describe('GET /projects/{projectId}/pull-requests', () => {
  test('returns a CSV file for `format=csv`, with the newest run of each pull request', async () => {
    const stage = await service();
    await startPullRequestRun(stage, 7, { commit: { authorName: '@SUM(A1)' } });
    const { runId, title } = await startPullRequestRun(stage, 8);
    const { headers, body } = await stage.reader.get(`/projects/${stage.projectId}/pull-requests?format=csv`);
    expect([headers.get('content-type'), headers.get('x-has-more')]).toEqual(['text/csv; charset=utf-8', 'false']);
    const [head, first, second] = body.split('\r\n');
    expect(head).toBe('id,title,lastRunAt,runId,status,completionState,branch,author,cursor');
    expect(first).toContain(`8,"${title}",2026-11-02T10:00:02.000Z,${runId},RUNNING,IN_PROGRESS,`);
    expect(second).toContain(",'@SUM(A1),");
    const foreign = await (await stage.tenant('Neighbour')).reader.get(
      `/projects/${stage.projectId}/pull-requests?format=csv`,
    );
    expect(foreign).toMatchObject({ status: 404, body: { error: 'Project not found' } });
  });

  test('lists each pull request once, with its newest runs, and begins with the pull request that has the newest run', async () => {
    const stage = await service();
    const first = await startPullRequestRun(stage, 7);
    await startPullRequestRun(stage, 8);
    const second = await startPullRequestRun(stage, 7);
    await startRun(stage, SUITE, { ciBuildId: 'of no pull request' });
    const body = await list(stage, '?runs_per_pr=2');
    expect(body).toMatchObject({ has_more: false });
    expect(idsOf(body)).toEqual(['7', '8']);
    expect(body.data[0]).toMatchObject({
      title: second.title,
      lastRunAt: '2026-11-02T10:00:03.000Z',
      cursor: expect.any(String),
      runs: [
        { runId: second.runId, meta: { pr: { id: '7' } }, groups: [{ groupId: 'retail' }] },
        { runId: first.runId },
      ],
    });
    expect((await list(stage)).data[0].runs).toHaveLength(1);
  });

  test('omits deleted runs, and pull requests without any remaining run', async () => {
    const stage = await service();
    const older = await startPullRequestRun(stage, 7);
    const newer = await startPullRequestRun(stage, 7);
    const only = await startPullRequestRun(stage, 8);
    for (const { runId } of [newer, only]) await stage.api.send('DELETE', `/runs/${runId}`);
    expect((await list(stage, '?runs_per_pr=10')).data).toMatchObject([
      { id: '7', title: older.title, runs: [{ runId: older.runId }] },
    ]);
    await stage.api.send('DELETE', `/runs/${older.runId}`);
    expect(await list(stage)).toEqual({ status: 'OK', has_more: false, data: [] });
  });

  test.each([
    ['desc', ['6', '1', '5', '2', '4', '3']],
    ['asc', ['3', '4', '2', '5', '1', '6']],
  ])(
    'lists every pull request exactly once through `starting_after`, and the pull requests before the last one through `ending_before`: dir=%s',
    async (dir, expected) => {
      walked ??= recordWalked();
      const stage = await walked;
      for (const limit of [1, 2, 4, 50]) {
        const seen: string[] = [];
        const cursors: string[] = [];
        for (let more = true; more; ) {
          const body = await list(
            stage,
            `?dir=${dir}&limit=${limit}${cursors.length > 0 ? `&starting_after=${cursors.at(-1)}` : ''}`,
          );
          seen.push(...idsOf(body));
          cursors.push(...body.data.map(({ cursor }: { cursor: string }) => cursor));
          more = body.has_more;
        }
        expect(seen).toEqual(expected);
        const newer = await list(stage, `?dir=${dir}&limit=${limit}&ending_before=${cursors.at(-1)}`);
        expect(idsOf(newer)).toEqual(expected.slice(0, -1).slice(-limit));
      }
    },
  );

  test.each([
    ['search=%238', []],
    ['pr_id=7', ['7']],
    ['pr_id=8&dir=asc', ['8']],
    ['pr_id=8&tags[]=weekly', []],
    ['pr_id=9', []],
    ['order=lastRunAt&dir=asc', ['7', '8']],
    ['search=CHANGE%208', ['8']],
    ['branches[]=feat/*', ['8']],
    ['authors[]=*@second.example.com', ['8']],
    ['tags[]=nightly', ['8']],
    ['status=PASSED', []],
    ['status=RUNNING&completion_state=IN_PROGRESS', ['8', '7']],
  ])('applies the query %s to the newest run of each pull request', async (query, ids) => {
    selected ??= recordSelected();
    expect(idsOf(await list(await selected, `?${query}`))).toEqual(ids);
  });

  test('returns only the pull request `pr_id`, with up to `runs_per_pr` runs, and an empty page before and after its cursor', async () => {
    const stage = await service();
    for (const number of [7, 8, 7]) await startPullRequestRun(stage, number);
    const body = await list(stage, '?pr_id=7&runs_per_pr=10');
    expect(body).toMatchObject({ has_more: false, data: [{ id: '7', runs: [{}, {}] }] });
    const { cursor } = body.data[0];
    for (const way of ['starting_after', 'ending_before']) {
      expect(idsOf(await list(stage, `?pr_id=7&${way}=${cursor}`)), way).toEqual([]);
    }
  });

  test('includes the number of all matching pull requests in each page only if `include_total` is set', async () => {
    const stage = await service();
    for (const number of [1, 2, 3, 1]) await startPullRequestRun(stage, number);
    const first = await list(stage, '?limit=1&include_total=true');
    expect(first).toMatchObject({ total: 3, has_more: true, data: [{ id: '1' }] });
    const next = `?limit=1&include_total=true&starting_after=${first.data[0].cursor}`;
    expect(await list(stage, next)).toMatchObject({ total: 3, data: [{ id: '3' }] });
    expect(await list(stage, '?search=%22Change%202%22&include_total=true')).toMatchObject({ total: 1 });
    expect(await list(stage, '?pr_id=9&include_total=true')).toMatchObject({ total: 0, data: [] });
    expect(await list(stage)).not.toHaveProperty('total');
  });

  test('stops counting the matching pull requests at 500', async () => {
    const stage = await service();
    const { runId } = await startPullRequestRun(stage, 0);
    const run = await stage.services.table.get(runs, { ...stage, runId });
    if (!run?.pullRequest) throw new Error('The run has no pull request');
    const { pullRequest, createdAt } = run;
    const others = Array.from({ length: 500 }, (_, index) => {
      const pullRequestId = `${index + 1}`;
      const other = { ...run, runId: `${runId}${index}`, createdAt: createdAt + index };
      const pointer = { ...other, pullRequestId, expiresAt: undefined };
      const row = { ...other, pullRequest: { ...pullRequest, id: pullRequestId } };
      return [put(runs, row), put(runsOfPullRequest, pointer), put(pullRequestRuns, pointer)];
    });
    await stage.services.table.writeMany(others.flat());
    expect(await list(stage, '?limit=1&include_total=true')).toMatchObject({ total: 500, has_more: true });
    expect(await list(stage, '?limit=1&include_total=true&pr_id=7')).toMatchObject({ total: 1 });
  });

  test('refuses an unknown value of `order` with 400', async () => {
    const { reader, projectId } = await service();
    const { status, body } = await reader.get(`/projects/${projectId}/pull-requests?order=title`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('`order` must be') },
    });
  });

  test('returns 404 for projects of other organizations, and shows none of their pull requests', async () => {
    const stage = await service();
    const other = await stage.tenant('Neighbour');
    await startPullRequestRun(other, 7);
    const foreign = await stage.reader.get(`/projects/${other.projectId}/pull-requests`);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'Project not found' } });
    expect((await list(stage)).data).toEqual([]);
  });
});
