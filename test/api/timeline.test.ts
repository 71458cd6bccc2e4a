import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTimeline } from '#shared/results/runs/timeline.ts';
import { cases } from '#test/harness/cases.ts';

const START = Date.parse('2026-11-02T10:00:00Z');
const at = (time: number) => new Date(START + time).toISOString();

const SPEC = fc.record({
  machineId: fc.constantFrom('one', 'two', 'three'),
  from: fc.integer({ min: 1, max: 100 }),
  lasts: fc.option(fc.nat(40), { nil: null }),
  isClaimed: fc.boolean(),
});

const specsOf = (drawn: readonly { machineId: string; from: number; lasts: number | null; isClaimed: boolean }[]) =>
  drawn.map(({ machineId, from, lasts, isClaimed }, index) => ({
    spec: `${index}.spec.ts`,
    groupId: 'unit',
    instanceId: String(index),
    machineId: isClaimed ? machineId : '',
    claimedAt: isClaimed ? at(from) : null,
    completedAt: isClaimed && lasts !== null ? at(from + lasts) : null,
    tags: [],
    results: null,
  }));

test('A timeline shows each claimed spec file once, with no overlap within a lane, and counts the busy milliseconds of each machine', () => {
  fc.assert(
    fc.property(fc.array(SPEC, { maxLength: 30 }), fc.nat(160), (drawn, length) => {
      const specs = specsOf(drawn);
      const timeline = buildTimeline(
        { createdAt: at(0), durationMs: length, completionState: 'COMPLETE', specs },
        START,
      );
      const shown = timeline.machines.flatMap(({ lanes }) => lanes.flat().map(({ spec }) => spec.instanceId));
      expect(shown.toSorted()).toEqual(
        specs.flatMap(({ claimedAt, instanceId }) => (claimedAt === null ? [] : instanceId)).toSorted(),
      );
      for (const { machineId, lanes, busy, end } of timeline.machines) {
        for (const lane of lanes)
          for (const [index, bar] of lane.entries()) expect(bar.from).toBeGreaterThanOrEqual(lane[index - 1]?.to ?? 0);
        // The expected number of busy milliseconds is counted by checking each millisecond separately.
        const own = drawn.filter((one) => one.isClaimed && one.machineId === machineId);
        const isBusy = (time: number) =>
          own.some(({ from, lasts }) => from <= time && (lasts === null || time < from + lasts));
        expect(busy).toBe(Array.from({ length }, (_, time) => time).filter(isBusy).length);
        expect(end).toBe(
          Math.max(...own.map(({ from, lasts }) => Math.min(length, lasts === null ? length : from + lasts))),
        );
        expect(end).toBeLessThanOrEqual(timeline.last?.end ?? 0);
      }
    }),
    { numRuns: cases(10_000, 300) },
  );
});

test('The timeline of a run in progress ends at the current time', () => {
  const specs = specsOf([{ machineId: 'one', from: 10, lasts: null, isClaimed: true }]);
  const timeline = buildTimeline(
    { createdAt: at(0), durationMs: null, completionState: 'IN_PROGRESS', specs },
    START + 50,
  );
  expect(timeline).toMatchObject({
    length: 50,
    machines: [{ busy: 40, lanes: [[{ from: 10, to: 50, isOpen: true }]] }],
  });
});

/** Spec files at these milliseconds after the start. Those without times are claimed when the run was created. */
const listSpec = (from: number, to: number) =>
  specsOf([{ machineId: 'import', from, lasts: to - from, isClaimed: true }]).map((one) => ({
    ...one,
    instanceId: `${from}`,
  }));

test.each([
  [
    'their spec files, from the first start to the last end',
    [...listSpec(20, 50), ...listSpec(10, 30)],
    40,
    [
      [10, 30],
      [20, 50],
    ],
  ],
  [
    'the spec files with times, without those that have none',
    [...listSpec(10, 30), ...listSpec(1000, 4000)],
    20,
    [[10, 30]],
  ],
  ['no spec file if none has times', [...listSpec(1000, 4000), ...listSpec(1000, 3000)], 0, []],
] as const)('The timeline of results that were recorded after their tests ran shows %s', (_, specs, length, places) => {
  const run = { createdAt: at(1000), durationMs: 20, completionState: 'COMPLETE' as const, specs: [...specs] };
  const timeline = buildTimeline(run, START + 100_000);
  const bars = timeline.machines.flatMap(({ lanes }) => lanes.flat());
  expect(timeline.length).toBe(length);
  expect(bars.map(({ from, to }) => [from + 10, to + 10])).toEqual(places);
});
