/** The sections of a comparison, each with one page of tests. Reads only the tests that are shown. */
import { deriveSignature } from '#shared/model/ids.ts';
import { type AttemptError, listDisplayedErrors } from '#shared/model/results/attempt.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { findFailingSince } from '../executions/failing-since.ts';
import { type ExecutionsOf, readExecutionsOfTests } from '../executions/latest-executions.ts';
import { type Causes, listCauses } from '../failures/causes.ts';
import type { MarkedTest, Marks } from '../failures/marked-tests.ts';
import { includeGoneTests, listAbsentTests, readNewestOutcomes, type SortedTests } from './compare-tests.ts';
import { describeComparedTest, readComparedTests, type TestOf } from './compared-tests.ts';
import type { ComparedTest, Verdict } from './comparison-wire.ts';
import { listShownTests, type Page, paginateSections, type Section, type SectionsQuery } from './section-pages.ts';

interface ComparedRun {
  readonly run: Run;
  /** The default branch of the project. */
  readonly branch: string;
  readonly sorted: SortedTests;
  /** The run, or the runs of all tries of its build, the oldest first. */
  readonly tries: readonly Run[];
  /** The spec files of the run, if the caller has read them. Failures of the base in other files are then no sections. */
  readonly files?: readonly SpecFile[] | undefined;
  /** Tests whose records the caller has read. */
  readonly known?: KnownTests | undefined;
}

export interface KnownTests {
  readonly tests: ReadonlySet<MarkedTest>;
  readonly testOf: TestOf;
}

const NO_KNOWN_TESTS: KnownTests = { tests: new Set(), testOf: () => undefined };

export type SpecFile = Pick<MarkedTest, 'groupId' | 'spec'>;

/**
 * Reads what a caller wants to know about the tests that it shows, while their sections are completed. Called as soon as
 * the names are known. `sections` may still differ from the final ones, which need all verdicts.
 */
export type DetailsReader<Details> = (
  run: Run,
  sections: readonly Pick<Section, 'verdict' | 'tests'>[],
) => Promise<Details>;

export interface SectionsResult<Details> {
  readonly sections: Section[];
  /** Tests that failed in the base and whose spec file is not part of the run. Zero if its files were not passed. */
  readonly absentCount: number;
  /** The latest executions of the failing tests, without those after this run. */
  readonly executionsOf: ExecutionsOf;
  /** The errors of a shown test. They are not shortened, and secrets in them are not masked. */
  readonly errorsOf: ErrorsOf;
  /** The result of the `DetailsReader`. */
  readonly details: Details;
}

type ErrorsOf = (test: Pick<ComparedTest, 'instanceId' | 'testId'>) => readonly AttemptError[];

/** A comparison also says since when the tests in these sections have been failing. */
export const FAILING: ReadonlySet<Verdict> = new Set(['new', 'still_failing', 'failed']);

/** The error of another test is that of the base, or says only that another test failed. */
const WITH_CAUSE: ReadonlySet<Verdict> = new Set([...FAILING, 'flaky']);

/** Reads the tests that will probably be shown, while the base is read. Their order may depend on the base. */
export async function readLikelyTests(
  services: Services,
  run: Run,
  { failed, flaky }: Marks,
  query: SectionsQuery,
): Promise<KnownTests> {
  const byVerdict = [['failed', failed.tests] as const, ['flaky', flaky.tests] as const];
  const causesOf = new Map(byVerdict.map(([verdict, tests]) => [verdict, listCauses(tests)]));
  const tests = listShownTests(paginateSections(byVerdict, causesOf, query));
  return { tests: new Set(tests), testOf: await readComparedTests(services, run, tests) };
}

/**
 * Tests that failed only in the base have usually passed. So the pages are first made as if all of them had, and the
 * names on these pages are read together with the results, which saves a round trip. A wrong guess costs it again.
 */
export async function readSections<Details>(
  services: Services,
  { run, branch, sorted, tries, files, known = NO_KNOWN_TESTS }: ComparedRun,
  query: SectionsQuery,
  readDetails: DetailsReader<Details>,
): Promise<SectionsResult<Details>> {
  const causesOf = listCausesByVerdict(sorted);
  const describeTests = ({ verdict, shown }: Page, testOf: TestOf) =>
    shown.flatMap((test) => {
      const cause = causesOf.get(verdict)?.byTest.get(test)?.id;
      return describeComparedTest(run, testOf, { verdict, test, cause });
    });
  const expectedPages = paginateSections(includeGoneTests(sorted, run, expectPass), causesOf, query);
  const expectedTests = listShownTests(expectedPages);
  const readingTests = readUnknownTests(services, run, expectedTests, known);
  const readingDetails = readingTests.then((testOf) =>
    readDetails(
      run,
      expectedPages.map((page) => ({ verdict: page.verdict, tests: describeTests(page, testOf) })),
    ),
  );
  const [expectedTestOf, outcomeOf, executionsOf, details] = await Promise.all([
    readingTests,
    readNewestOutcomes(services, tries, sorted.gone),
    readFailingExecutions(services, run, expectedPages, { known, readingTests, withLater: query.withLater }),
    readingDetails,
  ]);
  const absentTests = files === undefined ? [] : listAbsentTests(sorted, outcomeOf, makeFileLookup(files));
  const pages = paginateSections(includeGoneTests(sorted, run, outcomeOf, absentTests), causesOf, query);
  const shownTests = listShownTests(pages);
  const testOf = await readUnknownTests(services, run, shownTests, {
    tests: new Set(expectedTests),
    testOf: expectedTestOf,
  });
  const addFailingSince = (test: ComparedTest): ComparedTest => {
    const executions = executionsOf(test);
    const place = { branch, groupId: test.groupId, runId: run.runId };
    return { ...test, failingSince: executions && findFailingSince(executions, place) };
  };
  const sections = pages.map((page) => {
    const { shown: _, ...section } = page;
    const tests = describeTests(page, testOf);
    return { ...section, tests: FAILING.has(page.verdict) ? tests.map(addFailingSince) : tests };
  });
  return {
    sections,
    absentCount: absentTests.length,
    executionsOf,
    errorsOf: makeErrorLookup(shownTests, testOf),
    details,
  };
}

const expectPass = () => ({ outcome: 'passed', flaky: false, retries: 0 }) as const;

function listCausesByVerdict({ byVerdict }: SortedTests): ReadonlyMap<Verdict, Causes> {
  const verdictsWithCause = byVerdict.filter(([verdict]) => WITH_CAUSE.has(verdict));
  return new Map(verdictsWithCause.map(([verdict, tests]) => [verdict, listCauses(tests)]));
}

/** Reads the tests that are not known yet, and looks up all of them. */
async function readUnknownTests(
  services: Services,
  run: Run,
  tests: readonly MarkedTest[],
  known: KnownTests,
): Promise<TestOf> {
  const unknownTests = tests.filter((test) => !known.tests.has(test));
  const testOf = await readComparedTests(services, run, unknownTests);
  return (test) => known.testOf(test) ?? testOf(test);
}

function makeFileLookup(files: readonly SpecFile[]): (file: SpecFile) => boolean {
  const toKey = ({ groupId, spec }: SpecFile) => JSON.stringify([groupId, spec]);
  const keys = new Set(files.map(toKey));
  return (file) => keys.has(toKey(file));
}

function makeErrorLookup(tests: readonly MarkedTest[], testOf: TestOf): ErrorsOf {
  const toKey = ({ instanceId, testId }: Pick<ComparedTest, 'instanceId' | 'testId'>) => `${instanceId} ${testId}`;
  const errorsByTest = new Map<string, readonly AttemptError[]>();
  for (const test of tests) {
    const record = testOf(test);
    if (record) errorsByTest.set(toKey({ ...test, testId: record.testId }), listDisplayedErrors(record.attempts));
  }
  return (test) => errorsByTest.get(toKey(test)) ?? [];
}

interface FailingTests {
  readonly known: KnownTests;
  readonly readingTests: Promise<TestOf>;
  readonly withLater: boolean | undefined;
}

/** Reads the executions of each test up to its result in this run. Later executions do not matter for this run. */
async function readFailingExecutions(
  services: Services,
  { organizationId, projectId }: Run,
  pages: readonly Page[],
  { known, readingTests, withLater }: FailingTests,
): Promise<ExecutionsOf> {
  const failingTests = pages.flatMap(({ verdict, shown }) =>
    FAILING.has(verdict) ? shown.map((test) => ({ verdict, test })) : [],
  );
  // If the caller has read all of them, their executions are read a round trip earlier.
  const areKnown = failingTests.every(({ test }) => known.tests.has(test));
  const testOf = areKnown ? known.testOf : await readingTests;
  const tests = failingTests.flatMap(({ verdict, test }) => {
    const record = testOf(test);
    if (!record) return [];
    const { title, finalAt: until } = record;
    const signature = deriveSignature({ organizationId, projectId, spec: test.spec, title });
    return { signature, until, withLater: withLater === true && verdict === 'new' };
  });
  return readExecutionsOfTests(services, organizationId, tests);
}
