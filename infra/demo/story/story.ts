/** The invented history of runs, in the format of `currents upload`. It depends on the start time, not on the clock. */
import { buildAccountingRuns } from './accounting.ts';
import { buildAttempts, findLastAttemptEnd } from './attempts.ts';
import { buildMonorepoRuns } from './monorepo.ts';
import { drawFraction, drawHex } from './noise.ts';
import { formatBuildId, type PlannedRun, planRuns } from './plan.ts';
import { computeTestDuration, decideHappening, NODE_JOBS, type StoryTest } from './plot.ts';
import { buildRunFacts } from './run-facts.ts';
import type { SentTest, StoryInstance, StoryMachine, StoryRun } from './story-run.ts';
import { SUITES } from './suites.ts';
import { buildWholesaleRuns } from './wholesale.ts';

/** All runs, newest first. `start`: time of the first start, in epoch milliseconds. */
export const buildStory = (start: number): StoryRun[] =>
  [...planRuns(start).map(buildStoryRun), ...buildWholesaleRuns(start), ...buildAccountingRuns(start)].toSorted(
    (one, other) => other.createdAt - one.createdAt,
  );

/** The runs that only `--huge` records, because recording them takes as long as all others. */
export const buildHugeStory = (start: number): StoryRun[] => buildMonorepoRuns(start);

/** Failures that are older than this number of days have no files, as if their retention had ended. */
const FILES_DAYS = 13;
/** Spec files that the second browser runs. */
const IN_SECOND_BROWSER = /^(cart|search|checkout|account)/;
const MACHINES = { shop: 3, warehouse: 2 } as const;
const RETRIES = { shop: 1, warehouse: 0 } as const;
/** The minimum time that a machine takes to install packages before its first test. */
const SETUP_MILLISECONDS = { shop: 9000, warehouse: 2500 } as const;

function buildStoryRun(run: PlannedRun): StoryRun {
  const files = run.groups.map((group) => ({ group, specs: listSpecs(run, group) }));
  const machines = splitJobs(run).flatMap((one) =>
    files.flatMap(({ group, specs }) => buildTryMachines(one, group, specs)),
  );
  const executedSpecs = new Set(machines.flatMap(({ instances }) => instances.map(({ spec }) => spec)));
  const isExpected = (spec: string): boolean => run.attempt === 1 || executedSpecs.has(spec);
  const { ciBuildId, createdAt, project, special } = run;
  return {
    ciBuildId,
    createdAt,
    project,
    ...(special ? { special } : {}),
    ...(special === 'broken teardown' ? { error: BROKEN_TEARDOWN } : {}),
    facts: buildRunFacts(run),
    suite: files.map(({ group, specs }) =>
      buildSuiteGroup(
        run,
        group,
        specs.filter(([spec]) => isExpected(spec)),
      ),
    ),
    machines: dropUnrunSpecs(run, machines).toSorted((one, other) => one.endsAt - other.endsAt),
  };
}

/** The run as each of its jobs sees it. Their times differ, as those of real jobs do. */
const splitJobs = (run: PlannedRun): readonly PlannedRun[] =>
  run.special === 'two jobs' ? NODE_JOBS.map((job) => ({ ...run, job, ciBuildId: `${run.ciBuildId}-${job}` })) : [run];

/** A later try runs only the machines that failed in the first one. */
function buildTryMachines(run: PlannedRun, group: string, specs: Specs): StoryMachine[] {
  const machines = buildMachines(run, group, specs);
  if (run.attempt === 1) return machines;
  const before = buildMachines({ ...run, attempt: 1, ciBuildId: formatBuildId(run) }, group, specs);
  return machines.filter((_, index) => before[index]?.instances.some(hasFailed));
}

const hasFailed = ({ results }: StoryInstance): boolean => results.tests.some(({ state }) => state === 'failed');

type Specs = readonly (readonly [spec: string, tests: readonly StoryTest[]])[];

function listSpecs({ project, branch }: PlannedRun, group: string): Specs {
  const suite = { ...SUITES[project], ...(branch === 'feature/gift-cards' ? SUITES.giftCards : {}) };
  return Object.entries(suite)
    .filter(([spec]) => group !== 'firefox' || IN_SECOND_BROWSER.test(spec))
    .map(([spec, names]) => {
      const tests = names.map((name) => {
        const [title = '', ...tags] = name.split(/ (?=@)/);
        return { spec, title: title.split(' › '), tags: tags.map((tag) => tag.slice(1)) };
      });
      return [spec, tests];
    });
}

const makeStoryTestId = (group: string, { spec, title }: StoryTest): string =>
  drawHex(40, 'test', group, spec, ...title);

const buildSuiteGroup = ({ project }: PlannedRun, name: string, specs: Specs) => ({
  name,
  tags: name === 'firefox' ? ['second-browser'] : [],
  environment: project === 'shop' ? 'staging' : 'ci',
  tests: specs.flatMap(([spec, tests]) =>
    tests.map((test) => ({ testId: makeStoryTestId(name, test), spec, title: test.title, tags: test.tags })),
  ),
});

function buildMachines(run: PlannedRun, group: string, specs: Specs): StoryMachine[] {
  const count = group === 'firefox' ? 1 : MACHINES[run.project];
  return Array.from({ length: count }, (_, index) => {
    const startsAt =
      run.createdAt + SETUP_MILLISECONDS[run.project] * (1 + drawFraction('setup', run.ciBuildId, group, index));
    let at = Math.round(startsAt);
    const ownSpecs = specs.filter((_spec, place) => place % count === index);
    const instances = ownSpecs.map(([spec, tests]): StoryInstance => {
      const sentTests = tests.map((test) => {
        const result = buildTestResult(run, group, test, { startedAt: at, worker: index });
        at = findLastAttemptEnd(result.attempts) + PAUSE_MILLISECONDS;
        return result;
      });
      return { groupId: group, spec, artifacts: [], results: { tests: sentTests } };
    });
    return { machineId: `${run.ciBuildId}-${group}-${index + 1}`, group, endsAt: at, instances };
  });
}

const PAUSE_MILLISECONDS = 60;

function buildTestResult(
  run: PlannedRun,
  group: string,
  test: StoryTest,
  { startedAt, worker }: { readonly startedAt: number; readonly worker: number },
): SentTest {
  const happening = decideHappening(run, group, test);
  const { kind } = happening;
  const when = {
    startedAt,
    duration: computeTestDuration(run, group, test),
    retries: RETRIES[run.project],
    worker,
    hasFiles: run.day <= FILES_DAYS,
  };
  return {
    testId: makeStoryTestId(group, test),
    title: test.title,
    state: kind === 'flaky' ? 'passed' : kind,
    isFlaky: kind === 'flaky',
    expectedStatus: kind === 'pending' ? 'skipped' : 'passed',
    tags: test.tags,
    annotations: kind === 'pending' ? [{ type: 'skip', description: happening.reason }] : [],
    attempts: buildAttempts(happening, when),
  };
}

/** Results are missing on every machine of the cancelled run, and on one machine of the run that timed out. */
function dropUnrunSpecs({ special }: PlannedRun, machines: readonly StoryMachine[]): StoryMachine[] {
  const countKept = (index: number): number | undefined => {
    if (special === 'cancelled') return 2;
    return special === 'timed out' && index === 1 ? 1 : undefined;
  };
  return machines.map((machine, index) => {
    const instances = machine.instances.slice(0, countKept(index));
    const attempts = instances.flatMap(({ results }) => results.tests.flatMap((test) => test.attempts));
    return { ...machine, instances, endsAt: findLastAttemptEnd(attempts) + PAUSE_MILLISECONDS };
  });
}

const BROKEN_TEARDOWN = `Error: the carrier's test server did not stop within 10 s
    at stopCarrier (/builds/warehouse/test/global-setup.ts:41:11)
    at teardown (/builds/warehouse/test/global-setup.ts:52:3)`;
