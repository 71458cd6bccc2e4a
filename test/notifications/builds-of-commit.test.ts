/** The status of a commit that several builds tested: it is red while the newest execution of any test failed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFullSha } from '#shared/model/runs/commit.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { readCommitState } from '#shared/results/runs/commit-state.ts';
import { cases } from '#test/harness/cases.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, passed, pending, type TestState } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { run, runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

const ONLY_STATUS = { comments: false };

const GREEN = { github: 'success', gitlab: 'success' } as const;
const RED = { github: 'failure', gitlab: 'failed' } as const;

const last = ({ host }: Stage) => {
  const status = host.statuses.at(-1);
  return [status?.state, status?.description];
};

describe.each(['github', 'gitlab'] as const)('The status of a commit with several builds at %s', (kind) => {
  test(`A build that failed keeps the commit red at ${kind} when another build of the commit passes, until its tests pass`, async () => {
    const here = await stage(kind);
    await here.save(ONLY_STATUS);
    const unit = await runAtOnce(here, 'unit', { 'unit.spec.ts > a': failed(), 'unit.spec.ts > b': passed() });
    await here.settled(2);
    expect(last(here)).toEqual([RED[kind], '1 failed of 2']);
    await runAtOnce(here, 'e2e', { 'e2e.spec.ts > a': passed() });
    await here.settled(4);
    expect(last(here)).toEqual([RED[kind], '1 of 2 builds failed']);
    expect(here.host.statuses.at(-1)).toMatchObject({ name: 'rundown/Shop' });
    expect(here.host.statuses.at(-1)?.target_url).toContain(unit.runId);
    await runAtOnce(here, 'unit again', { 'unit.spec.ts > a': passed() });
    await here.settled(6);
    expect(last(here)).toEqual([GREEN[kind], 'All 3 builds passed']);
  });
});

describe('The status of a commit with several builds', () => {
  test('A commit is red in whatever order its builds end, and while another of them is still running', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const tests = { 'a.spec.ts > a': failed(), 'b.spec.ts > b': undefined };
    await run(here, 'unit', { unit: { tests } });
    await runAtOnce(here, 'e2e', { 'e2e.spec.ts > a': passed() });
    await here.settled(3);
    expect(last(here)).toEqual(['pending', '1 of 2 builds running']);
    await run(here, 'unit', { unit: { tests: { 'b.spec.ts > b': passed() } } });
    await here.settled(4);
    expect(last(here)).toEqual(['failure', '1 of 2 builds failed']);
    await run(here, 'lint', { lint: { tests: { 'c.spec.ts > c': undefined } } });
    await here.settled(5);
    expect(last(here)).toEqual(['failure', '1 of 3 builds failed, 1 running']);
  });

  test('A build of another commit changes nothing, and a deleted build no longer counts', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const { runId } = await runAtOnce(here, 'unit', { 'a.spec.ts > a': failed() });
    // The statuses of two commits may be written in any order.
    await here.settled(2);
    await runAtOnce(here, 'other', { 'a.spec.ts > a': passed() }, { ...COMMIT, sha: 'b'.repeat(40) });
    await here.settled(4);
    expect(here.host.statuses.at(-1)).toMatchObject({ sha: 'b'.repeat(40), description: '1 passed of 1' });
    await runAtOnce(here, 'e2e', { 'e2e.spec.ts > a': passed() });
    await here.settled(6);
    expect(last(here)).toEqual(['failure', '1 of 2 builds failed']);
    expect(await here.api.send('DELETE', `/runs/${runId}`)).toMatchObject({ status: 200 });
    await runAtOnce(here, 'lint', { 'lint.spec.ts > a': passed() });
    await here.settled(8);
    expect(last(here)).toEqual(['success', 'All 2 builds passed']);
  });
});

const stateOfCommit = async (tenant: Tenant & Pick<TestService, 'services'>) => {
  const sha = findFullSha(COMMIT) ?? '';
  const { organizationId, projectId } = tenant;
  return readCommitState(tenant.services, { organizationId, projectId, sha });
};

function record(tenant: Tenant, ciBuildId: string, tests: Record<string, TestState>, group = 'retail') {
  clock.advance(1000);
  return uploadRun(tenant, tests, { ciBuildId, commit: COMMIT }, group);
}

describe('The state of a commit', () => {
  test('Equal names in two groups or spec files are different tests, and an intentional skip replaces no failure', async () => {
    const tenant = await service();
    await record(tenant, 'one', { 'a.spec.ts > a': failed() });
    await record(tenant, 'two', { 'a.spec.ts > a': passed() }, 'other');
    await record(tenant, 'three', { 'b.spec.ts > a': passed() });
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'failed', builds: { failed: 1, passed: 2 } });
    await record(tenant, 'four', { 'a.spec.ts > a': pending() });
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'failed' });
    await record(tenant, 'five', { 'a.spec.ts > a': passed() });
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'passed', builds: { passed: 5 } });
  });

  test('A build without results or with a failed job keeps the commit red until a complete build with the same groups', async () => {
    const tenant = await service();
    const importOf = (ciBuildId: string, more: string) =>
      tenant.api.send(
        'POST',
        `/projects/${tenant.projectId}/imports?ciBuildId=${ciBuildId}&sha=${COMMIT.sha}${more}`,
        REPORT,
        {},
      );
    await importOf('unit', '&group=unit&status=failed');
    await importOf('e2e', '&group=e2e');
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'failed', builds: { failed: 1, passed: 1 } });
    clock.advance(1000);
    await importOf('unit-again', '&group=unit');
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'passed', builds: { passed: 3 } });
  });

  test('A run of 300 failed tests is replaced by a run in which they pass, and one test that is missing keeps it red', async () => {
    const tenant = await service();
    const names = Array.from({ length: 300 }, (_, index) => `${index % 20}.spec.ts > test ${index}`);
    const all = (state: () => TestState, some = names) => Object.fromEntries(some.map((name) => [name, state()]));
    await record(tenant, 'one', all(failed));
    await record(tenant, 'two', all(passed, names.slice(1)));
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'failed', builds: { failed: 1 } });
    await record(tenant, 'three', all(passed, names.slice(0, 1)));
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'passed' });
  });

  test('A run with more failed tests than are looked up is replaced only by a passed run of the same groups with as many tests', async () => {
    const tenant = await service();
    const count = RESULT_LIMITS.commit.testsOfRun + 1;
    const names = Array.from({ length: count }, (_, index) => `a.spec.ts > test ${index}`);
    const all = (state: () => TestState, some = names) => Object.fromEntries(some.map((name) => [name, state()]));
    await record(tenant, 'one', all(failed));
    await record(tenant, 'two', all(passed, names.slice(1)));
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'failed' });
    await record(tenant, 'three', all(passed));
    expect(await stateOfCommit(tenant)).toMatchObject({ state: 'passed' });
  });

  test('agrees with an oracle of the newest execution, for random builds', async () => {
    const outcome = fc.constantFrom<'passed' | 'failed' | undefined>('passed', 'failed', undefined);
    const build = fc.record({
      group: fc.constantFrom('unit', 'e2e'),
      tests: fc.tuple(outcome, outcome, outcome, outcome),
    });
    const builds = fc.array(build, { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(builds, async (all) => {
        const tenant = await service();
        const newest = new Map<string, string>();
        let recorded = 0;
        for (const [index, { group, tests }] of all.entries()) {
          const states: Record<string, TestState> = {};
          for (const [at, one] of tests.entries())
            if (one) {
              states[`${at % 2}.spec.ts > test ${at}`] = one === 'passed' ? passed() : failed();
              newest.set(`${group} ${at}`, one);
            }
          if (Object.keys(states).length === 0) continue;
          recorded += 1;
          await record(tenant, `build ${index}`, states, group);
        }
        const isRed = [...newest.values()].includes('failed');
        const found = await stateOfCommit(tenant);
        expect(found?.state).toBe(recorded < 2 ? undefined : isRed ? 'failed' : 'passed');
      }),
      { numRuns: cases(1000, 12) },
    );
  });
});

const REPORT = '<testsuite name="s"><testcase classname="c" name="a" file="a.test.js" time="1"/></testsuite>';
