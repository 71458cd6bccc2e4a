/**
 * Runs only the tests that failed or did not run in the try before this one (`RUNDOWN_LAST_FAILED`). A shard repeats what
 * the same shard reported then, because a CI system may repeat only the jobs of failed shards.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { FullConfig, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { deriveTestKey, deriveTestPlace } from '#shared/model/ids.ts';
import { prefixGroup } from '#shared/reports/group-name.ts';
import { toForwardSlashes, toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import { findLeg } from '../settings/leg.ts';
import { boundGroupName, boundSpec, boundTestId } from './bounded-test.ts';
import { askWhatToRepeat, type Repetition, repeatEverything } from './last-failed.ts';
import type { Settings } from './settings.ts';

interface Suites {
  readonly config: FullConfig;
  readonly suite: Suite;
}

export interface TestPlace {
  readonly groupId: string;
  readonly spec: string;
  /** Identifies the test in the tries of its build. */
  readonly place: string;
}

/** The place of each test of the whole suite, in the names of the service. */
export function findPlaces({ config, suite }: Suites, { group }: Settings): ReadonlyMap<TestCase, TestPlace> {
  const root = toForwardSlashes(config.rootDir);
  return new Map(
    suite.suites.flatMap((project) => {
      const groupId = boundGroupName(prefixGroup(group, project.project()?.name || UNNAMED_PROJECT));
      return project.allTests().map((test): [TestCase, TestPlace] => {
        const spec = boundSpec(toSpecPath(test.location.file, root));
        const place = deriveTestPlace({ groupId, spec, testKey: deriveTestKey(boundTestId(test.id)) });
        return [test, { groupId, spec, place }];
      });
    }),
  );
}

/**
 * Says which part of which suite this machine runs, and in which command of which job. Tries with the same part have the
 * same tests.
 */
export function describePart(
  { config: { shard, configFile = '' } }: Suites,
  places: ReadonlyMap<TestCase, TestPlace>,
  { group, root }: Settings,
): string {
  const paths = [configFile, process.cwd()].map((path) => toForwardSlashes(relative(root, path)));
  const hash = createHash('sha256').update(findLeg(process.env, group, paths));
  for (const { place } of places.values()) hash.update(place);
  return `${hash.digest('hex').slice(0, 16)} ${shard ? `${shard.current}/${shard.total}` : '1/1'}`;
}

/** Returns what is repeated. If it is nothing, one skipped test is left, because Playwright fails without any test. */
export async function keepLastFailed(
  suites: Suites,
  testRun: TestRun,
  { settings, part, places }: { settings: Settings; part: string; places: ReadonlyMap<TestCase, TestPlace> },
): Promise<Repetition> {
  const answer = await askWhatToRepeat(settings, { part });
  const { config, suite } = suites;
  const changeable = listChangeableTests(suite);
  const [first] = changeable;
  if (answer.repeat === 'everything' || !first) return answer;
  if (answer.repeat === 'nothing') {
    for (const test of changeable) if (test !== first) testRun.exclude(test);
    testRun.skip(first, 'Nothing to run again: no test failed in the try before this one');
  } else {
    const knownKeys = new Set([...places.values()].map(({ place }) => place));
    if (answer.tests.some(({ key }) => !knownKeys.has(key)))
      return repeatEverything('The try before this one had other tests');
    const keys = new Set(answer.tests.map(({ key }) => key));
    const testsToRun = new Set(
      changeable
        .filter((test) => keys.has(places.get(test)?.place ?? ''))
        .flatMap((test) => listWithNeighbors(test, testRun)),
    );
    if (testsToRun.size === 0)
      return repeatEverything('Only tests of setup projects failed in the try before this one');
    for (const test of changeable) if (!testsToRun.has(test)) testRun.exclude(test);
  }
  // Another split than that of the try before would leave failed tests to shards that do not run again.
  if (config.shard) testRun.skipSharding();
  return answer;
}

/** Playwright lets no reporter change projects on which others depend. Those without dependencies come first. */
export function listChangeableTests({ suites }: Suite): TestCase[] {
  const projects = suites.map((suite) => ({ suite, project: suite.project() }));
  const fixedNames = new Set(
    projects.flatMap(({ project }) => [...(project?.dependencies ?? []), project?.teardown ?? '']),
  );
  return projects
    .filter(({ project }) => !project || !fixedNames.has(project.name) || project.name === '')
    .toSorted((one, other) => (one.project?.dependencies.length ?? 0) - (other.project?.dependencies.length ?? 0))
    .flatMap(({ suite }) => suite.allTests());
}

/**
 * A test of a serial suite needs the tests before it. Before version 1.65, Playwright does not tell which suites are
 * serial, so the whole file is repeated.
 */
function listWithNeighbors(test: TestCase, testRun: Partial<Pick<TestRun, 'mode'>>): readonly TestCase[] {
  let serialSuite: Suite | undefined;
  for (let suite: Suite | undefined = test.parent; suite && suite.type !== 'project'; suite = suite.parent) {
    const isSerial = testRun.mode ? testRun.mode(suite) === 'serial' : suite.type === 'file';
    if (isSerial) serialSuite = suite;
  }
  return serialSuite?.allTests() ?? [test];
}
