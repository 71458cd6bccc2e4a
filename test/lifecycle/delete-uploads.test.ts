import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deleteRun, finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { sampled } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { claim, createRecord, idempotencyKey, startRun, updateRecord } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  failed,
  flaky,
  passed,
  pending,
  runBody,
  running,
  skipped,
  suiteGroup,
  type TestState,
} from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const TAGGED = { tags: ['@smoke', '@slow'], annotations: [{ type: 'issue', description: 'SHOP-1' }] };
const STATES: Readonly<Record<string, TestState>> = {
  passing: passed(),
  pending: pending(),
  skipped: skipped(),
  'failing and tagged': failed(TAGGED),
  'flaky and tagged': flaky(TAGGED),
};
const ALL = Object.fromEntries(Object.entries(STATES).map(([name, state]) => [`cart.spec.ts > ${name}`, state]));
const OPEN = 'tax.spec.ts > never reports';
const NAMES = Object.keys(ALL);
/**
 * A suite with a spec file whose tests report results, and a spec file that never reports and so keeps the run in
 * progress.
 */
const SUITE = [suiteGroup('retail', [...NAMES, OPEN])];

/** Returns all rows that mention the run, except its deletion mark and the rows of the outbox and the audit log. */
const rowsLeft = async ({ environment }: Stage, runId: string) =>
  (await itemsWith(environment, runId))
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .filter((key) => !/^RUN#\w+#\w+ DELETED$|^(OUTBOX|AUDIT|STOPPED)#/.test(key));

/**
 * False for the rows of resets, of expected tests and of tests without a result, which exist even if no result was
 * reported.
 */
const isReported = ({ sk, sequence }: Record<string, unknown>): boolean =>
  !/^(RESET$|SUITE#)/.test(String(sk)) && (!String(sk).startsWith('TEST#') || sequence !== undefined);

const kindsReported = async ({ environment }: Stage, runId: string) => {
  const items = await itemsWith(environment, runId);
  return [...new Set(items.filter(isReported).map(({ pk }) => String(pk).split('#')[0]))]
    .filter((kind) => kind !== 'OUTBOX' && kind !== 'AUDIT')
    .sort();
};

const aMinuteLater = (stage: Stage) => {
  clock.advance(61_000);
  return stage.runSchedule('finishDeletions');
};

const titleOf = (name: string) => name.split(' > ').slice(1);
const historiesOf = async (stage: Stage, names = NAMES) =>
  (await Promise.all(names.map((name) => historyOf(stage, { spec: 'cart.spec.ts', title: titleOf(name) })))).flat();
const historyOfFirst = (stage: Stage) => historiesOf(stage, NAMES.slice(0, 1));

/** Different ways to record the same spec file. Each returns the id of the run. */
const ways: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  'uploaded once': async (stage) => (await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', ALL)])).runId,
  'uploaded twice': async (stage) => {
    await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', ALL)]);
    return (await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', ALL)])).runId;
  },
  'uploaded with the spec file twice in one call': async (stage) => {
    const instance = batchInstance('retail', 'cart.spec.ts', ALL);
    return (await upload(stage, SUITE, [instance, instance])).runId;
  },
  'uploaded with other outcomes afterwards': async (stage) => {
    await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', ALL)]);
    const corrected = Object.fromEntries(NAMES.map((name, place) => [name, place % 2 ? passed() : failed()]));
    return (await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', corrected)])).runId;
  },
  streamed: async (stage) => {
    const run = await startRun(stage, SUITE, { machineId: 'machine00001' });
    const claimed = await claim(stage, run, 'cart.spec.ts');
    for (const [name, state] of Object.entries(ALL)) await createRecord(stage, claimed, name, state);
    return run.runId;
  },
  'streamed with corrections': async (stage) => {
    const run = await startRun(stage, SUITE, { machineId: 'machine00001' });
    const claimed = await claim(stage, run, 'cart.spec.ts');
    for (const [name, state] of Object.entries(ALL)) {
      const recordId = await createRecord(stage, claimed, name, running());
      await updateRecord(stage, recordId, failed(), 1);
      await updateRecord(stage, recordId, state, 2);
    }
    return run.runId;
  },
  'streamed and uploaded': async (stage) => {
    const run = await startRun(stage, SUITE, { machineId: 'machine00001' });
    const claimed = await claim(stage, run, 'cart.spec.ts');
    for (const [name, state] of Object.entries(ALL)) await createRecord(stage, claimed, name, state);
    clock.advance(1000);
    return (await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', ALL)])).runId;
  },
};

// `npm test` tries only half of the ways to record a spec file here. The tests of resets below try all of them.
describe.each(sampled(Object.entries(ways), 2))('A spec file that was %s', (_, bring) => {
  test('A spec file is deleted with its run, and no row remains', async () => {
    const stage = await service();
    const runId = await bring(stage);
    expect(await historyOfFirst(stage)).not.toEqual([]);
    expect(await stage.api.send('DELETE', `/runs/${runId}`)).toMatchObject({ status: 200 });
    expect(await historiesOf(stage)).toEqual([]);
    await aMinuteLater(stage);
    expect(await rowsLeft(stage, runId)).toEqual([]);
  });
});

describe.each(Object.entries(ways))('A spec file that was %s', (_, bring) => {
  test('A spec file can be recorded again after a reset, which removes all rows of its results', async () => {
    const stage = await service();
    const runId = await bring(stage);
    const answer = await stage.api.put(`/runs/${runId}/reset`, { machineId: ['machine00001'] });
    expect(answer).toMatchObject({ status: 200, body: { data: { instanceIds: [expect.any(String)] } } });
    expect(await historiesOf(stage)).toEqual([]);
    expect(await kindsReported(stage, runId)).toEqual(['COMMIT', 'DUE', 'JOIN', 'PROGRESS', 'RUN', 'RUNS', 'SUITES']);
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ status: 'RUNNING' });
    await bring(stage);
    expect(await historyOfFirst(stage)).not.toEqual([]);
    expect((await stage.api.send('DELETE', `/runs/${runId}`)).status).toBe(200);
    expect(await historyOfFirst(stage)).toEqual([]);
    await aMinuteLater(stage);
    expect(await rowsLeft(stage, runId)).toEqual([]);
  });
});

describe('A run whose deletion was interrupted', () => {
  /** Records a run, and deletes it with a process that dies after the first transaction. */
  async function halfDeleted() {
    const stage = await service();
    const { organizationId } = stage;
    const { runId } = await upload(stage, SUITE, [batchInstance('retail', 'cart.spec.ts', ALL)]);
    const dying = dyingAfter(stage.services, 1);
    await expect(deleteRun(dying, { organizationId, runId, actor: OPERATOR })).rejects.toThrow('died');
    expect((await stage.api.get(`/runs/${runId}`)).status).toBe(404);
    expect(await historiesOf(stage)).toHaveLength(NAMES.length);
    return { stage, runId };
  }

  test('The next sweep completes an interrupted deletion', async () => {
    const { stage, runId } = await halfDeleted();
    expect(await aMinuteLater(stage)).toMatchObject({ failed: 0 });
    expect(await historiesOf(stage)).toEqual([]);
    expect(await rowsLeft(stage, runId)).toEqual([]);
  });

  test('A run cannot be recorded again while its deletion fails', async () => {
    const { stage, runId } = await halfDeleted();
    const sweep = (services: typeof stage.services) =>
      finishDeletions(services, { remainingMilliseconds: () => 60_000 });
    for (const hours of [23, 23]) {
      clock.advance(hours * 3_600_000);
      expect(await sweep(dyingAfter(stage.services, 1))).toMatchObject({ failed: 1 });
    }
    const again = () => stage.api.post('@/runs/v1', runBody(stage.projectId, SUITE), idempotencyKey());
    expect(await again()).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
    await sweep(stage.services);
    expect(await rowsLeft(stage, runId)).toEqual([]);
    clock.advance(25 * 3_600_000);
    expect(await again()).toMatchObject({ status: 200, body: { runId, isNewRun: true } });
  });

  test('A run that is recorded again after an interrupted deletion survives the next sweep', async () => {
    const { stage, runId } = await halfDeleted();
    clock.advance(25 * 3_600_000);
    await startRun(stage, SUITE);
    expect(await stage.runSchedule('finishDeletions')).toMatchObject({ failed: 0 });
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
    expect((await rowsLeft(stage, runId)).filter((key) => key.startsWith('DUE#deletion'))).toEqual([]);
  });
});
