import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { takeEventsOfRun } from '#test/harness/events.ts';
import { longText, longTexts } from '#test/harness/long-texts.ts';
import { claim, createRecord, idempotencyKey, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { passed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Bytes, DYNAMODB_ITEM_BYTES, expectRoom, longestRun, longestSuite, testOf } from './longest-run.ts';

type Stage = Awaited<ReturnType<typeof service>>;

/** Each way to end a run, by the event that the run then publishes. */
const endings: Readonly<
  Record<
    string,
    (stage: Stage, run: { runId: string }, suite: ReturnType<typeof longestSuite>, bytes: Bytes) => Promise<unknown>
  >
> = {
  RUN_FINISH: async (stage, { runId }, suite, bytes) => {
    const state = passed({ tags: longTexts('test', 100, 128, bytes) });
    for (const group of suite) {
      const claimed = await claim(
        stage,
        { runId, groupId: group.name, machineId: longText('machine', 256, bytes) },
        testOf(group).slice(0, -7),
      );
      await createRecord(stage, claimed, testOf(group), state);
    }
  },
  RUN_CANCELED: async (stage, { runId }) =>
    expect(await stage.api.put(`/runs/${runId}/cancel`)).toMatchObject({ status: 200 }),
  RUN_TIMEOUT: async (stage) => {
    clock.advance(24 * 3_600_000);
    expect(await stage.runSchedule('timeOutRuns')).toMatchObject({ failed: 0 });
  },
};

const STATES: Readonly<Record<string, string>> = {
  RUN_FINISH: 'COMPLETE',
  RUN_CANCELED: 'CANCELED',
  RUN_TIMEOUT: 'TIMEOUT',
};

async function endsWithEvents(stage: Stage, event: string, [groups, tags, bytes]: readonly [number, number, Bytes]) {
  const suite = longestSuite(groups, tags, bytes);
  const run = await startRun(stage, suite, longestRun(bytes));
  await endings[event]?.(stage, run, suite, bytes);
  expect(await read(stage.api, `/runs/${run.runId}`)).toMatchObject({ completionState: STATES[event] });
  await expectEvents(stage, event, run.runId, suite, bytes);
}

/** Checks that the start event and the end event were published for each group, with tags and the whole branch name. */
async function expectEvents(
  stage: Stage,
  event: string,
  runId: string,
  suite: ReturnType<typeof longestSuite>,
  bytes: Bytes,
) {
  const events = await takeEventsOfRun(stage, runId);
  for (const name of ['RUN_START', event]) {
    const own = events.filter(({ payload }) => payload.event === name);
    expect(own.map(({ payload }) => payload.groupId).sort()).toEqual(suite.map((group) => group.name).sort());
    expect(own.every(({ payload }) => payload.tags.length > 0)).toBe(true);
    expect(own[0]?.payload.commit.branch).toBe(longText('branch', 1024, bytes));
  }
}

const MANY_GROUPS = 40;

describe.each(Object.keys(endings))(
  'A run with the longest accepted texts ends with %s, which is published for each group',
  (event) => {
    test.each([
      ['one byte', [Math.min(cases(MANY_GROUPS, 4), MANY_GROUPS), 100, 1]],
      // The texts of 18 groups exceed the maximum size of a row even when compressed. For RUN_FINISH, `npm test` covers
      // 18 groups only in a test below, which uploads them.
      ['three bytes', [Math.min(cases(MANY_GROUPS, event === 'RUN_FINISH' ? 4 : 18), MANY_GROUPS), 100, 3]],
    ] as const)('A run whose texts have %s per character ends with one event per group', async (_, size) => {
      await endsWithEvents(await service(), event, size);
    });
  },
);

const MAX_GROUPS = 1000;
const ONE = 'cart.spec.ts > sums';

test.each([
  ['RUN_CANCELED', Math.min(cases(MAX_GROUPS, 110), MAX_GROUPS)],
  ['RUN_TIMEOUT', Math.min(cases(MAX_GROUPS, 110), MAX_GROUPS)],
] as const)('A run publishes the event %s for each of its %s groups', async (event, groups) => {
  await endsWithEvents(await service(), event, [groups, 2, 3]);
});

/** The number of groups whose texts exceed the maximum size of a row even when compressed. */
const GROUPS_BEYOND_ROW = 18;
const TAGS_PER_GROUP = 100;
const GROUPS_PER_UPLOAD = 9;

test('A run whose groups do not fit into one row finishes when all groups have been uploaded', async () => {
  const stage = await service();
  const suite = longestSuite(GROUPS_BEYOND_ROW, TAGS_PER_GROUP, 3);
  const texts = JSON.stringify(suite.map(({ name, tags }) => [name, tags]));
  expect(gzipSync(texts).length).toBeGreaterThan(DYNAMODB_ITEM_BYTES);
  const instances = suite.map((group) =>
    batchInstance(group.name, testOf(group).slice(0, -7), { [testOf(group)]: passed() }),
  );
  // The run is uploaded in two parts, because a busy machine might not store everything within the timeout of the
  // function.
  const { runId } = await upload(stage, suite, instances.slice(0, GROUPS_PER_UPLOAD), longestRun(3));
  await upload(stage, suite.slice(GROUPS_PER_UPLOAD), instances.slice(GROUPS_PER_UPLOAD), longestRun(3));
  expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({
    completionState: 'COMPLETE',
    groups: { length: GROUPS_BEYOND_ROW },
  });
  await expectEvents(stage, 'RUN_FINISH', runId, suite, 3);
});

test('A run accepts at most 1,000 groups', async () => {
  const stage = await service();
  const suite = (from: number, groups: number) =>
    Array.from({ length: groups }, (_, index) => suiteGroup(`group ${from + index}`, index === 0 ? [ONE] : []));
  const { runId } = await startRun(stage, suite(0, 999));
  const join = (from: number, groups: number) =>
    stage.api.post('@/runs/v1', runBody(stage.projectId, suite(from, groups)), idempotencyKey());
  expect(await join(2000, 2)).toMatchObject({ status: 400, body: { error: expect.stringContaining('1000 groups') } });
  expect(await join(999, 1)).toMatchObject({ status: 200 });
  expect(await join(1000, 1)).toMatchObject({ status: 400 });
  expect(await join(998, 2)).toMatchObject({ status: 200 });
  expect(await stage.api.put(`/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
});

/** This test is the last one, so that a single scan covers the rows of all tests above. */
test('Every row of a run with the longest accepted texts is at least 4 KB smaller than the maximum size of a table item', async () => {
  await expectRoom(await service());
});
