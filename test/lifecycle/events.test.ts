import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { idempotencyKey, recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  COMMIT,
  failed,
  flaky,
  passed,
  pending,
  runBody,
  skipped,
  suiteGroup,
} from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const TESTS = ['passes', 'fails', 'flakes', 'waits', 'is left out'].map((title) => `cart.spec.ts > ${title}`);
const [PASSES = '', FAILS = '', FLAKES = '', WAITS = '', LEFT = ''] = TESTS;

describe('§6 The event of a run with one group', () => {
  test('The event payload of a run with one group has counters, tags and the commit, but no group id', async () => {
    const stage = await service();
    const { runId } = await recordRun(
      stage,
      {
        retail: {
          tags: ['checkout'],
          tests: {
            [PASSES]: passed({ tags: ['@smoke'] }),
            [FAILS]: failed(),
            [FLAKES]: flaky(),
            [WAITS]: pending({ tags: ['@slow', 'nightly'] }),
            [LEFT]: skipped(),
          },
        },
      },
      { tags: ['nightly'] },
    );
    const [start, finish, ...more] = await eventsOfRun(stage, runId);
    expect(more).toEqual([]);
    const { ghaEventData, ...commit } = { ...COMMIT, message: COMMIT.message.trimEnd(), defaultBranch: null };
    const common = {
      runUrl: `${stage.origin}/${stage.organizationId}/${stage.projectId}/runs/${runId}`,
      buildId: 'build-1',
      commit,
      runId,
      projectId: stage.projectId,
    };
    const none = { overall: 0, passes: 0, failures: 0, pending: 0, skipped: 0, retries: 0, flaky: 0 };
    expect(start?.payload).toEqual({
      event: 'RUN_START',
      ...common,
      tags: ['nightly', 'checkout'],
      ...none,
      status: 'RUNNING',
    });
    expect(finish).toEqual({
      organizationId: stage.organizationId,
      projectId: stage.projectId,
      runId,
      runCreatedAt: START.getTime(),
      group: 'retail',
      occurredAt: START.getTime(),
      payload: {
        event: 'RUN_FINISH',
        ...common,
        tags: expect.arrayContaining(['nightly', 'checkout', '@smoke', '@slow']),
        overall: 5,
        passes: 2,
        failures: 1,
        pending: 1,
        skipped: 1,
        retries: 2,
        flaky: 1,
        status: 'FAILED',
      },
    });
    expect(finish?.payload.tags).toHaveLength(4);
  });

  test('The event of a run has null for each unknown property of the commit', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, [suiteGroup('retail', [PASSES])], { commit: undefined });
    const [start] = await eventsOfRun(stage, runId);
    expect(Object.values(start?.payload.commit ?? {})).toEqual([null, null, null, null, null, null, null]);
  });

  test('The event of a run has at most 32 tags, and at most 2,048 characters of the commit message', async () => {
    const stage = await service();
    const tags = Array.from({ length: 100 }, (_, index) => `${index} ${'t'.repeat(120)}`);
    const commit = { ...COMMIT, message: `${'m'.repeat(2047)}\u{1f600}${'m'.repeat(9000)}` };
    const { runId } = await startRun(stage, [suiteGroup('retail', [PASSES])], { tags, commit });
    const [start] = await eventsOfRun(stage, runId);
    expect(start?.payload.tags).toEqual(tags.slice(0, 32));
    expect(start?.payload.commit.message).toBe(`${'m'.repeat(2047)}\ufffd`);
  });

  test.each(['streamed', 'uploaded'])(
    'The event of a run with %s tests lists each tag once, even tags with names such as __proto__',
    async (how) => {
      const stage = await service();
      const state = passed({ tags: ['constructor', '__proto__', 'toString', ' ', '#', 'constructor'] });
      const { runId } =
        how === 'streamed'
          ? await recordRun(stage, { retail: { tests: { [PASSES]: state } } })
          : await upload(
              stage,
              [suiteGroup('retail', [PASSES])],
              [batchInstance('retail', 'cart.spec.ts', { [PASSES]: state })],
            );
      const finish = (await eventsOfRun(stage, runId)).at(-1);
      expect(finish?.payload.event).toBe('RUN_FINISH');
      expect(finish?.payload.tags.toSorted()).toEqual([' ', '#', '__proto__', 'constructor', 'toString']);
    },
  );

  test('The event of a run counts only the tests that have reported results', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, { retail: { tests: { [PASSES]: passed(), [FAILS]: undefined } } });
    await stage.api.put(`/runs/${runId}/cancel`);
    const [, cancelled] = await eventsOfRun(stage, runId);
    expect(cancelled?.payload).toMatchObject({ event: 'RUN_CANCELED', overall: 1, passes: 1 });
  });
});

/** More groups than fit into one transaction. In `npm run test:deep`, this is the limit of groups per run. */
const MANY_GROUPS = Math.min(cases(1000, 250), 1000);

describe('§6 A run with several groups', () => {
  test('A run with several groups publishes its events once per group, with the counters of that group', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, {
      retail: { tests: { [PASSES]: passed() } },
      wholesale: { tests: { [PASSES]: failed(), [FLAKES]: flaky() } },
    });
    const published = (await eventsOfRun(stage, runId)).map(({ group, payload }) => [
      payload.event,
      payload.groupId,
      group,
      payload.overall,
    ]);
    expect(published).toEqual([
      ['RUN_START', 'retail', 'retail', 0],
      ['RUN_START', 'wholesale', 'wholesale', 0],
      ['RUN_FINISH', 'retail', 'retail', 1],
      ['RUN_FINISH', 'wholesale', 'wholesale', 2],
    ]);
  });

  test('A run publishes its start and its end once per group, even for hundreds of groups', async () => {
    const stage = await service();
    const names = Array.from({ length: MANY_GROUPS }, (_, index) => `browser ${index}`);
    const { runId } = await startRun(
      stage,
      names.map((name) => suiteGroup(name, [PASSES])),
    );
    await stage.api.put(`/runs/${runId}/cancel`);
    const published = await eventsOfRun(stage, runId);
    for (const event of ['RUN_START', 'RUN_CANCELED']) {
      const groups = published.filter(({ payload }) => payload.event === event).map(({ payload }) => payload.groupId);
      expect(groups.sort()).toEqual([...names].sort());
    }
  });

  test('A run publishes the start of a group that joins later', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, [suiteGroup('retail', [PASSES])]);
    clock.advance(1000);
    await startRun(stage, [suiteGroup('wholesale', [FAILS])]);
    const published = (await eventsOfRun(stage, runId)).map(({ payload }) => [payload.event, payload.groupId]);
    expect(published).toEqual([
      ['RUN_START', undefined],
      ['RUN_START', 'wholesale'],
    ]);
  });
});

describe('§6 RUN_START', () => {
  test('RUN_START is published once per group, even if eight machines start at the same time, some of them send their request twice, and a ninth machine starts later', async () => {
    const stage = await service();
    const suite = [suiteGroup('retail', [PASSES]), suiteGroup('wholesale', [PASSES])];
    const body = (group: string) => runBody(stage.projectId, suite, { group });
    const machines = Array.from({ length: 12 }, (_, index) =>
      stage.api.post('@/runs/v1', body(index % 2 ? 'retail' : 'wholesale'), idempotencyKey(`machine ${index % 8}`)),
    );
    const [first] = await Promise.all(machines);
    await startRun(stage, suite);
    const published = (await eventsOfRun(stage, first?.body.runId)).map(({ payload }) => payload.groupId);
    expect(published.sort()).toEqual(['retail', 'wholesale']);
  });

  test('RUN_START is published for a batch upload, and RUN_FINISH when the last spec file is uploaded', async () => {
    const stage = await service();
    const suite = [suiteGroup('retail', [PASSES, 'tax.spec.ts > rounds'])];
    const { runId } = await upload(stage, suite, [batchInstance('retail', 'cart.spec.ts', { [PASSES]: passed() })]);
    const events = async () => (await eventsOfRun(stage, runId)).map(({ payload }) => payload.event);
    expect(await events()).toEqual(['RUN_START']);
    const last = [batchInstance('retail', 'tax.spec.ts', { 'tax.spec.ts > rounds': passed({ tags: ['@tax'] }) })];
    await upload(stage, [], last);
    await upload(stage, [], last);
    expect(await events()).toEqual(['RUN_START', 'RUN_FINISH']);
    expect((await eventsOfRun(stage, runId))[1]?.payload.tags).toEqual(['@tax']);
  });
});
