/**
 * The sections of a comparison, each with one page of tests, their names and their errors. Reads only the tests that
 * are shown.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { deriveSignature, deriveTestKey } from '#shared/model/ids.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { type AttemptError, findDisplayedError } from '#shared/model/tests/attempt.ts';
import { deriveInstanceIdInRun } from '#shared/model/tests/failures.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { isStub, type TestRecord, testRecords } from '#shared/model/tests/test-record.ts';
import type { Services } from '#shared/services.ts';
import { newestOutcomesIn, type Sorted, withGone } from './compare-tests.ts';
import type { ComparedTest, ComparisonQuery, RunComparison, Verdict } from './comparison-wire.ts';
import { byText } from './contains.ts';
import { failingSince } from './failing-since.ts';
import { recordedTest } from './instance-details.ts';
import { type ExecutionsOf, executionsOfTests } from './latest-executions.ts';
import { loadInstance } from './load-instance.ts';
import type { MarkedTest } from './marked-tests.ts';

interface Sides {
  readonly run: Run;
  /** The default branch of the project. */
  readonly branch: string;
  readonly sorted: Sorted;
  /** The run, or the runs of all tries of its build, the oldest first. */
  readonly tries: readonly Run[];
}

type Asked = Pick<ComparisonQuery, 'verdict' | 'limit' | 'page'> & { readonly room: number | undefined };
type Section = RunComparison['sections'][number];

/**
 * Reads further data about the tests as soon as their names are known. `sections` may still differ from the final ones,
 * because some verdicts are not known yet.
 */
export type Beside<Found> = (run: Run, sections: readonly Pick<Section, 'verdict' | 'tests'>[]) => Promise<Found>;

export interface Read<Found> {
  readonly sections: Section[];
  /** The latest executions of the failing tests, without those after this run. */
  readonly executionsOf: ExecutionsOf;
  /** The errors of the shown tests. They are not shortened, and secrets in them are not masked. */
  readonly errorOf: ErrorOf;
  /** The result of `beside`. */
  readonly found: Found;
}

/** Returns the error that pages show for a test. */
type ErrorOf = (test: Pick<ComparedTest, 'instanceId' | 'testId'>) => AttemptError | undefined;

/**
 * The sections whose tests fail in this run. For these tests, a comparison also says since when they have been failing.
 */
export const FAILING: ReadonlySet<Verdict> = new Set(['new', 'still_failing', 'failed']);

/**
 * Reads the sections. Tests that failed in the base and are neither failed, skipped nor flaky in this run have usually
 * passed. So their names are read at the same time as their results.
 */
export async function readSections<Found>(
  services: Services,
  { run, branch, sorted, tries }: Sides,
  asked: Asked,
  beside: Beside<Found>,
): Promise<Read<Found>> {
  const expected = shownIn(withGone(sorted, run, passedAtOnce), asked);
  const reading = readComparedTests(services, run, testsIn(expected));
  const described = reading.then((testOf) =>
    expected.map(({ verdict, shown }) => ({
      verdict,
      tests: shown.flatMap((test) => describeComparedTest(run, testOf, { verdict, test })),
    })),
  );
  const [testOf, outcomeOf, executionsOf, found] = await Promise.all([
    reading,
    newestOutcomesIn(services, tries, sorted.gone),
    reading.then((testOf) => executionsOfFailing(services, run, expected, testOf)),
    described.then((sections) => beside(run, sections)),
  ]);
  const pages = shownIn(withGone(sorted, run, outcomeOf), asked);
  const known = new Set(testsIn(expected));
  const others = await readComparedTests(
    services,
    run,
    testsIn(pages).filter((test) => !known.has(test)),
  );
  const knownOf: TestOf = (test) => testOf(test) ?? others(test);
  const sections = pages.map(({ shown, ...section }) => ({
    ...section,
    tests: shown
      .flatMap((test) => describeComparedTest(run, knownOf, { verdict: section.verdict, test }))
      .map((one): ComparedTest => {
        const latest = FAILING.has(section.verdict) ? executionsOf(one) : undefined;
        const since = latest && failingSince(latest, { branch, groupId: one.groupId, runId: run.runId });
        return since ? { ...one, failingSince: since } : one;
      }),
  }));
  return { sections, executionsOf, errorOf: errorsOf(testsIn(pages), knownOf), found };
}

function errorsOf(tests: readonly MarkedTest[], testOf: TestOf): ErrorOf {
  const errors = new Map(
    tests.flatMap((test) => {
      const known = testOf(test);
      const error = known && findDisplayedError(known.attempts);
      return error ? [[`${test.instanceId} ${known.testId}`, error] as const] : [];
    }),
  );
  return ({ instanceId, testId }) => errors.get(`${instanceId} ${testId}`);
}

/** Reads the executions of each test up to its result in this run. Later executions do not matter for this run. */
function executionsOfFailing(
  services: Services,
  { organizationId, projectId }: Run,
  pages: readonly Page[],
  testOf: TestOf,
): Promise<ExecutionsOf> {
  const failing = pages.filter(({ verdict }) => FAILING.has(verdict)).flatMap(({ shown }) => shown);
  const tests = failing.flatMap((test) => {
    const known = testOf(test);
    if (!known) return [];
    const { title, finalAt: until } = known;
    return { signature: deriveSignature({ organizationId, projectId, spec: test.spec, title }), until };
  });
  return executionsOfTests(services, organizationId, tests);
}

const passedAtOnce = () => ({ outcome: 'passed', flaky: false, retries: 0 }) as const;

interface Page extends Omit<Section, 'tests'> {
  readonly shown: readonly MarkedTest[];
}

const testsIn = (pages: readonly Page[]): MarkedTest[] => pages.flatMap(({ shown }) => shown);

function shownIn(
  byVerdict: readonly (readonly [Verdict, readonly MarkedTest[]])[],
  { verdict: only, limit, page, room = Number.POSITIVE_INFINITY }: Asked,
): Page[] {
  let left = room;
  return byVerdict.map(([verdict, all]) => {
    if (only !== undefined && only !== verdict) return { verdict, total: all.length, nextPage: false, shown: [] };
    const own = all
      .toSorted((one, other) => byText(orderOf(one), orderOf(other)))
      .slice(page * limit, (page + 1) * limit);
    const shown = own.slice(0, left);
    left -= shown.length;
    const next = (page + 1) * limit < all.length ? page + 1 : false;
    return { verdict, total: all.length, nextPage: shown.length < own.length ? page : next, shown };
  });
}

const orderOf = ({ spec, groupId, place }: MarkedTest): string => JSON.stringify([spec, groupId, place]);

/** `finalAt` is in epoch milliseconds. It is absent for a test without a record of its own. */
type Known = RecordedTest & Pick<TestRecord, 'finalAt'>;

type TestOf = (of: MarkedTest) => Known | undefined;

/** Returns an empty list for a test that has been deleted in the meantime. The error is not shortened. */
function describeComparedTest(
  run: Run,
  testOf: TestOf,
  { verdict, test }: { readonly verdict: Verdict; readonly test: MarkedTest },
): ComparedTest[] {
  const recorded = testOf(test);
  if (!recorded) return [];
  const { organizationId, projectId } = run;
  const { groupId, spec } = test;
  const { testId, title, attempts } = recorded;
  // For a fixed test, the name, the attempts and the error are taken from the base, but `runId` and `instanceId` lead
  // to its result in this run.
  const place = verdict === 'fixed' ? { runId: run.runId, instanceId: deriveInstanceIdInRun(run, test) } : test;
  return [
    {
      runId: place.runId,
      instanceId: place.instanceId,
      testId,
      signature: deriveSignature({ organizationId, projectId, spec, title }),
      title: [...title],
      spec,
      groupId,
      attempts: attempts.length,
      error: findDisplayedError(attempts)?.message ?? null,
    },
  ];
}

/** Reads the records of the compared tests. Takes one round trip, and one more for skipped tests of uploads. */
async function readComparedTests(
  services: Services,
  { organizationId }: Pick<Run, 'organizationId'>,
  tests: readonly MarkedTest[],
): Promise<TestOf> {
  const records = await services.table.getMany(testRecords, tests);
  const known = new Map<MarkedTest, Known>();
  for (const [index, test] of tests.entries()) {
    const record = records[index];
    if (record && !isStub(record)) known.set(test, { ...recordedTest(record), finalAt: record.finalAt });
  }
  // An upload stores no record for a skipped test without an error, so the test is read from the details of its spec
  // file.
  const missing = tests.filter((test) => !known.has(test));
  const files = await mapConcurrently([...new Set(missing.map(({ instanceId }) => instanceId))], (instanceId) =>
    loadInstance(services, { organizationId, instanceId }),
  );
  const detailed = new Map(
    files.flatMap((file) =>
      (file?.details.tests ?? []).map((one) => [
        `${file?.details.instance.instanceId} ${deriveTestKey(one.testId)}`,
        one,
      ]),
    ),
  );
  return (test) => known.get(test) ?? detailed.get(`${test.instanceId} ${test.testKey}`);
}
