/** The sections of a comparison: their tests of one page, with names and errors. Reads only what they show. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { signatureOf, testKeyOf } from '#shared/model/ids.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { type AttemptError, displayedError } from '#shared/model/tests/attempt.ts';
import { instanceIn } from '#shared/model/tests/failures.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { isStub, type TestRecord, testRecords } from '#shared/model/tests/test-record.ts';
import type { Services } from '#shared/services.ts';
import { outcomesIn, type Sorted, withGone } from './compare-tests.ts';
import type { ComparedTest, ComparisonQuery, RunComparison, Verdict } from './comparison-wire.ts';
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
}

type Asked = Pick<ComparisonQuery, 'verdict' | 'limit' | 'page'> & { readonly room: number | undefined };
type Section = RunComparison['sections'][number];

/** Reads more about the tests as soon as their names are known. The final sections may contain other tests. */
export type Beside<Found> = (run: Run, sections: readonly Pick<Section, 'verdict' | 'tests'>[]) => Promise<Found>;

export interface Read<Found> {
  readonly sections: Section[];
  /** The latest executions of the failing tests, up to this run. */
  readonly executionsOf: ExecutionsOf;
  /** The whole errors of the shown tests, neither masked nor cut. */
  readonly errorOf: ErrorOf;
  /** The result of `beside`. */
  readonly found: Found;
}

/** The error that reports show for a test. */
type ErrorOf = (test: Pick<ComparedTest, 'instanceId' | 'testId'>) => AttemptError | undefined;

/** The tests of these sections fail now, so people want to know since when. */
export const FAILING: ReadonlySet<Verdict> = new Set(['new', 'still_failing', 'failed']);

/**
 * Reads the sections. Tests that failed in the base and have no mark in the run usually pass. So their names are read
 * at the same time as their results.
 */
export async function readSections<Found>(
  services: Services,
  { run, branch, sorted }: Sides,
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
    outcomesIn(services, run, sorted.gone),
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
  const sections = pages.map(({ shown, ...section }) => ({
    ...section,
    tests: shown.flatMap((test) =>
      describeComparedTest(run, (of) => testOf(of) ?? others(of), { verdict: section.verdict, test }).map(
        (one): ComparedTest => {
          if (!FAILING.has(section.verdict)) return one;
          const { groupId } = one;
          const latest = executionsOf(one);
          const since = latest && failingSince(latest, { branch, groupId, runId: run.runId });
          return since ? { ...one, failingSince: since } : one;
        },
      ),
    ),
  }));
  return { sections, executionsOf, errorOf: errorsOf(testsIn(pages), (of) => testOf(of) ?? others(of)), found };
}

function errorsOf(tests: readonly MarkedTest[], testOf: TestOf): ErrorOf {
  const errors = new Map(
    tests.flatMap((test) => {
      const known = testOf(test);
      const error = known && displayedError(known.attempts);
      return error ? [[`${test.instanceId} ${known.testId}`, error] as const] : [];
    }),
  );
  return ({ instanceId, testId }) => errors.get(`${instanceId} ${testId}`);
}

/** Reads each test up to its own result in the run, because later executions do not concern this run. */
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
    return { signature: signatureOf({ organizationId, projectId, spec: test.spec, title }), until };
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
    const own = all.toSorted(bySpec).slice(page * limit, (page + 1) * limit);
    const shown = own.slice(0, left);
    left -= shown.length;
    const next = (page + 1) * limit < all.length ? page + 1 : false;
    return { verdict, total: all.length, nextPage: shown.length < own.length ? page : next, shown };
  });
}

function bySpec(one: MarkedTest, other: MarkedTest): number {
  const [left = '', right = ''] = [one, other].map(({ spec, groupId, place }) =>
    JSON.stringify([spec, groupId, place]),
  );
  return left < right ? -1 : 1;
}

// Describes the tests of a comparison: names and errors.

interface Shown {
  readonly verdict: Verdict;
  readonly test: MarkedTest;
}

/** A test as it was recorded. `finalAt` is in epoch milliseconds. Tests without a record of their own have none. */
type Known = RecordedTest & Pick<TestRecord, 'finalAt'>;

type TestOf = (of: MarkedTest) => Known | undefined;

/** Describes one test. Returns an empty list for a test that was deleted meanwhile. The error is not cut. */
function describeComparedTest(run: Run, testOf: TestOf, { verdict, test }: Shown): ComparedTest[] {
  const recorded = testOf(test);
  if (!recorded) return [];
  const { organizationId, projectId } = run;
  const { groupId, spec } = test;
  const { testId, title, attempts } = recorded;
  // A fixed test has a result in this run. Its name and its error are those of the base.
  const place = verdict === 'fixed' ? { runId: run.runId, instanceId: instanceIn(run, test) } : test;
  return [
    {
      runId: place.runId,
      instanceId: place.instanceId,
      testId,
      signature: signatureOf({ organizationId, projectId, spec, title }),
      title: [...title],
      spec,
      groupId,
      attempts: attempts.length,
      error: displayedError(attempts)?.message ?? null,
    },
  ];
}

/** Reads the records of the compared tests. Takes one round trip, and another one for skipped tests of uploads. */
async function readComparedTests(
  services: Services,
  { organizationId }: Pick<Run, 'organizationId'>,
  tests: readonly MarkedTest[],
): Promise<TestOf> {
  const records = await services.table.getMany(testRecords, tests);
  const known = new Map<MarkedTest, Known>();
  for (const [index, test] of tests.entries()) {
    const record = records[index];
    if (record && !isStub(record))
      known.set(test, {
        ...recordedTest(record),
        ...(record.finalAt === undefined ? {} : { finalAt: record.finalAt }),
      });
  }
  // An upload stores no record for a skipped test without an error. The details of its spec file have it.
  const missing = tests.filter((test) => !known.has(test));
  const files = await mapConcurrently([...new Set(missing.map(({ instanceId }) => instanceId))], (instanceId) =>
    loadInstance(services, { organizationId, instanceId }),
  );
  const detailed = new Map(
    files.flatMap((file) =>
      (file?.details.tests ?? []).map((one) => [`${file?.details.instance.instanceId} ${testKeyOf(one.testId)}`, one]),
    ),
  );
  return (test) => known.get(test) ?? detailed.get(`${test.instanceId} ${test.testKey}`);
}
