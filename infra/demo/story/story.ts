/** The story of the demo: each run with machines and results, in the format of `currents upload`. Reads no clock. */
import { type AttemptFile, attemptsOf, lastEndOf, type SentAttempt } from './attempts.ts';
import { hex, noise } from './noise.ts';
import { type PlannedRun, planOf } from './plan.ts';
import { durationOf, happeningOf, type StoryTest } from './plot.ts';
import { type RunFacts, runFacts } from './run-facts.ts';
import { SUITES } from './suites.ts';

export interface SentTest {
  readonly testId: string;
  readonly title: readonly string[];
  readonly state: 'failed' | 'passed' | 'pending';
  readonly isFlaky: boolean;
  readonly expectedStatus: 'passed' | 'skipped';
  readonly tags: readonly string[];
  readonly annotations: readonly object[];
  readonly attempts: readonly SentAttempt[];
}

export interface StoryInstance {
  readonly groupId: string;
  readonly spec: string;
  readonly artifacts: readonly AttemptFile[];
  readonly results: { readonly tests: readonly SentTest[] };
}

export interface StoryMachine {
  readonly machineId: string;
  readonly group: string;
  readonly endsAt: number;
  readonly instances: readonly StoryInstance[];
}

export interface StoryRun extends Pick<PlannedRun, 'ciBuildId' | 'createdAt' | 'project' | 'special'> {
  /** The members that all machines send. */
  readonly facts: RunFacts;
  readonly suite: readonly object[];
  readonly machines: readonly StoryMachine[];
}

/** All runs, newest first. `start`: time of the first start, in epoch milliseconds. */
export const storyOf = (start: number): StoryRun[] => planOf(start).toReversed().map(storyRun);

/** Failures older than this have no files, as with a short retention. */
const FILES_DAYS = 13;
/** Spec files that the second browser runs. */
const IN_SECOND_BROWSER = /^(cart|search|checkout|account)/;
const MACHINES = { shop: 3, warehouse: 2 } as const;
const RETRIES = { shop: 1, warehouse: 0 } as const;
/** Time before the first test of a machine, to install packages. */
const SETUP_MILLISECONDS = { shop: 9000, warehouse: 2500 } as const;

function storyRun(run: PlannedRun): StoryRun {
  const files = run.groups.map((group) => ({ group, specs: specsOf(run, group) }));
  const machines = files.flatMap(({ group, specs }) => machinesOf(run, group, specs));
  const { ciBuildId, createdAt, project, special } = run;
  return {
    ciBuildId,
    createdAt,
    project,
    ...(special ? { special } : {}),
    facts: runFacts(run),
    suite: files.map(({ group, specs }) => suiteGroup(run, group, specs)),
    machines: brokenOff(run, machines).toSorted((one, other) => one.endsAt - other.endsAt),
  };
}

type Specs = readonly (readonly [spec: string, tests: readonly StoryTest[]])[];

function specsOf({ project, branch }: PlannedRun, group: string): Specs {
  const suite = { ...SUITES[project], ...(branch === 'feature/gift-cards' ? SUITES.giftCards : {}) };
  return Object.entries(suite)
    .filter(([spec]) => group !== 'firefox' || IN_SECOND_BROWSER.test(spec))
    .map(([spec, names]) => [spec, names.map((name) => testOf(spec, name))]);
}

function testOf(spec: string, name: string): StoryTest {
  const [title = '', ...tags] = name.split(/ (?=@)/);
  return { spec, title: title.split(' › '), tags: tags.map((tag) => tag.slice(1)) };
}

const testIdOf = (group: string, { spec, title }: StoryTest): string => hex(40, 'test', group, spec, ...title);

const suiteGroup = ({ project }: PlannedRun, name: string, specs: Specs) => ({
  name,
  tags: name === 'firefox' ? ['second-browser'] : [],
  environment: project === 'shop' ? 'staging' : 'ci',
  tests: specs.flatMap(([spec, tests]) =>
    tests.map((test) => ({ testId: testIdOf(name, test), spec, title: test.title, tags: test.tags })),
  ),
});

function machinesOf(run: PlannedRun, group: string, specs: Specs): StoryMachine[] {
  const count = group === 'firefox' ? 1 : MACHINES[run.project];
  return Array.from({ length: count }, (_, index) => {
    const startsAt =
      run.createdAt + SETUP_MILLISECONDS[run.project] * (1 + noise('setup', run.ciBuildId, group, index));
    let at = Math.round(startsAt);
    const own = specs.filter((_spec, place) => place % count === index);
    const instances = own.map(([spec, tests]): StoryInstance => {
      const sent = tests.map((test) => {
        const result = resultOf(run, group, test, { startedAt: at, worker: index });
        at = lastEndOf(result.attempts) + PAUSE_MILLISECONDS;
        return result;
      });
      return { groupId: group, spec, artifacts: [], results: { tests: sent } };
    });
    return { machineId: `${run.ciBuildId}-${group}-${index + 1}`, group, endsAt: at, instances };
  });
}

const PAUSE_MILLISECONDS = 60;

function resultOf(
  run: PlannedRun,
  group: string,
  test: StoryTest,
  { startedAt, worker }: { readonly startedAt: number; readonly worker: number },
): SentTest {
  const happening = happeningOf(run, group, test);
  const duration = durationOf(run, group, test);
  const hasFiles = run.day <= FILES_DAYS;
  const { kind } = happening;
  return {
    testId: testIdOf(group, test),
    title: test.title,
    state: kind === 'flaky' ? 'passed' : kind,
    isFlaky: kind === 'flaky',
    expectedStatus: kind === 'pending' ? 'skipped' : 'passed',
    tags: test.tags,
    annotations: kind === 'pending' ? [{ type: 'skip', description: happening.reason }] : [],
    attempts: attemptsOf(happening, { startedAt, duration, retries: RETRIES[run.project], worker, hasFiles }),
  };
}

/** Drops the results of some spec files: those of a cancelled run, and of a run that lost its last machine. */
function brokenOff({ special }: PlannedRun, machines: readonly StoryMachine[]): StoryMachine[] {
  const kept = (index: number): number | undefined => {
    if (special === 'cancelled') return 2;
    return special === 'timed out' && index === 1 ? 1 : undefined;
  };
  return machines.map((machine, index) => {
    const instances = machine.instances.slice(0, kept(index));
    return { ...machine, instances, endsAt: endsAtOf(instances) };
  });
}

const endsAtOf = (instances: readonly StoryInstance[]): number =>
  lastEndOf(instances.flatMap(({ results }) => results.tests).flatMap(({ attempts }) => attempts)) + PAUSE_MILLISECONDS;
