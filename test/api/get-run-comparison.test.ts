import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { batch, comparisonOf, namesIn, runOf, runWith } from '#test/harness/comparisons.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  attempt,
  COMMIT,
  error,
  failed,
  flaky,
  passed,
  skipped,
  suiteGroup,
  type TestState,
} from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const SUMS = 'cart.spec.ts > sums';
const PAYS = 'pay.spec.ts > pays';
const TAX = 'tax.spec.ts > rounds';

describe('A comparison base that the caller chooses', () => {
  test('A base run that the caller chooses may be on another branch, may have other groups and may be newer than the compared run', async () => {
    const stage = await service();
    const run = await batch(stage, 'run', { [SUMS]: failed(), [PAYS]: failed() });
    const groups = { retail: { tests: { [SUMS]: failed() } }, wholesale: { tests: { [PAYS]: failed() } } };
    const base = await runWith(stage, 'base', groups, 'feature');
    const comparison = await comparisonOf(stage.reader, run.runId, `?base_run_id=${base.runId}`);
    expect(comparison.base).toMatchObject({ runId: base.runId, branch: 'feature' });
    expect(namesIn(comparison)).toEqual({
      new: ['retail pay.spec.ts > pays'],
      still_failing: ['retail cart.spec.ts > sums'],
      not_run: ['wholesale pay.spec.ts > pays'],
    });
    // The run in which a test began to fail does not depend on the chosen base.
    for (const { verdict, tests } of comparison.sections)
      if (verdict !== 'not_run')
        expect(tests.map(({ failingSince }) => failingSince?.runId)).toEqual(tests.map(() => run.runId));
  });

  test('A chosen base is refused if it is unknown, incomplete, in another project or organization, or the run itself', async () => {
    const stage = await service();
    const run = await batch(stage, 'run', { [SUMS]: failed() });
    const { services, organizationId } = stage;
    const sibling = await createProject(services, { organizationId, name: 'Other', actor: OPERATOR });
    const stranger = await stage.tenant('Stranger');
    const bases = [
      { runId: 'unknown' },
      await batch({ ...stage, projectId: sibling.projectId }, 'sibling', { [SUMS]: passed() }),
      await batch(stranger, 'stranger', { [SUMS]: passed() }),
    ];
    for (const { runId } of bases) {
      const answer = await stage.reader.get(`/runs/${run.runId}/comparison?base_run_id=${runId}`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'Run named by `base_run_id` not found' } });
    }
    const open = await runOf(stage, 'open', { [SUMS]: failed(), [PAYS]: undefined });
    const incomplete = await stage.reader.get(`/runs/${run.runId}/comparison?base_run_id=${open.runId}`);
    expect(incomplete).toMatchObject({ status: 400, body: { error: expect.stringContaining('did not complete') } });
    const itself = await stage.reader.get(`/runs/${run.runId}/comparison?base_run_id=${run.runId}`);
    expect(itself).toMatchObject({ status: 400, body: { error: expect.stringContaining('names this run') } });
  });
});

describe('A comparison', () => {
  test('A request for the comparison of a run of another organization returns 404', async () => {
    const stage = await service();
    const run = await batch(stage, 'run', { [SUMS]: failed() });
    const stranger = await stage.tenant('Stranger');
    const answer = await stranger.reader.get(`/runs/${run.runId}/comparison`);
    expect(answer).toMatchObject({ status: 404, body: { error: 'Run not found' } });
  });

  test('names each test with its spec file, the number of its attempts, and the first line of its error', async () => {
    const stage = await service();
    await batch(stage, 'base', { [SUMS]: passed() });
    const message = '\u001b[31mError: expected 2\u001b[39m\nreceived 3';
    const attempts = [attempt('failed', { errors: [error(message)] }), attempt('failed', { errors: [error(message)] })];
    const run = await batch(stage, 'run', { [SUMS]: failed({ attempts }) });
    const { sections } = await comparisonOf(stage.reader, run.runId);
    const [first] = sections;
    expect(first).toMatchObject({ verdict: 'new', total: 1, nextPage: false });
    const [shown] = first?.tests ?? [];
    expect(shown).toMatchObject({
      runId: run.runId,
      spec: 'cart.spec.ts',
      groupId: 'retail',
      title: ['sums'],
      attempts: 2,
    });
    expect(shown?.error).toBe('expected 2');
    const context = (await stage.reader.get(`/context?instance_id=${shown?.instanceId}&test_id=${shown?.testId}`)).body
      .data;
    expect(context.meta.signature).toBe(shown?.signature);
  });

  test('masks secrets in error messages before it shortens the messages', async () => {
    const stage = await service();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const message = `${'x'.repeat(480)} ${secret}`;
    const run = await batch(stage, 'run', {
      [SUMS]: failed({ attempts: [attempt('failed', { errors: [error(message)] })] }),
    });
    const text = JSON.stringify(await comparisonOf(stage.reader, run.runId));
    expect(text).toContain('[masked: GitHu');
    expect(text).not.toContain(secret.slice(0, 12));
  });

  test('A comparison without a base run lists failed tests, flaky tests, and tests that did not run', async () => {
    const stage = await service();
    const run = await runOf(stage, 'run', { [SUMS]: failed(), [PAYS]: flaky(), [TAX]: skipped() });
    const comparison = await comparisonOf(stage.reader, run.runId);
    expect(comparison.base).toBeNull();
    expect(comparison.sections.map(({ verdict }) => verdict)).toEqual(['failed', 'flaky', 'not_run']);
    expect(namesIn(comparison)).toEqual({
      failed: ['retail cart.spec.ts > sums'],
      flaky: ['retail pay.spec.ts > pays'],
      not_run: ['retail tax.spec.ts > rounds'],
    });
  });

  test('links a fixed test to its result in the run, and a test that did not run to its result in the base', async () => {
    const stage = await service();
    const base = await batch(stage, 'base', { [SUMS]: failed(), [PAYS]: failed() });
    const run = await batch(stage, 'run', { [SUMS]: passed() });
    const { sections } = await comparisonOf(stage.reader, run.runId);
    const testOf = (wanted: string) => sections.find(({ verdict }) => verdict === wanted)?.tests[0];
    expect(testOf('fixed')).toMatchObject({ runId: run.runId, instanceId: run.instances['retail cart.spec.ts'] });
    expect(testOf('not_run')).toMatchObject({ runId: base.runId, instanceId: base.instances['retail pay.spec.ts'] });
  });

  test('says in which run a test began to fail, and that the failures may have begun earlier if not all executions were read', async () => {
    const stage = await service();
    const builds = [];
    // Records two more executions than a comparison reads.
    const last = RESULT_LIMITS.latestExecutions + 1;
    for (let build = 0; build <= last; build += 1)
      builds.push(
        await batch(stage, `build ${build}`, { [SUMS]: failed(), [PAYS]: build === 5 ? passed() : failed() }),
      );
    const { sections } = await comparisonOf(stage.reader, builds[last]?.runId ?? '');
    const since = sections[1]?.tests.map(({ spec, failingSince: { runId, sha, failures, mayBeEarlier } = {} }) => [
      spec,
      runId,
      sha,
      failures,
      mayBeEarlier,
    ]);
    expect(since).toEqual([
      ['cart.spec.ts', builds[2]?.runId, COMMIT.sha, RESULT_LIMITS.latestExecutions, true],
      ['pay.spec.ts', builds[6]?.runId, COMMIT.sha, last - 5, false],
    ]);
  });

  test('says that a newly failing test was flaky at least twice in the last 14 days on any branch', async () => {
    const stage = await service();
    await batch(stage, 'old', { [TAX]: flaky(), [PAYS]: flaky() });
    clock.advance(15 * 86_400_000);
    await batch(stage, 'first', { [SUMS]: flaky(), [PAYS]: flaky(), [TAX]: flaky() }, 'feature');
    await batch(stage, 'second', { [SUMS]: flaky(), [PAYS]: passed(), [TAX]: passed() });
    const lastEventAt = new Date().toISOString();
    const run = await batch(stage, 'run', { [SUMS]: failed(), [PAYS]: failed(), [TAX]: failed() });
    const { sections } = await comparisonOf(stage.reader, run.runId);
    const known = (index: number) => sections[index]?.tests.map((one) => [one.spec, one.knownFlaky]);
    expect(sections[0]?.verdict).toBe('new');
    expect(known(0)).toEqual([
      ['cart.spec.ts', { events: 2, lastEventAt }],
      ['pay.spec.ts', undefined],
      ['tax.spec.ts', undefined],
    ]);
    await batch(stage, 'third', { [SUMS]: flaky(), [PAYS]: passed() });
    expect((await comparisonOf(stage.reader, run.runId)).sections[0]?.tests[0]?.knownFlaky?.events).toBe(2);
  });

  test('says that a test may have been flaky more often if it was so in more executions than are read', async () => {
    const stage = await service();
    const { executions } = RESULT_LIMITS.flaky;
    const groups = Array.from({ length: executions }, (_, index) => `group ${index}`);
    const record = (ciBuildId: string, groupIds: readonly string[], state: TestState) => {
      clock.advance(1000);
      const instances = groupIds.map((group) => batchInstance(group, 'cart.spec.ts', { [SUMS]: state }));
      return upload(
        stage,
        groupIds.map((group) => suiteGroup(group, [SUMS])),
        instances,
        { ciBuildId },
      );
    };
    await record('flaky', groups, flaky());
    const { runId } = await record('red', groups.slice(0, 1), failed());
    const { sections } = await comparisonOf(stage.reader, runId);
    expect(sections[0]?.tests[0]?.knownFlaky).toMatchObject({ events: executions, isLowerBound: true });
  });
});
