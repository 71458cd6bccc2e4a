/** The demo story as data, before it is recorded. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BROKEN, FLAKY, SLOW } from '#infra/demo/story/plot.ts';
import { buildHugeStory, buildStory } from '#infra/demo/story/story.ts';
import type { StoryRun } from '#infra/demo/story/story-run.ts';

const START = Date.parse('2026-11-22T20:07:31.118Z');
const DAY_MILLISECONDS = 24 * 3600 * 1000;
const FOLDER = 'infra/demo/story';

const runs = buildStory(START);

const testsOf = (run: StoryRun) =>
  run.machines.flatMap(({ group, instances }) =>
    instances.flatMap(({ spec, results }) => results.tests.map((test) => ({ ...test, group, spec, run }))),
  );
const executions = runs.flatMap(testsOf);
const named = (name: string) => executions.filter(({ title }) => title.at(-1) === name);
const numberOf = (values: readonly unknown[]): number => new Set(values.map((value) => JSON.stringify(value))).size;

test('the demo data for the same start time is always the same', () => {
  expect(buildStory(START)).toEqual(runs);
});

test('the demo data depends neither on the clock nor on a random source', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts'));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names)
    expect(await readFile(join(FOLDER, name), 'utf8'), name).not.toMatch(
      /Date\.now|new Date\(\)|Math\.random|random(Bytes|UUID)/,
    );
});

test('the demo data has 67 runs of 4 projects in almost 30 days, 61 of them of Shop and Warehouse, with 5 branches and 120 tests', () => {
  const small = runs.filter(({ project }) => project === 'shop' || project === 'warehouse');
  expect(small).toHaveLength(61);
  expect(runs).toHaveLength(67);
  expect(numberOf(runs.map(({ ciBuildId }) => ciBuildId))).toBe(67);
  expect(numberOf(runs.map(({ project }) => project))).toBe(4);
  expect(numberOf(small.map(({ facts }) => facts.commit.branch))).toBe(5);
  expect(numberOf(small.flatMap(testsOf).map(({ run, spec, title }) => [run.project, spec, title]))).toBe(120);
  const newest = runs[0];
  const oldest = runs.at(-1);
  expect(newest?.createdAt).toBe(START);
  const days = (START - (oldest?.createdAt ?? 0)) / DAY_MILLISECONDS;
  expect(days).toBeGreaterThan(28);
  expect(days).toBeLessThan(30);
});

test.each(['2026-11-22T00:00:00Z', '2026-11-22T03:10:00Z', '2028-02-29T23:59:59Z'])(
  'the demo runs for the start time %s are ordered from newest to oldest, and only the run in progress ends after that time',
  (time) => {
    const start = Date.parse(time);
    const story = buildStory(start);
    expect(story.map(({ createdAt }) => createdAt)).toEqual(
      story.map(({ createdAt }) => createdAt).toSorted((one, other) => other - one),
    );
    const late = story.filter(({ machines }) => machines.some(({ endsAt }) => endsAt > start));
    expect(late.map(({ special }) => special)).toEqual(['live']);
  },
);

test('the demo has a run of each special kind, and both tries of the build whose failed job was run again', () => {
  const special = runs.flatMap((run) => run.special ?? []);
  expect(special.toSorted()).toEqual([
    'broken teardown',
    'cancelled',
    'live',
    'outage',
    'timed out',
    'tried again',
    'tried again',
    'two jobs',
  ]);
});

test('the second try of the demo executes only the spec files of the machine that failed, and passes', () => {
  const [second, first] = runs.filter(({ special }) => special === 'tried again');
  const failures = (run: StoryRun | undefined) => (run ? testsOf(run) : []).filter(({ state }) => state === 'failed');
  expect(failures(first)).toHaveLength(2);
  expect(failures(second)).toEqual([]);
  expect(second?.machines).toHaveLength(1);
});

test('an outage makes twelve tests of one demo run fail for the same reason', () => {
  const failed = runs.filter((run) => run.special === 'outage').flatMap(testsOf);
  const errors = failed.flatMap(({ state, attempts }) => (state === 'failed' ? attempts.slice(-1) : []));
  const refused = errors.filter((attempt) => JSON.stringify(attempt.errors).includes('The bank cannot be reached'));
  expect(refused).toHaveLength(12);
});

const failuresOf = (ciBuildId: string) =>
  executions.filter(({ run, state }) => run.ciBuildId === ciBuildId && state === 'failed');

test('one commit makes 300 of 604 tests fail for four reasons', () => {
  const failed = failuresOf('wholesale-213');
  expect(failed).toHaveLength(300);
  const errors = failed.map(({ attempts }) => JSON.stringify(attempts[0]?.errors));
  const reasons = [/Received: .*404/, /name: 'Export'/, /ECONNREFUSED/, /Received: .*\d found/];
  expect(reasons.map((reason) => errors.filter((error) => reason.test(error)).length)).toEqual([180, 72, 40, 8]);
});

test('one demo run has a single spec file of the suite', () => {
  const numberOfSpecs = (ciBuildId: string) =>
    numberOf(executions.filter(({ run }) => run.ciBuildId === ciBuildId).map(({ spec }) => spec));
  expect([numberOfSpecs('wholesale-213'), numberOfSpecs('wholesale-214')]).toEqual([61, 1]);
});

test('two demo tests differ from their pictures, one of them from two', () => {
  const failed = failuresOf('wholesale-212').map(({ attempts }) => attempts.at(-1));
  expect(failed.map((attempt) => attempt?.errors.length)).toEqual([1, 2]);
  expect(failed.map((attempt) => attempt?.artifacts.length)).toEqual([3, 6]);
});

test('With --huge, the demo has two runs of 20,000 tests in 400 spec files', () => {
  const sizes = buildHugeStory(START).map((run) => [
    testsOf(run).length,
    numberOf(testsOf(run).map(({ spec }) => spec)),
  ]);
  expect(sizes).toEqual([
    [20_000, 400],
    [20_000, 400],
  ]);
});

test('one demo test is often flaky, and sometimes fails in all attempts', () => {
  const all = named(FLAKY);
  const share = all.filter(({ isFlaky }) => isFlaky).length / all.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.5);
  expect(all.filter(({ state }) => state === 'failed').length).toBeGreaterThan(0);
});

test('one demo test has failed since a certain commit on the main branch, and passes on another branch after a fix', () => {
  const on = (branch: string) =>
    named(BROKEN)
      .filter(({ run, group }) => run.facts.commit.branch === branch && group === 'chromium')
      .map(({ run, state }) => ({ state, message: run.facts.commit.message }));
  const onMain = on('main').toReversed();
  const first = onMain.findIndex(({ state }) => state === 'failed');
  expect(onMain[first]?.message).toBe('Round discounts per article');
  expect(onMain.slice(0, first).every(({ state }) => state === 'passed')).toBe(true);
  expect(onMain.slice(first).every(({ state }) => state === 'failed')).toBe(true);
  expect(on('fix/tax-rounding').map(({ state }) => state)).toEqual(['passed', 'passed', 'failed']);
});

test('one demo test becomes slower from week to week', () => {
  const all = named(SLOW).filter(({ run, group }) => run.facts.commit.branch === 'main' && group === 'chromium');
  const weeks = [0, 7, 14, 21].map((day) => {
    const durations = all.slice(day, day + 7).flatMap(({ attempts }) => attempts.map(({ duration }) => duration));
    return durations.reduce((sum, duration) => sum + duration, 0) / durations.length;
  });
  expect(weeks).toEqual(weeks.toSorted((one, other) => other - one));
  expect((weeks[0] ?? 0) / (weeks[3] ?? 1)).toBeGreaterThan(2);
});

test('every file to which a demo test refers exists', async () => {
  const files = new Set(await readdir(join(FOLDER, 'files')));
  const sent = executions.flatMap(({ attempts }) => attempts).flatMap(({ artifacts }) => artifacts);
  expect(sent.length).toBeGreaterThan(40);
  expect(sent.filter(({ path }) => !files.has(path))).toEqual([]);
});
