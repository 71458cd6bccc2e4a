import { expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { sampled } from '#test/harness/cases.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { seeded } from '#test/harness/recording-network.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { idealOf, leastWith } from './bounds.ts';
import { type Build, simulate } from './simulation.ts';

/** The numbers of machines. `npm test` tries the sample. */
const MACHINES = sampled([1, 2, 4, 8, 16, 32, 64], 7, 6);
const FILES = MACHINES.length > 1 ? 200 : 20;
const DYING = 0.1;
/** Wall time above the least possible one. */
const MOST = 1.1;
const FASTEST_MILLISECONDS = 4000;

const random = seeded(64);
/** Most files are short, and few take many minutes. */
const longTailed = () => Math.round(FASTEST_MILLISECONDS / (1 - random() * 0.985) ** 1.1);
const specs = Array.from({ length: FILES }, (_, index) => `file-${index}.spec.ts`);
const suite = [
  suiteGroup(
    'retail',
    specs.map((spec) => `${spec} > works`),
  ),
];
const usual = new Map(specs.map((spec) => [spec, longTailed()]));

type Stage = Awaited<ReturnType<typeof service>>;

/** An earlier run with the usual duration of each file. */
async function recordHistory(stage: Stage): Promise<void> {
  const instances = [...usual].map(([spec, duration]) => {
    const state = passed({ attempts: [attempt('passed', { duration })] });
    return batchInstance('retail', spec, { [`${spec} > works`]: state });
  });
  await upload(stage, suite, instances, { ciBuildId: 'history' });
  await compileRuns(stage);
}

/** Today's durations differ from the usual ones by up to a tenth. */
const today = () => new Map([...usual].map(([spec, duration]) => [spec, Math.round(duration * (0.9 + random() / 5))]));

async function measured(stage: Stage, build: Build) {
  const result = await simulate(stage, build);
  expect([...result.ended].sort(), `${build.ciBuildId}: each file ends exactly once`).toEqual([...specs].sort());
  const { completionState, groups } = await read(stage.api, `/runs/${result.runId}`);
  expect({ completionState, passes: groups[0].tests.passes }).toEqual({ completionState: 'COMPLETE', passes: FILES });
  const least = leastWith(build, result, usual);
  return { ...result, least, ratio: result.wallMilliseconds / least };
}

const minutes = (milliseconds: number): string => (milliseconds / 60_000).toFixed(1);

let recorded: Promise<Stage> | undefined;
const withHistory = (): Promise<Stage> =>
  (recorded ??= service().then(async (stage) => {
    await recordHistory(stage);
    return stage;
  }));

test.each(MACHINES)(
  '%i machines share a long-tailed suite in 1.1 times the least possible time, also when one in ten dies',
  async (machines) => {
    const stage = await withHistory();
    const build = { suite, machines, durations: today(), deaths: new Map<number, number>() };
    const { share, ideal } = idealOf(build);
    const calm = await measured(stage, { ...build, ciBuildId: `${machines} live` });
    expect(calm.wallMilliseconds / ideal).toBeLessThanOrEqual(MOST);
    expect(calm.begun).toHaveLength(FILES);
    const dying = machines === 1 ? 0 : Math.max(1, Math.round(machines * DYING));
    const momentOf = () => calm.wallMilliseconds * (0.1 + 0.8 * random());
    const deaths = new Map(Array.from({ length: dying }, (_, number) => [number, momentOf()] as const));
    const hard = await measured(stage, { ...build, deaths, ciBuildId: `${machines} dying` });
    expect(hard.ratio).toBeLessThanOrEqual(MOST);
    expect(hard.begun).toHaveLength(FILES + hard.lost.length);
    expect(hard.lost.length).toBeLessThanOrEqual(dying);
    const cells = [
      machines,
      minutes(share),
      minutes(ideal),
      minutes(calm.wallMilliseconds),
      (calm.wallMilliseconds / ideal).toFixed(3),
    ];
    const more = [dying, hard.lost.length, minutes(hard.least), minutes(hard.wallMilliseconds), hard.ratio.toFixed(3)];
    const all = [...cells, ...more, hard.joined.size - machines, (hard.wallMilliseconds / share).toFixed(1)];
    process.stdout.write(`| ${all.join(' | ')} |\n`);
  },
);
