import { describe, expect, test } from 'vitest';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { attempt, passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const START = Date.parse('2026-11-02T10:00:00.000Z');
const SECOND = 1000;

/** A test of a spec file that began and ended these seconds after the start of the run. */
const ran = (from: number, to: number) =>
  passed({
    attempts: [
      attempt('passed', { startTime: new Date(START + from * SECOND).toISOString(), duration: (to - from) * SECOND }),
    ],
  });

/** Starts a recording whose tests nobody announces, as those of Vitest, Jest and node:test. */
async function unannounced() {
  clock.set(START);
  const stage = await service();
  const { runId } = await dataOf(sendStart(stage, startBody([liveGroup('unit', [])])));
  let sequence = 0;
  return {
    ...stage,
    runId,
    async part(at: number, tests: Parameters<typeof liveInstances>[1], more: object = {}) {
      clock.set(START + at * SECOND);
      const instances: object[] = liveInstances('unit', tests).map((instance) => ({ ...instance, ...more }));
      if (instances.length === 0) instances.push({ groupId: 'unit', spec: 'a.test.ts', tests: [], ...more });
      await dataOf(sendBatch(stage, runId, { machineId: 'm1', sequence, instances }));
      sequence += 1;
    },
    async end(at: number) {
      clock.set(START + at * SECOND);
      await dataOf(sendEnd(stage, runId, { machineId: 'm1', batches: sequence }));
    },
    async counts() {
      const { specs, groups } = await read(stage.api, `/runs/${runId}`);
      const live = await readProgress(stage.services, { organizationId: stage.organizationId, runId });
      expect(live.specFiles.complete).toBe(groups[0].instances.complete);
      return { complete: live.specFiles.complete, completedAt: specs[0].completedAt, tests: live.tests.overall };
    },
    async seconds() {
      const { specs, groups } = await read(stage.api, `/runs/${runId}`);
      const [{ claimedAt, completedAt }] = specs;
      return [(Date.parse(completedAt) - Date.parse(claimedAt)) / SECOND, groups[0].durationMs / SECOND];
    },
  };
}

describe('A spec file that is sent in parts', () => {
  test('lasts from the start of its first test to the end of its last one, while the run goes on and afterwards', async () => {
    const run = await unannounced();
    await run.part(21, { 'a.test.ts > 1': ran(0, 6), 'a.test.ts > 2': ran(6, 12), 'a.test.ts > 3': ran(12, 18) });
    expect(await run.seconds()).toEqual([18, 18]);
    await run.part(31, { 'a.test.ts > 4': ran(18, 24), 'a.test.ts > 5': ran(24, 30) });
    expect(await run.seconds()).toEqual([30, 30]);
    await run.end(32);
    expect(await run.seconds()).toEqual([30, 30]);
    const { specs } = await read(run.api, `/runs/${run.runId}`);
    const { completedAt } = await read(run.api, `/instances/${specs[0].instanceId}`);
    expect(completedAt).toBe(new Date(START + 30 * SECOND).toISOString());
  });

  test('begins with its earliest test, even if this one ends last', async () => {
    const run = await unannounced();
    await run.part(20, { 'a.test.ts > quick': ran(10, 12) });
    await run.part(60, { 'a.test.ts > slow': ran(1, 55) });
    await run.part(61, { 'a.test.ts > again': ran(2, 3) });
    expect((await run.seconds())[0]).toBe(54);
  });

  test('counts as running until its last part, which may have no tests', async () => {
    const run = await unannounced();
    const running = { complete: 0, completedAt: null };
    await run.part(21, { 'a.test.ts > 1': ran(0, 18) }, { hasMore: true });
    expect(await run.counts()).toEqual({ ...running, tests: 1 });
    await run.part(51, { 'a.test.ts > 2': ran(18, 48) }, { hasMore: true });
    expect(await run.counts()).toEqual({ ...running, tests: 2 });
    await run.part(52, {});
    const completedAt = new Date(START + 48 * SECOND).toISOString();
    expect(await run.counts()).toEqual({ complete: 1, completedAt, tests: 2 });
    await run.end(53);
    expect(await run.counts()).toEqual({ complete: 1, completedAt, tests: 2 });
  });

  test('does not keep its run from ending if its last part never comes', async () => {
    const run = await unannounced();
    await run.part(21, { 'a.test.ts > 1': ran(0, 18) }, { hasMore: true });
    await run.end(30);
    const { completionState, specs } = await read(run.api, `/runs/${run.runId}`);
    expect({ completionState, completedAt: specs[0].completedAt }).toEqual({
      completionState: 'COMPLETE',
      completedAt: new Date(START + 18 * SECOND).toISOString(),
    });
  });
});
