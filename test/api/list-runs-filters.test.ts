import { describe, expect, test } from 'vitest';
import { NO_COMMIT } from '#shared/model/runs/commit.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

const FIRST = Date.parse('2026-11-02T09:00:00Z');
const commit = (more: Partial<Run['commit']>) => ({ ...NO_COMMIT, ...more });

/** The runs to store, one second apart, oldest first. Each key is a name by which the tests refer to the run. */
const RUNS: Readonly<Record<string, Partial<Run>>> = {
  nothing: {},
  main: {
    commit: commit({
      branch: 'main',
      authorName: 'Alex Doe',
      authorEmail: 'alex@example.com',
      message: 'Net prices\n\nfor all',
    }),
    tags: ['nightly', 'full'],
    environments: ['staging'],
  },
  release: {
    commit: commit({
      branch: 'release/1.0',
      authorName: 'Bo',
      authorEmail: 'bo@example.com',
      message: 'Fix NET totals',
    }),
    tags: ['nightly'],
    groupTags: ['shop'],
    environments: ['production', 'canary'],
    status: 'FAILED',
    pullRequest: { id: '17', title: null },
  },
  candidate: {
    commit: commit({ branch: 'release/1.1', authorName: 'Bo' }),
    groupTags: ['full'],
    ciBuildId: 'Nightly-2026',
    status: 'RUNNING',
    completionState: 'IN_PROGRESS',
    pullRequest: { id: '170', title: 'x' },
  },
  failing: { status: 'FAILING', completionState: 'IN_PROGRESS', commit: commit({ branch: 'releases' }) },
  cancelled: { status: 'PASSED', completionState: 'CANCELED' },
  timedOut: { status: 'FAILED', completionState: 'TIMEOUT' },
};
const names = Object.keys(RUNS);

async function recorded() {
  const tenant = await service();
  const items = Object.values(RUNS).map((run, index) =>
    runItem(tenant, { runId: runIdOf(index), ciBuildId: `build ${index}`, createdAt: FIRST + index * 1000, ...run }),
  );
  await storeRuns(tenant.services, items);
  return tenant;
}

let shared: ReturnType<typeof recorded> | undefined;
/** All tests share the stored runs, because no test changes them. */
const stage = () => (shared ??= recorded());

/** Returns the names of the runs that match a query, oldest first. */
async function found({ reader, projectId }: Tenant & TestService, query: string): Promise<string[]> {
  const answer = await reader.get(`/projects/${projectId}/runs?limit=50&${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.data.map(({ runId }: { runId: string }) => names[Number.parseInt(runId, 16)]).reverse();
}

describe('GET /projects/{projectId}/runs', () => {
  test.each([
    ['branches[]=main', ['main']],
    ['branches[]=main&branches[]=release/1.0', ['main', 'release']],
    ['branches[]=release/*', ['release', 'candidate']],
    ['branches[]=release*', ['release', 'candidate', 'failing']],
    ['branches[]=*', ['main', 'release', 'candidate', 'failing']],
    ['branches[]=mai', []],
    ['branches[]=Main', []],
    ['tags[]=nightly', ['main', 'release']],
    ['tags[]=nightly&tags[]=full', ['main']],
    ['tags[]=nightly&tags[]=shop', ['release']],
    ['tags[]=shop&tags[]=full&tag_operator=OR', ['main', 'release', 'candidate']],
    ['tags[]=nightly&tags[]=full&tag_operator=AND', ['main']],
    ['authors[]=Bo', ['release', 'candidate']],
    ['authors[]=alex@example.com&authors[]=bo@example.com', ['main', 'release']],
    ['environments[]=staging&environments[]=canary', ['main', 'release']],
    ['search=net', ['main', 'release']],
    ['search=for%20ALL', ['main']],
    ['search=nightly', ['candidate']],
    ['search=build%205', ['cancelled']],
    ['pr_id=17', ['release']],
    ['pr_id=7', []],
    ['status=FAILED', ['release', 'timedOut']],
    ['status=FAILED&status=RUNNING', ['release', 'candidate', 'timedOut']],
    ['status[]=FAILING', ['failing']],
    ['completion_state=CANCELED&completion_state=TIMEOUT', ['cancelled', 'timedOut']],
    ['completion_state[]=IN_PROGRESS', ['candidate', 'failing']],
    ['completion_state=COMPLETE&status=FAILED', ['release']],
    ['branches[]=release/*&tags[]=nightly&authors[]=Bo&environments[]=canary&status=FAILED', ['release']],
    ['branches[]=release/*&tags[]=nightly&authors[]=Alex%20Doe', []],
    ['tags[0]=nightly&tags[1]=full', ['main']],
  ])('returns the matching runs for %s', async (query, expected) => {
    expect(await found(await stage(), query)).toEqual(expected);
  });

  test.each([
    ['branch=main', 'branches[]=main'],
    ['branch[]=release/*', 'branches[]=release/*'],
    ['tag=nightly&tag[]=full', 'tags[]=nightly&tags[]=full'],
    ['author=Bo', 'authors[]=Bo'],
    ['author[]=Bo&authors=Alex%20Doe', 'authors[]=Bo&authors[]=Alex%20Doe'],
  ])('accepts the parameter %s in place of %s, and marks it as deprecated', async (old, current) => {
    const tenant = await stage();
    expect(await found(tenant, old)).toEqual(await found(tenant, current));
    const headers = async (query: string) =>
      (await tenant.reader.get(`/projects/${tenant.projectId}/runs?${query}`)).headers;
    expect((await headers(old)).get('deprecation')).toMatch(/^@\d{10}$/);
    expect((await headers(old)).get('link')).toContain('rel="deprecation"');
    expect((await headers(current)).get('deprecation')).toBeNull();
  });

  test('accepts array parameters without brackets, and does not mark them as deprecated', async () => {
    const tenant = await stage();
    const path = `/projects/${tenant.projectId}/runs?tags=nightly&branches=main&status=PASSED&environments=staging`;
    const { body, headers } = await tenant.reader.get(path);
    expect(body.data).toMatchObject([{ runId: runIdOf(1) }]);
    expect(headers.get('deprecation')).toBeNull();
  });

  test.each([
    ['date_start=2026-11-02T09:00:01Z', names.slice(1)],
    ['date_start=2026-11-02T09:00:01.001Z', names.slice(2)],
    ['date_end=2026-11-02T09:00:01Z', names.slice(0, 1)],
    ['date_end=2026-11-02T09:00:01.001Z', names.slice(0, 2)],
    ['date_start=2026-11-02T09:00:01Z&date_end=2026-11-02T09:00:03Z', names.slice(1, 3)],
    ['date_start=2026-11-02T10:00:01%2B01:00&date_end=2026-11-02T04:00:03-05:00', names.slice(1, 3)],
    ['date_start=2026-11-02T10:00:01+01:00', names.slice(1)],
    ['date_start=2026-11-02&date_end=2026-11-03', names],
    ['date_start=2026-11-03', []],
    ['date_start=2026-11-02T09:00:01Z&date_end=2026-11-02T09:00:01Z', []],
    ['date_start=0001-01-01&date_end=9999-12-31T23:59:59Z', names],
    ['date_end=1969-07-20', []],
  ])('includes the start of the range %s and excludes its end', async (query, expected) => {
    expect(await found(await stage(), query)).toEqual(expected);
  });

  test.each([
    ['status=BROKEN', '`status[0]` must be one of PASSED, FAILED, RUNNING, FAILING'],
    ['status=passed', '`status[0]` must be one of PASSED, FAILED, RUNNING, FAILING'],
    ['completion_state=DONE', '`completion_state[0]` must be one of COMPLETE, IN_PROGRESS, CANCELED, TIMEOUT'],
    ['tag_operator=XOR', '`tag_operator` must be one of AND, OR'],
    ['branches[]=a&branches[]=', '`branches[1]` must have at least 1 character'],
    ['tags[]=', '`tags[0]` must have at least 1 character'],
    [`search=${'x'.repeat(201)}`, '`search` must have at most 200 characters'],
    ['search=', '`search` must have at least 1 character'],
    [`pr_id=${'1'.repeat(129)}`, '`pr_id` must have at most 128 characters'],
    ['pr_id=%C3%A9', '`pr_id` must be printable ASCII'],
    ['date_start=yesterday', '`date_start` must be an ISO 8601 date-time such as 2026-10-21T08:00:00Z'],
    ['date_end=2026-02-30', '`date_end` must be an ISO 8601 date-time'],
    ['date_start=2026-11-02T09:00:00', '`date_start` has no UTC offset'],
    ['tags[x]=nothing', 'Unknown parameter `tags[x]`.'],
    ['date_start=2026-11-03&date_end=2026-11-02', '`date_start` is after `date_end`. Swap them'],
    ['search=a&search=b', '`search` is given more than once. Send one value'],
    [Array.from({ length: 51 }, (_, n) => `tags[]=${n}`).join('&'), '`tags` must have at most 50 elements'],
  ])('refuses %s and says what to send', async (query, problem) => {
    const { reader, projectId } = await stage();
    expect(await reader.get(`/projects/${projectId}/runs?${query}`)).toMatchObject({
      status: 400,
      body: { status: 'FAILED', error: expect.stringContaining(problem) },
    });
  });

  test('names all invalid parameters of a request in one error', async () => {
    const { reader, projectId } = await stage();
    const { body } = await reader.get(`/projects/${projectId}/runs?limit=0&status=x&date_start=y`);
    for (const name of ['`limit`', '`status[0]`', '`date_start`']) expect(body.error).toContain(name);
  });
});
