/** Records past runs of the demo story into an empty table. */

import { expect, test } from 'vitest';
import * as z from 'zod';
import { type RecordedPlace, recordRun } from '#infra/demo/recording/record-run.ts';
import { buildStory } from '#infra/demo/story/story.ts';
import type { StoryRun } from '#infra/demo/story/story-run.ts';
import { put } from '#shared/engine/table/writes.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { FOREVER } from '#shared/model/runs/retention.ts';
import { makeServices as connect } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { readMergedBuild } from '#shared/results/builds/tries-of-build.ts';
import { locateRun } from '#shared/results/runs/find-run.ts';
import type { Services } from '#shared/services.ts';
import { sampled } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { ownTable } from '#test/harness/own-table.ts';
import { rowsOfRun } from '#test/harness/recording-rows.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const NOW = Date.parse('2026-11-02T10:00:00.000Z');
const PLACE: RecordedPlace = { organizationId: 'demo', projectId: 'shop', adminAccountId: 'robin' };

/** The run without its files, because the service of this test has no bucket. */
const withoutFiles = (run: StoryRun): StoryRun =>
  JSON.parse(JSON.stringify(run), (name, value) => (name === 'artifacts' ? [] : value));

const story = buildStory(NOW).map(withoutFiles);
const find = (isWanted: (run: StoryRun) => boolean): StoryRun => {
  const run = story.find(isWanted);
  if (!run) throw new Error('The story has no run that matches');
  return run;
};

interface Stage {
  readonly services: Services;
  readonly environment: Readonly<Record<string, string>>;
}

async function stage(): Promise<Stage> {
  const { services, environment } = await ownTable();
  const all = { ...environment, [ENVIRONMENT.artifactsBucket]: 'none', [ENVIRONMENT.publicOrigin]: 'http://localhost' };
  const { organizationId, projectId } = PLACE;
  const settings = { name: 'Shop', createdAt: NOW, inactivityTimeoutSeconds: 1800, failFast: false };
  const project = { organizationId, projectId, ...settings, defaultBranchName: 'main', retention: FOREVER };
  await services.table.writeMany([put(projects, project)]);
  return { services: connect(all), environment };
}

const runIn = async ({ environment }: Stage) => {
  const [run] = await itemsOf(environment, ({ pk, sk }) => String(pk).startsWith('RUN#') && sk === 'RUN');
  return run ?? {};
};

/** Records a run without interruption, and reads everything that the tests check. */
async function recorded(run: StoryRun) {
  const here = await stage();
  const table = here.services.table.metered();
  await recordRun({ ...here.services, table }, PLACE, run);
  const stored = await runIn(here);
  const waiting = await itemsOf(here.environment, ({ pk }) => /^(?:OUTBOX|DUE#run)/.test(String(pk)));
  const rows = await rowsOfRun(here.environment, String(stored['runId']));
  return { stored, waiting, rows, trips: table.meter.trips };
}

const FINISHED = find(({ ciBuildId }) => ciBuildId === 'shop-4819');
const TIMED_OUT = find(({ special }) => special === 'timed out');
const shared = new Map<StoryRun, ReturnType<typeof recorded>>();
/** Several tests read the same uninterrupted run. */
function undisturbed(run: StoryRun): ReturnType<typeof recorded> {
  const known = shared.get(run) ?? recorded(run);
  shared.set(run, known);
  return known;
}

test.each([
  ['finished', FINISHED, 'COMPLETE'],
  ['cancelled', find(({ special }) => special === 'cancelled'), 'CANCELED'],
  ['timed-out', TIMED_OUT, 'TIMEOUT'],
])(
  'a past %s demo run starts at its time in the demo data and ends in the past, publishes no event and leaves no work for scheduled jobs',
  async (_, run, completionState) => {
    const { stored, waiting } = await undisturbed(run);
    expect(stored).toMatchObject({ completionState, createdAt: run.createdAt });
    expect(Number(stored['endedAt'])).toBeGreaterThan(run.createdAt);
    expect(Number(stored['endedAt'])).toBeLessThan(NOW);
    expect(waiting).toEqual([]);
  },
);

test('the two tries of a demo build are linked although the second one is recorded first, and its tests are flaky', async () => {
  const here = await stage();
  const tries = story.filter(({ special }) => special === 'tried again');
  expect(tries.map(({ ciBuildId }) => ciBuildId)).toEqual([expect.stringMatching(/ \(attempt 2\)$/), 'shop-4818']);
  for (const run of tries) await recordRun(here.services, PLACE, run);
  const { organizationId, projectId } = PLACE;
  const query = { projectId, ciBuildId: 'shop-4818' };
  const newest = await locateRun(here.services, organizationId, query);
  const build = newest && (await readMergedBuild(here.services, newest));
  expect(build).toMatchObject({ state: 'passed', newest: { ciBuildId: 'shop-4818 (attempt 2)' }, open: [] });
  expect(build?.repaired).toHaveLength(2);
  // Each try also has a flaky test of its own.
  expect(build?.flaky).toBe(4);
});

test('two jobs of a demo run report the same tests, and the failure of one job fails the run', async () => {
  const { stored } = await undisturbed(find(({ special }) => special === 'two jobs'));
  expect(stored).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  const [group] = z
    .array(z.object({ tests: z.object({ overall: z.number(), failures: z.number() }) }))
    .parse(stored['groups']);
  expect(group?.tests).toEqual({ overall: 92, failures: 1 });
});

test('a demo run is imported from the reports of three jobs, and takes as long as the slowest of them', async () => {
  const { stored, waiting } = await undisturbed(find(({ ciBuildId }) => ciBuildId === 'accounting-59'));
  expect(stored).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  const groups = z.array(z.object({ tests: z.object({ overall: z.number(), failures: z.number() }) }));
  const tests = groups.parse(stored['groups']).map((group) => group.tests);
  expect(tests.reduce((sum, { overall }) => sum + overall, 0)).toBe(66);
  expect(tests.reduce((sum, { failures }) => sum + failures, 0)).toBe(3);
  expect(stored['endedAt']).toBeLessThan(NOW);
  expect(waiting).toEqual([]);
});

test('a demo run whose tests all passed failed because of an error outside tests', async () => {
  const { stored, rows } = await undisturbed(find(({ special }) => special === 'broken teardown'));
  expect(stored).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED', hasProblems: true });
  expect(JSON.stringify(rows)).toContain("the carrier's test server did not stop");
});

test('recording a past demo run takes fewer than 15 round trips to the table per spec file', async () => {
  const { trips } = await undisturbed(FINISHED);
  const files = FINISHED.machines.flatMap(({ instances }) => instances).length;
  expect(files).toBeGreaterThan(14);
  expect(trips / files).toBeLessThan(15);
});

test('a run whose recording was interrupted after some writes and then repeated has the same rows as a run that was recorded without interruption', async () => {
  const { stored, rows } = await undisturbed(TIMED_OUT);
  const runId = String(stored['runId']);
  expect(rows.length).toBeGreaterThan(100);
  // In `npm test`, recording is interrupted at only two writes: one of those that start the run, and one of those that
  // write results.
  for (const writes of sampled([2, 9, 40, 90], 2)) {
    const here = await stage();
    await expect(recordRun(dyingAfter(here.services, writes), PLACE, TIMED_OUT)).rejects.toThrow(
      'The process has died',
    );
    await recordRun(here.services, PLACE, TIMED_OUT);
    expect(await rowsOfRun(here.environment, runId), `after ${writes} writes`).toEqual(rows);
  }
});
