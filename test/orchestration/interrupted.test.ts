import { describe, expect, test } from 'vitest';
import { StartSessionBody } from '#shared/orchestration/session-wire.ts';
import { startSession } from '#shared/orchestration/start-session.ts';
import { takeTask } from '#shared/orchestration/take-task.ts';
import type { Services } from '#shared/services.ts';
import { sampled } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import {
  startSession as join,
  runTask,
  sessionBody,
  specsOf,
  takeTask as take,
  takeAll,
} from '#test/harness/orchestration.ts';
import { running, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const SPECS = ['a.spec.ts', 'b.spec.ts'];
const SUITE = [
  suiteGroup(
    'retail',
    SPECS.map((spec) => `${spec} > works`),
  ),
];
const ALL = SPECS.map((spec) => `retail ${spec}`);
const FRAMEWORK = { type: 'pw', version: null, clientVersion: null };
const MINUTE = 60_000;

/** The numbers of writes after which a request is interrupted. No request in this file makes 100 writes or more. */
const WRITES = Array.from({ length: 100 }, (_, writes) => writes);

type Stage = Awaited<ReturnType<typeof service>>;

/** Interrupts a request after this many writes. Returns false if the request needs no more writes, and so completes. */
async function diesAfter(stage: Stage, writes: number, request: (services: Services) => Promise<unknown>) {
  const death = await request(dyingAfter(stage.services, writes)).then(
    () => undefined,
    (error) => String(error),
  );
  if (death !== undefined) expect(death).toMatch(/The process has died/);
  return death !== undefined;
}

const taking =
  ({ organizationId }: Stage, runId: string, machineId: string) =>
  (services: Services) =>
    takeTask(services, {
      organizationId,
      sessionId: runId,
      machineId,
      sentRunId: runId,
      requestKey: `of ${machineId}`,
    });

describe('A request that is killed', () => {
  test('An interrupted start of a session can be repeated, and the session then distributes all files', async () => {
    const stage = await service();
    // `npm test` tries only even numbers of writes.
    for (const writes of sampled(WRITES, 2)) {
      const ciBuildId = `start ${writes}`;
      const body = StartSessionBody.parse(
        sessionBody(stage.projectId, SUITE, { ciBuildId, machineId: 'm1', globalWorkers: 2 }),
      );
      const { organizationId } = stage;
      const start = (services: Services) =>
        startSession(services, { organizationId, body, framework: FRAMEWORK, requestKey: 'start' });
      const dies = await diesAfter(stage, writes, start);
      const session = await start(stage.services);
      expect((await takeAll(stage, session)).sort(), ciBuildId).toEqual(ALL);
      if (!dies) return expect(writes).toBeGreaterThan(8);
    }
    throw new Error('A start makes more writes than this test tries: raise WRITES');
  });

  test('After an interrupted request for a task, a machine that repeats the request gets only one batch, and no file is lost if the machine does not repeat the request', async () => {
    const stage = await service();
    for (const isRepeated of [true, false]) {
      for (let writes = 0, dies = true; dies; writes += 1) {
        const ciBuildId = `task ${writes} ${isRepeated}`;
        const session = await join(stage, SUITE, { ciBuildId, machineId: 'm1' });
        const other = await join(stage, SUITE, { ciBuildId, machineId: 'm2' });
        dies = await diesAfter(stage, writes, taking(stage, session.runId, 'm1'));
        const own = isRepeated || !dies ? specsOf(await taking(stage, session.runId, 'm1')(stage.services)) : [];
        expect([...own, ...(await takeAll(stage, other))].sort(), ciBuildId).toEqual(ALL);
      }
    }
  });

  test('If a request is interrupted while it frees the files of a dead machine, another machine gets these files', async () => {
    const stage = await service();
    for (const writes of sampled(WRITES, 2, 1)) {
      const ciBuildId = `free ${writes}`;
      const dead = await join(stage, SUITE, { ciBuildId, machineId: 'dead' });
      const lost = await take(stage, dead);
      await runTask(stage, SUITE, { ...dead, ciBuildId }, lost, running());
      for (const machineId of ['m1', 'm2']) await join(stage, SUITE, { ciBuildId, machineId });
      clock.advance(3 * MINUTE);
      const dies = await diesAfter(stage, writes, taking(stage, dead.runId, 'm1'));
      const first = dies ? [] : specsOf(await taking(stage, dead.runId, 'm1')(stage.services));
      clock.advance(MINUTE + 1000);
      const rest = await takeAll(stage, { ...dead, machineId: 'm2' });
      expect([...first, ...rest].sort(), ciBuildId).toEqual(ALL);
      if (!dies) return expect(writes).toBeGreaterThan(8);
    }
    throw new Error('A release makes more writes than this test tries: raise WRITES');
  });
});
