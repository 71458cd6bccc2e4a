import { describe, expect, test } from 'vitest';
import { ORCHESTRATION_LIMITS } from '#shared/orchestration/limits.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { cases } from '#test/harness/cases.ts';
import { askForTask, sessionBody, startSession, takeAll, takeTask } from '#test/harness/orchestration.ts';
import { claim, startRun } from '#test/harness/recording.ts';
import { suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const suiteOf = (files: number) => [
  suiteGroup(
    'retail',
    Array.from({ length: files }, (_, index) => `tests/${index}.spec.ts > works`),
  ),
];

/** The number of files of a large suite. In batches of five, these files need more than one page of the stored plan. */
const MANY_FILES = Math.min(cases(1000, 260), 1000);

describe('A suite of many files', () => {
  test('is distributed to machines that ask at the same time, and each file goes to exactly one of them', async () => {
    const stage = await service();
    const suite = suiteOf(MANY_FILES);
    const more = { globalWorkers: 5 };
    expect(MANY_FILES / more.globalWorkers).toBeGreaterThan(ORCHESTRATION_LIMITS.batchesPerPage);
    const sessions = await Promise.all(
      Array.from({ length: Math.min(cases(8, 4), 8) }, () => startSession(stage, suite, more)),
    );
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    const taken = (await Promise.all(sessions.map((session) => takeAll(stage, session)))).flat();
    expect(taken).toHaveLength(MANY_FILES);
    expect(new Set(taken).size).toBe(MANY_FILES);
  });
});

describe('An orchestration session', () => {
  test.each([
    ['two machines that share an id start at the same time', { machineId: 'same' }],
    ['ids have odd characters', { machineId: '../\u{1f3ad} #%', ciBuildId: '../../x#y' }],
    ['batches are larger than the suite', { globalBatchSize: 1_000_000 }],
    ['sizes are invalid', { globalBatchSize: 'many', globalWorkers: -1, projectWorkers: [1], machineId: 'm' }],
  ])('distributes each file once if %s', async (_, more) => {
    const stage = await service();
    const suite = suiteOf(12);
    const sessions = await Promise.all([1, 2].map(() => startSession(stage, suite, more)));
    const taken = (await Promise.all(sessions.map((session) => takeAll(stage, session)))).flat();
    expect(taken.length).toBe(new Set(taken).size);
    expect(new Set(taken).size).toBe(12);
  });

  test.each([
    [{ suite: [] }, 'suite'],
    [{ suite: 'all' }, 'suite'],
    [{ machineId: 7 }, 'machineId'],
    [{ ciBuildId: '' }, 'ciBuildId'],
    [{ projectId: 7 }, 'projectId'],
  ])(
    'A request to start a session with %j is refused with 400, and the error names the property to correct',
    async (more, name) => {
      const stage = await service();
      const answer = await stage.api.post('@/orchestration-v1', sessionBody(stage.projectId, suiteOf(2), more));
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(`\`${name}`) } });
    },
  );

  test('A task request with the id of another run is refused with 400, and no file is distributed', async () => {
    const stage = await service();
    const session = await startSession(stage, suiteOf(2), { machineId: 'm' });
    const other = await startRun(stage, suiteOf(2), { ciBuildId: 'other' });
    const answer = await askForTask(stage, { ...session, runId: other.runId });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('`runId` contradicts') } });
    expect(await takeAll(stage, session)).toHaveLength(2);
  });
});

describe('A claim of a spec file in a session', () => {
  test('A repeated claim of a spec file returns the same instance, and is counted only once', async () => {
    const stage = await service();
    const session = await startSession(stage, suiteOf(1), { machineId: 'm' });
    await takeTask(stage, session);
    const run = await startRun(stage, suiteOf(1), { machineId: 'm' });
    const body = ClaimInstanceBody.parse({ ...run, groupId: 'retail', spec: 'tests/0.spec.ts', machineId: 'm' });
    const { organizationId, services } = stage;
    const request = { organizationId, runId: run.runId, body, requestKey: 'once' };
    const claims = await Promise.all([1, 2, 3].map(() => claimInstance(services, request)));
    expect(new Set(claims.map(({ instanceId }) => instanceId)).size).toBe(1);
    expect(claims.map(({ claimedCount }) => claimedCount)).toEqual([1, 1, 1]);
    const again = await claim(stage, { ...run, machineId: 'm' }, 'tests/0.spec.ts');
    expect(again.instanceId).toBe(claims[0]?.instanceId);
  });
});
