/** Runs that are told in one piece: their suite, and the failures that one commit causes. */
import { buildAttempts, findLastAttemptEnd } from './attempts.ts';
import type { StoryFailure } from './failure-text.ts';
import { drawFraction, drawHex } from './noise.ts';
import { formatBuildId } from './plan.ts';
import { buildRunFacts, type DemoProject, type FactsOfRun } from './run-facts.ts';
import type { SentTest, StoryInstance, StoryMachine, StoryRun } from './story-run.ts';

export interface LargeTest {
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags?: readonly string[];
  /** Issues and notes that the test has in its code. */
  readonly annotations?: readonly object[];
}

export interface LargeRun {
  readonly facts: FactsOfRun;
  readonly createdAt: number;
  readonly group: string;
  readonly environment: string;
  /** A part of the suite, if the run is partial. */
  readonly tests: readonly LargeTest[];
  readonly machines: number;
  readonly setupMilliseconds: number;
  readonly retries: number;
  readonly findFailure: (test: LargeTest) => StoryFailure | undefined;
  /** The duration of a passing test, in milliseconds. */
  readonly computeDuration: (test: LargeTest) => number;
}

const PAUSE_MILLISECONDS = 20;

export function buildLargeRun(run: LargeRun): StoryRun {
  const { facts, createdAt, group: name, environment, tests } = run;
  const suiteTests = tests.map((test) => ({ testId: makeTestId(run, test), ...test }));
  return {
    ciBuildId: formatBuildId(facts),
    createdAt,
    project: facts.project,
    facts: buildRunFacts(facts),
    suite: [{ name, tags: [], environment, tests: suiteTests }],
    machines: buildMachines(run),
  };
}

const makeTestId = ({ facts, group }: LargeRun, { spec, title }: LargeTest): string =>
  drawHex(40, 'test', facts.project, group, spec, ...title);

function buildMachines(run: LargeRun): StoryMachine[] {
  const specs = [...Map.groupBy(run.tests, ({ spec }) => spec)];
  return Array.from({ length: run.machines }, (_, index) => {
    const machineId = `${formatBuildId(run.facts)}-${run.group}-${index + 1}`;
    let at = Math.round(run.createdAt + run.setupMilliseconds * (1 + drawFraction('setup', machineId)));
    const instances = specs
      .filter((_spec, place) => place % run.machines === index)
      .map(([spec, tests]): StoryInstance => {
        const sentTests = tests.map((test) => {
          const sentTest = buildTest(run, test, at, index);
          at = findLastAttemptEnd(sentTest.attempts) + PAUSE_MILLISECONDS;
          return sentTest;
        });
        return { groupId: run.group, spec, artifacts: [], results: { tests: sentTests } };
      });
    return { machineId, group: run.group, endsAt: at, instances };
  }).toSorted((one, other) => one.endsAt - other.endsAt);
}

function buildTest(run: LargeRun, test: LargeTest, startedAt: number, worker: number): SentTest {
  const failure = run.findFailure(test);
  const varies = 0.85 + 0.3 * drawFraction('duration', run.facts.number, test.spec, ...test.title);
  const duration = Math.round(run.computeDuration(test) * varies);
  return {
    testId: makeTestId(run, test),
    title: test.title,
    state: failure ? 'failed' : 'passed',
    isFlaky: false,
    expectedStatus: 'passed',
    tags: test.tags ?? [],
    annotations: test.annotations ?? [],
    attempts: buildAttempts(failure ? { kind: 'failed', failure } : { kind: 'passed' }, {
      startedAt,
      duration,
      retries: run.retries,
      worker,
      hasFiles: true,
    }),
  };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const minutesBefore = (start: number, minutes: number): number => start - minutes * MINUTE;

/** A time of a day before the day of the first start. */
export const timeOfDay = (start: number, day: number, hour: number): number =>
  Math.floor(start / DAY) * DAY - day * DAY + Math.round(hour * 60 * MINUTE);

export const makeFacts = (
  project: DemoProject,
  number: number,
  change: Pick<FactsOfRun, 'branch' | 'day' | 'author' | 'message' | 'pullRequest'>,
): FactsOfRun => ({ ...change, project, number, attempt: 1, sha: drawHex(40, project, change.branch, change.message) });
