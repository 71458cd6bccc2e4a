/** Which try of its build a client belongs to, by every way of recording, and how the tries are linked. */
import { describe, expect, test } from 'vitest';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { findCiJob, readCiVariables } from '#shared/model/runs/ci-job.ts';
import { runs } from '#shared/model/runs/run.ts';
import { readMergedBuild } from '#shared/results/builds/tries-of-build.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { failed, partsOf, passed, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { imported, junit, sendReport } from '#test/imports/reports.ts';

type Stage = TestService & Tenant;

const RED = junit({ 'cart.test.ts': { sums: 'failed', rounds: 'passed' } });
const GREEN = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'passed' } });

const rowOf = async ({ services, organizationId }: Stage, runId: string) => {
  const run = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  if (!run) throw new Error(`There is no run ${runId}`);
  return run;
};

/** Imports reports one after the other. Returns the merged view of the build of the last one. */
async function buildOf(stage: Stage, sent: readonly (readonly [report: string, query: string])[]) {
  let runId = '';
  for (const [report, query] of sent) {
    clock.advance(1000);
    runId = (await imported(stage, report, query)).runId;
  }
  const merged = await readMergedBuild(stage.services, await rowOf(stage, runId));
  return (
    merged && {
      state: merged.state,
      tries: merged.tries.map(({ ciBuildId }) => ciBuildId),
      open: merged.open.length,
      repaired: merged.repaired.length,
    }
  );
}

describe('The try of a CI job', () => {
  test.each([
    [
      'GitHub Actions',
      { GITHUB_RUN_ID: '9', GITHUB_RUN_ATTEMPT: '2', GITHUB_JOB: 'unit' },
      { name: 'unit', attempt: 2, build: '9' },
    ],
    ['GitLab CI', { CI_JOB_ID: '77', CI_JOB_NAME: 'unit 1/2', CI_PIPELINE_ID: '5' }, { name: 'unit 1/2', id: '77' }],
    [
      'Buildkite, first try',
      { BUILDKITE_STEP_ID: 's', BUILDKITE_PARALLEL_JOB: '0', BUILDKITE_RETRY_COUNT: '0' },
      { name: 's / 0', attempt: 1 },
    ],
    ['Buildkite, retry', { BUILDKITE_STEP_ID: 's', BUILDKITE_RETRY_COUNT: '1' }, { name: 's', attempt: 2 }],
    [
      'CircleCI',
      { CIRCLE_WORKFLOW_ID: 'w2', CIRCLE_WORKFLOW_WORKSPACE_ID: 'w1', CIRCLE_JOB: 'unit', CIRCLE_NODE_INDEX: '1' },
      { name: 'unit / 1', id: 'w2', build: 'w1' },
    ],
    [
      'Azure Pipelines',
      {
        BUILD_BUILDID: '4',
        SYSTEM_STAGENAME: 'test',
        SYSTEM_JOBNAME: 'unit',
        SYSTEM_JOBATTEMPT: '1',
        SYSTEM_STAGEATTEMPT: '3',
      },
      { name: 'test / unit', attempt: 3, build: '4' },
    ],
    [
      'Bitbucket Pipelines',
      { BITBUCKET_PIPELINE_UUID: '{p}', BITBUCKET_STEP_RUN_NUMBER: '2' },
      { attempt: 2, build: '{p}' },
    ],
    [
      'GoCD',
      { GO_STAGE_NAME: 'test', GO_JOB_NAME: 'unit', GO_STAGE_COUNTER: '2' },
      { name: 'test / unit', attempt: 2 },
    ],
    [
      'a number that is none',
      { GITHUB_RUN_ID: '9', GITHUB_RUN_ATTEMPT: 'x', GITHUB_JOB: 'unit' },
      { name: 'unit', build: '9' },
    ],
  ] as const)('The variables of %s tell the job and its try', (_, environment, job) => {
    expect(JSON.parse(JSON.stringify(findCiJob(readCiVariables(environment))))).toEqual(job);
  });

  test.each([
    [
      'GitHub Actions',
      {
        GITHUB_SERVER_URL: 'https://ghe.acme.example',
        GITHUB_REPOSITORY: 'a/b',
        GITHUB_RUN_ID: '9',
        GITHUB_RUN_ATTEMPT: '2',
      },
      'https://ghe.acme.example/a/b/actions/runs/9/attempts/2',
    ],
    ['GitLab CI', { CI_JOB_ID: '7', CI_JOB_URL: 'https://gitlab.com/a/b/-/jobs/7' }, 'https://gitlab.com/a/b/-/jobs/7'],
    [
      'Buildkite',
      { BUILDKITE_STEP_ID: 's', BUILDKITE_BUILD_URL: 'https://buildkite.com/a/b/builds/1', BUILDKITE_JOB_ID: 'x' },
      'https://buildkite.com/a/b/builds/1#x',
    ],
    [
      'Jenkins',
      { BUILD_TAG: 'jenkins-x-1', BUILD_URL: 'http://ci.acme.example/job/x/1/' },
      'http://ci.acme.example/job/x/1/',
    ],
    [
      'CircleCI',
      { CIRCLE_WORKFLOW_ID: 'w', CIRCLE_BUILD_URL: 'https://circleci.com/gh/a/b/5' },
      'https://circleci.com/gh/a/b/5',
    ],
    [
      'Azure Pipelines',
      {
        SYSTEM_COLLECTIONURI: 'https://dev.azure.com/a/',
        SYSTEM_TEAMPROJECT: 'b c',
        BUILD_BUILDID: '8',
        SYSTEM_JOBID: 'j',
      },
      'https://dev.azure.com/a/b%20c/_build/results?buildId=8&view=logs&j=j',
    ],
    [
      'Bitbucket Pipelines',
      { BITBUCKET_PIPELINE_UUID: 'p', BITBUCKET_REPO_FULL_NAME: 'a/b', BITBUCKET_BUILD_NUMBER: '3' },
      'https://bitbucket.org/a/b/pipelines/results/3',
    ],
    ['a system that sends a script', { BUILD_URL: 'javascript:alert(1)' }, undefined],
  ])('has the address of the job (%s)', (_, environment, url) => {
    expect(findCiJob(readCiVariables(environment))?.url).toBe(url);
  });

  test('A CI system without data about tries, such as Jenkins, names no job', () => {
    expect(findCiJob(readCiVariables({ BUILD_TAG: 'jenkins-x-1', BUILD_NUMBER: '1', JOB_NAME: 'x' }))).toBeUndefined();
  });
});

describe('Imports of several tries of a build', () => {
  test('A later try is a run of its own, linked with the first one, and a test that passes in it is flaky and no longer red', async () => {
    const stage = await service();
    const first = await imported(stage, RED, 'ciBuildId=b');
    expect(await rowOf(stage, first.runId)).not.toHaveProperty('tryOf');
    expect(await buildOf(stage, [[GREEN, 'ciBuildId=b&try=2']])).toEqual({
      state: 'passed',
      tries: ['b', 'b (try 2)'],
      open: 0,
      repaired: 1,
    });
    expect(await rowOf(stage, first.runId)).toMatchObject({
      status: 'FAILED',
      tryOf: { build: 'b', attempt: 1, again: 1 },
    });
  });

  test.each([
    [
      'github ids made up by our clients',
      ['ciBuildId=r-9-1&githubRunId=9&githubRunAttempt=1', 'ciBuildId=r-9-2&githubRunId=9&githubRunAttempt=2'],
      ['r-9-1', 'r-9-2'],
    ],
    [
      'a chosen id on GitHub',
      ['ciBuildId=r&githubRunId=9&githubRunAttempt=1', 'ciBuildId=r&githubRunId=9&githubRunAttempt=2'],
      ['r', 'r (attempt 2)'],
    ],
    [
      'a retried job of GitLab',
      ['ciBuildId=5&job=unit&jobId=70', 'ciBuildId=5&job=unit&jobId=71'],
      ['5', '5 (attempt 2)'],
    ],
    [
      'a repeated workflow of CircleCI',
      ['ciBuildId=w1&job=unit&jobId=w1&jobBuild=w1', 'ciBuildId=w2&job=unit&jobId=w2&jobBuild=w1'],
      ['w1', 'w2'],
    ],
    [
      'a number of our own within an attempt',
      ['ciBuildId=r-9-1&githubRunId=9&githubRunAttempt=1', 'ciBuildId=r-9-1&githubRunId=9&githubRunAttempt=1&try=2'],
      ['r-9-1', 'r-9-1 (try 2)'],
    ],
  ])('The tries of a build are linked in either order: %s', async (_, [one = '', two = ''], ids) => {
    const stage = await service();
    expect(
      await buildOf(stage, [
        [RED, one],
        [GREEN, two],
      ]),
    ).toMatchObject({ state: 'passed', tries: ids });
    // A job of GitLab or CircleCI has no number, so what reports first is the first try.
    if (one.includes('jobId')) return;
    const other = await service();
    expect(
      await buildOf(other, [
        [GREEN, two],
        [RED, one],
      ]),
    ).toMatchObject({ state: 'passed', tries: ids });
  });

  test('Two jobs of one pipeline, and a repeated request, are no tries', async () => {
    const stage = await service();
    const sent = [
      [RED, 'ciBuildId=5&job=unit&jobId=70'],
      [GREEN, 'ciBuildId=5&job=e2e&jobId=71&group=e2e'],
      [RED, 'ciBuildId=5&job=unit&jobId=70'],
    ] as const;
    expect(await buildOf(stage, sent)).toBeUndefined();
  });

  test('A try without a build id is refused, and an empty request ends the run of its own try', async () => {
    const stage = await service();
    expect(await sendReport(stage, RED, 'try=2')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('ciBuildId') },
    });
    await imported(stage, RED, 'ciBuildId=b');
    const { runId } = await imported(stage, GREEN, 'ciBuildId=b&try=2&complete=false');
    expect(await rowOf(stage, runId)).toMatchObject({ completionState: 'IN_PROGRESS' });
    await imported(stage, '', 'ciBuildId=b&try=2&complete=true');
    expect(await rowOf(stage, runId)).toMatchObject({ completionState: 'COMPLETE' });
  });
});

describe('The merged view of a build with several tries', () => {
  const job = (name: string, attempt: number, more = '') =>
    `ciBuildId=r-9-${attempt}&githubRunId=9&githubRunAttempt=${attempt}&job=${name}${more}`;

  test('A try that repeats another job than the one that failed hides nothing', async () => {
    const stage = await service();
    const sent = [
      [RED, job('linux', 1)],
      [GREEN, job('windows', 2)],
    ] as const;
    expect(await buildOf(stage, sent)).toMatchObject({ state: 'failed', open: 1, repaired: 0 });
    expect(await buildOf(stage, [[GREEN, job('linux', 3)]])).toMatchObject({ state: 'passed', open: 0, repaired: 1 });
  });

  test.each(['(collection)', '(file)', 'Test suite failed to run', 'cart.test.ts'])(
    'A spec file that could not be loaded (%s) counts until a later try of its job has loaded it',
    async (name) => {
      const broken = junit({ 'cart.test.ts': { [name]: 'failed' } });
      const first: [string, string] = [broken, 'ciBuildId=b&try=1&job=unit'];
      const stage = await service();
      const elsewhere = junit({ 'tax.test.ts': { rounds: 'passed' } });
      expect(await buildOf(stage, [first, [elsewhere, 'ciBuildId=b&try=2&job=unit']])).toMatchObject({ open: 1 });
      expect(await buildOf(stage, [[GREEN, 'ciBuildId=b&try=3&job=e2e']])).toMatchObject({ state: 'failed', open: 1 });
      expect(await buildOf(stage, [[broken, 'ciBuildId=b&try=4&job=unit']])).toMatchObject({
        state: 'failed',
        open: 1,
      });
      expect(await buildOf(stage, [[GREEN, 'ciBuildId=b&try=5&job=unit']])).toMatchObject({ state: 'passed', open: 0 });
    },
  );

  test('A failed job ends only when that job was repeated and completed', async () => {
    const stage = await service();
    expect(
      await buildOf(stage, [
        [GREEN, job('unit', 1, '&status=failed')],
        [GREEN, job('e2e', 2)],
      ]),
    ).toMatchObject({ state: 'failed' });
    expect(await buildOf(stage, [[GREEN, job('unit', 3, '&complete=false')]])).toMatchObject({ state: 'failed' });
    expect(await buildOf(stage, [['', job('unit', 3, '&complete=true')]])).toMatchObject({ state: 'passed' });
  });
});

describe('The bounds of a build with several tries', () => {
  test('A build with more tries than are read is never green', async () => {
    const stage = await service();
    const { tries } = RESULT_LIMITS.commit;
    const sent = Array.from({ length: tries }, (_, index) => [GREEN, `ciBuildId=b&try=${index + 2}`] as const);
    expect(await buildOf(stage, [[RED, 'ciBuildId=b'], ...sent.slice(0, -1)])).toMatchObject({ open: 0, repaired: 1 });
    expect(await buildOf(stage, sent.slice(-1))).toMatchObject({ state: 'failed' });
  });

  test('A job whose name a run with very many jobs could not keep still has to be repeated', async () => {
    const stage = await service();
    const job = (number: number, attempt: number, more = '') =>
      `ciBuildId=r-9-${attempt}&githubRunId=9&githubRunAttempt=${attempt}&job=unit-${number}&complete=false${more}`;
    const { jobsOfRun } = MODEL_LIMITS;
    const jobs = Array.from({ length: jobsOfRun }, (_, index) => index);
    const first = jobs.map((number) => [GREEN, job(number, 1)] as const);
    // The last job reports no result before its run times out.
    await buildOf(stage, [...first, [GREEN, job(jobsOfRun, 1)]]);
    clock.advance(30 * 60_000);
    await stage.runSchedule('timeOutRuns');
    const again = jobs.map((number) => [GREEN, job(number, 2)] as const);
    const end = ['', job(0, 2).replace('complete=false', 'complete=true')] as const;
    expect(await buildOf(stage, [...again, end])).toMatchObject({ state: 'failed' });
    expect(await buildOf(stage, [[GREEN, job(jobsOfRun, 2)], end])).toMatchObject({ state: 'passed' });
  });

  test('A canceled try of few jobs counts as repeated if a later try with very many jobs has run them', async () => {
    const stage = await service();
    const { jobsOfRun } = MODEL_LIMITS;
    const job = (number: number, attempt: number, more = '&complete=false') =>
      `ciBuildId=r-9-${attempt}&githubRunId=9&githubRunAttempt=${attempt}&job=unit-${number}${more}`;
    const { runId } = await imported(stage, GREEN, job(jobsOfRun, 1));
    await stage.api.put(`/runs/${runId}/cancel`);
    const jobs = Array.from({ length: jobsOfRun + 1 }, (_, index) => [GREEN, job(index, 2)] as const);
    const end = ['', job(0, 2, '&complete=true')] as const;
    expect(await buildOf(stage, [...jobs, end])).toMatchObject({ state: 'passed' });
  });
});

describe('Reporters of several tries of a build', () => {
  test('The published reporter joins a run of its own when its variables name a later try, and the same run otherwise', async () => {
    const stage = await service();
    const suite = [suiteGroup('retail', ['a.spec.ts > a'])];
    const params = (githubRunAttempt: string) => ({
      ci: { params: { githubRunId: '9', githubJob: 'unit', githubRunAttempt } },
    });
    const first = await startRun(stage, suite, { ciBuildId: 'b', ...params('1') });
    const shard = await startRun(stage, suite, { ciBuildId: 'b', ...params('1'), machineId: 'other' });
    const second = await startRun(stage, suite, { ciBuildId: 'b', ...params('2') });
    expect(shard.runId).toBe(first.runId);
    expect(second).toMatchObject({ ciBuildId: 'b (attempt 2)' });
    expect(await rowOf(stage, first.runId)).toMatchObject({ tryOf: { build: 'b', attempt: 1 }, jobs: ['unit'] });
  });

  const A = ['a.spec.ts > sums', 'a.spec.ts > rounds'];
  const B = ['b.spec.ts > pays'];
  /** One shard of the published reporter, which names the tests of all shards and runs one. */
  async function runShard(stage: Stage, names: readonly string[], attempt: number, state: TestState) {
    const suite = [suiteGroup('retail', [...A, ...B])];
    const { tests } = suiteGroup('retail', names);
    const ci = {
      params: { githubRepository: 'a/b', githubRunId: '9', githubJob: 'e2e', githubRunAttempt: `${attempt}` },
    };
    const more = { tests, ci, ciBuildId: null, machineId: `machine-${names[0]}-${attempt}` };
    const run = await startRun(stage, suite, more);
    const claimed = await claim(stage, run, partsOf(names[0] ?? '').spec);
    for (const name of names) await createRecord(stage, claimed, name, state);
    return run;
  }

  test('Shards that send no build id join the run of their CI build', async () => {
    const stage = await service();
    const [first, second] = [await runShard(stage, A, 1, passed()), await runShard(stage, B, 1, passed())];
    expect(first).toMatchObject({ ciBuildId: 'a/b-9-1' });
    expect(second.runId).toBe(first.runId);
    expect(await rowOf(stage, first.runId)).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  });

  test('The try of a failed shard of the published reporter ends with its own tests, and turns the build green', async () => {
    const stage = await service();
    await runShard(stage, A, 1, passed());
    await runShard(stage, B, 1, failed());
    const { runId } = await runShard(stage, B, 2, passed());
    const run = await rowOf(stage, runId);
    expect(run).toMatchObject({ ciBuildId: 'a/b-9-2', completionState: 'COMPLETE', status: 'PASSED' });
    expect(await readMergedBuild(stage.services, run)).toMatchObject({ state: 'passed', open: [] });
  });

  test('A try of another shard of the published reporter than the one that failed leaves the build red', async () => {
    const stage = await service();
    await runShard(stage, A, 1, passed());
    await runShard(stage, B, 1, failed());
    const { runId } = await runShard(stage, A, 2, passed());
    const run = await rowOf(stage, runId);
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
    expect(await readMergedBuild(stage.services, run)).toMatchObject({ state: 'failed' });
  });

  test('A try of another shard than the one whose machine died leaves the build red, until that one is run', async () => {
    const stage = await service();
    const { runId: first } = await runShard(stage, A, 1, passed());
    clock.advance(31 * 60_000);
    await stage.runSchedule('timeOutRuns');
    expect(await rowOf(stage, first)).toMatchObject({ completionState: 'TIMEOUT' });
    const second = await rowOf(stage, (await runShard(stage, A, 2, passed())).runId);
    expect(await readMergedBuild(stage.services, second)).toMatchObject({ state: 'failed' });
    const third = await rowOf(stage, (await runShard(stage, B, 3, passed())).runId);
    const { build } = await read(stage.api, `/runs/${third.runId}`);
    expect(build).toMatchObject({ status: 'PASSED', tests: { overall: 2, passes: 2 } });
  });

  test('Our own reporters send their job and RUNDOWN_TRY', async () => {
    const stage = await service();
    const start = (machineId: string, more: object) =>
      stage.api.post(`/projects/${stage.projectId}/recordings`, {
        machineId,
        ciBuildId: 'b',
        framework: { type: 'vitest', version: '5', clientVersion: '1' },
        groups: [{ ...suiteGroup('default', ['a.spec.ts > a']) }],
        ...more,
      });
    const first = await start('m1', { job: { name: 'unit', attempt: 1 } });
    const second = await start('m2', { job: { name: 'unit', attempt: 2 } });
    const third = await start('m3', { job: { name: 'unit', attempt: 2 }, try: 2 });
    expect([first, second, third].map(({ body }) => body.data?.ciBuildId ?? body.ciBuildId ?? body)).toEqual([
      'b',
      'b (attempt 2)',
      'b (attempt 2, try 2)',
    ]);
  });
});
