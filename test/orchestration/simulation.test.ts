import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { cases, IS_DEEP, sampled } from '#test/harness/cases.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { seeded } from '#test/harness/recording-network.ts';
import { read } from '#test/harness/recording-readback.ts';
import { START, service } from '#test/harness/service.ts';
import { idealOf, leastWith } from './bounds.ts';
import { type Build, simulate } from './simulation.ts';

const SIZES = [1, 2, 4, 8, 16, 32, 64];
/** The numbers of machines to measure. `npm test` measures only a build with two machines. */
const MACHINES = sampled(SIZES, 7, 6);
const FILES = IS_DEEP ? 200 : 20;
const DYING = 0.1;
/** The wall time may be at most this many times the wall time with an ideal server. */
const MOST = 1.1;
const FASTEST_MILLISECONDS = 4000;

/** The duration of a file in milliseconds. Most files take seconds, and a few take several minutes. */
const longTailed = (random: () => number) => Math.round(FASTEST_MILLISECONDS / (1 - random() * 0.985) ** 1.1);
const specs = Array.from({ length: FILES }, (_, index) => `file-${index}.spec.ts`);
const suite = [
  suiteGroup(
    'retail',
    specs.map((spec) => `${spec} > works`),
  ),
];

type Stage = Awaited<ReturnType<typeof service>>;

/**
 * A project whose spec files take about the same time in each run. `usual` has the usual duration of each spec file, in
 * milliseconds.
 */
interface Project {
  readonly stage: Stage;
  readonly usual: ReadonlyMap<string, number>;
}

/** Creates a project with an earlier run, in which the spec files had their usual durations. */
async function projectWith(usual: ReadonlyMap<string, number>): Promise<Project> {
  // Sets the clock back, because an earlier simulation advanced it, and a run ignores history that ends after the run
  // started.
  vi.setSystemTime(START);
  const stage = await service();
  const instances = [...usual].map(([spec, duration]) => {
    const state = passed({ attempts: [attempt('passed', { duration })] });
    return batchInstance('retail', spec, { [`${spec} > works`]: state });
  });
  await upload(stage, suite, instances, { ciBuildId: 'history' });
  await compileRuns(stage);
  return { stage, usual };
}

/** The durations in the simulated run, which differ from the usual durations by up to a tenth. */
const today = (usual: ReadonlyMap<string, number>, random: () => number) =>
  new Map([...usual].map(([spec, duration]) => [spec, Math.round(duration * (0.9 + random() / 5))]));

/**
 * Chooses the machines that die during a build, and the time at which each of them dies: one machine in ten, but at
 * least one. If there is only one machine, it does not die.
 */
function deathsWithin(milliseconds: number, machines: number, random: () => number): ReadonlyMap<number, number> {
  const dying = machines === 1 ? 0 : Math.max(1, Math.round(machines * DYING));
  return new Map(Array.from({ length: dying }, (_, number) => [number, milliseconds * (0.1 + 0.8 * random())]));
}

async function measured({ stage, usual }: Project, build: Build) {
  const result = await simulate(stage, build);
  expect([...result.ended].sort(), `${build.ciBuildId}: each file ends exactly once`).toEqual([...specs].sort());
  const { completionState, groups } = await read(stage.api, `/runs/${result.runId}`);
  expect({ completionState, passes: groups[0].tests.passes }).toEqual({ completionState: 'COMPLETE', passes: FILES });
  const least = leastWith(build, result, usual);
  return { ...result, least, ratio: result.wallMilliseconds / least };
}

const minutes = (milliseconds: number): string => (milliseconds / 60_000).toFixed(1);

async function measuredWithDeaths(project: Project, build: Build) {
  const hard = await measured(project, build);
  expect(hard.ratio).toBeLessThanOrEqual(MOST);
  expect(hard.begun).toHaveLength(FILES + hard.lost.length);
  expect(hard.lost.length).toBeLessThanOrEqual(build.deaths.size);
  return hard;
}

const random = seeded(64);
const usual = new Map(specs.map((spec) => [spec, longTailed(random)]));
let recorded: Promise<Project> | undefined;

test.each(MACHINES)(
  'A suite with a few very long files takes at most 1.1 times the time with an ideal server, even if machines die (machines: %i)',
  async (machines) => {
    recorded ??= projectWith(usual);
    const project = await recorded;
    const build = { suite, machines, random, durations: today(usual, random), deaths: new Map<number, number>() };
    const { share, ideal } = idealOf(build);
    const calm = await measured(project, { ...build, ciBuildId: `${machines} live` });
    expect(calm.wallMilliseconds / ideal).toBeLessThanOrEqual(MOST);
    expect(calm.begun).toHaveLength(FILES);
    const deaths = deathsWithin(calm.wallMilliseconds, machines, random);
    const hard = await measuredWithDeaths(project, { ...build, deaths, ciBuildId: `${machines} dying` });
    const cells = [
      machines,
      minutes(share),
      minutes(ideal),
      minutes(calm.wallMilliseconds),
      (calm.wallMilliseconds / ideal).toFixed(3),
    ];
    const more = [
      deaths.size,
      hard.lost.length,
      minutes(hard.least),
      minutes(hard.wallMilliseconds),
      hard.ratio.toFixed(3),
    ];
    const all = [...cells, ...more, hard.joined.size - machines, (hard.wallMilliseconds / share).toFixed(1)];
    process.stdout.write(`| ${all.join(' | ')} |\n`);
  },
);

test('A build in which machines die takes at most 1.1 times the time with an ideal server, for random durations and times of death', async () => {
  const Machines = fc.constantFrom(...SIZES.slice(1));
  const build = async (machines: number, seed: number) => {
    const chance = seeded(seed);
    const own = new Map(specs.map((spec) => [spec, longTailed(chance)]));
    const durations = today(own, chance);
    const deaths = deathsWithin(idealOf({ durations, machines }).ideal, machines, chance);
    const all = { suite, machines, durations, deaths, random: chance, ciBuildId: 'dying' };
    const { ratio, lost } = await measuredWithDeaths(await projectWith(own), all);
    if (IS_DEEP) process.stdout.write(`${machines} machines, seed ${seed}: ${lost.length} lost, ${ratio.toFixed(3)}\n`);
  };
  const property = fc.asyncProperty(Machines, fc.integer({ min: 1 }), build);
  await fc.assert(property, { numRuns: cases(1), endOnFailure: true });
});
