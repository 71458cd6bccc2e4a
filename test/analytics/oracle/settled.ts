/** Records a few runs, and brings the read model up to date. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { query } from '#test/harness/client.ts';
import { clock, service } from '#test/harness/service.ts';
import type { Parameters } from './asked.ts';
import { type RunPlan, runPlan } from './plan.ts';
import { filterParameters, periodParameters } from './questions.ts';
import { overHttp } from './recorder.ts';
import type { Filter, Period } from './selection.ts';
import { World } from './world.ts';

export type Stage = Awaited<ReturnType<typeof service>>;

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;

/** Generates this number of values. They are the same in each test run. */
export const examples = <One>(of: fc.Arbitrary<One>, number: number): One[] =>
  fc.sample(of, { numRuns: number, seed: 13 });

export async function settle(stage: Pick<Stage, 'runSchedule'>): Promise<void> {
  for (let sweep = 0; sweep < 3; sweep += 1) {
    clock.advance(TEN_MINUTES);
    await stage.runSchedule('mergeAnalytics');
  }
}

/**
 * Records runs `hoursApart` hours apart, so that runs with missing results time out, and then brings the read model up
 * to date. `plan` replaces parts of each generated run.
 */
export async function recorded(runs: number, plan: Partial<RunPlan> = {}, hoursApart = 2) {
  const stage = await service();
  const world = new World(overHttp(stage));
  const start = Date.now();
  for (const one of examples(runPlan, runs)) {
    await world.record({ ...one, ...plan });
    await world.wait(hoursApart * HOUR);
  }
  await settle(stage);
  return { stage, world, period: { from: start, to: Date.now() } };
}

type Reading = Pick<Stage, 'projectId' | 'reader'>;

export const ask = async (
  { reader }: Reading,
  path: string,
  period: Period,
  filter: Filter = {},
  more: Parameters = [],
) => {
  const parameters = query(...periodParameters(period), ...filterParameters(filter), ...more);
  const { status, body } = await reader.get(path + parameters);
  expect({ status, path }).toMatchObject({ status: 200 });
  return body.data;
};

/** The responses about the tests, spec files, errors and runs of a period. Lists contain up to 50 rows. */
export async function answers(stage: Reading, period: Period, filter: Filter = {}) {
  const { projectId } = stage;
  const list = (path: string) => ask(stage, path, period, filter, [['limit', '50']]);
  return {
    tests: await list(`/tests/${projectId}`),
    specs: await list(`/spec-files/${projectId}`),
    errors: await list(`/errors/${projectId}`),
    insights: await ask(stage, `/projects/${projectId}/insights`, period, filter),
  };
}
