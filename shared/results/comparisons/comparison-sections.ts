/** The sections of a comparison, each with one page of tests. Reads only the tests that are shown. */

import { deriveSignature } from '#shared/model/ids.ts';
import { type AttemptError, listDisplayedErrors } from '#shared/model/results/attempt.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { findFailingSince } from '../executions/failing-since.ts';
import { type ExecutionsOf, readExecutionsOfTests } from '../executions/latest-executions.ts';
import { listCauses } from '../failures/causes.ts';
import type { MarkedTest, Marks } from '../failures/marked-tests.ts';
import { includeGoneTests, listAbsentTests, readNewestOutcomes, type SortedTests } from './compare-tests.ts';
import { describeComparedTest, readComparedTests, type TestOf } from './compared-tests.ts';
import type { ComparedTest, Verdict } from './comparison-wire.ts';
import { listShownTests, type Page, paginateSections, type Section, type SectionsQuery } from './section-pages.ts';

interface Sides {
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

/** Called as soon as the names are known. `sections` may still differ from the final ones, which need all verdicts. */
export type BesideReader<Found> = (run: Run, sections: readonly Pick<Section, 'verdict' | 'tests'>[]) => Promise<Found>;

export interface SectionsResult<Found> {
  readonly sections: Section[];
  /** Tests that failed in the base and whose spec file is not part of the run. Zero if its files were not passed. */
  readonly absentCount: number;
  /** The latest executions of the failing tests, without those after this run. */
  readonly executionsOf: ExecutionsOf;
  /** The errors of a shown test. They are not shortened, and secrets in them are not masked. */
  readonly errorsOf: ErrorsOf;
  /** The result of `beside`. */
  readonly found: Found;
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

/** Tests that failed only in the base have usually passed, so their names are read together with their results. */
export async function readSections<Found>(
  services: Services,
  { run, branch, sorted, tries, files, known = NO_KNOWN_TESTS }: Sides,
  query: SectionsQuery,
  beside: BesideReader<Found>,
): Promise<SectionsResult<Found>> {
  const causesOf = new Map(
    sorted.byVerdict.flatMap(([verdict, tests]) =>
      WITH_CAUSE.has(verdict) ? [[verdict, listCauses(tests)] as const] : [],
    ),
  );
  const describeTests = ({ verdict, shown }: Page, testOf: TestOf) =>
    shown.flatMap((test) => {
      const cause = causesOf.get(verdict)?.of.get(test)?.id;
      return describeComparedTest(run, testOf, { verdict, test, cause });
    });
  const expectedPages = paginateSections(includeGoneTests(sorted, run, predictPass), causesOf, query);
  const expectedTests = listShownTests(expectedPages);
  const reading = readFurtherTests(services, run, expectedTests, known);
  const readingBeside = reading.then((testOf) => {
    const expectedSections = expectedPages.map((page) => ({
      verdict: page.verdict,
      tests: describeTests(page, testOf),
    }));
    return beside(run, expectedSections);
  });
  const [expectedTestOf, outcomeOf, executionsOf, besideData] = await Promise.all([
    reading,
    readNewestOutcomes(services, tries, sorted.gone),
    readFailingExecutions(services, run, expectedPages, { known, reading, withLater: query.withLater }),
    readingBeside,
  ]);
  const isPartOfRun = files === undefined ? () => true : findFiles(files);
  const absentTests = listAbsentTests(sorted, outcomeOf, isPartOfRun);
  const pages = paginateSections(includeGoneTests(sorted, run, outcomeOf, absentTests), causesOf, query);
  const shownTests = listShownTests(pages);
  const testOf = await readFurtherTests(services, run, shownTests, {
    tests: new Set(expectedTests),
    testOf: expectedTestOf,
  });
  const addFailingSince = (test: ComparedTest): ComparedTest => {
    const executions = executionsOf(test);
    const { runId } = run;
    return {
      ...test,
      failingSince: executions && findFailingSince(executions, { branch, groupId: test.groupId, runId }),
    };
  };
  const sections = pages.map((page) => {
    const { shown, ...section } = page;
    const tests = describeTests(page, testOf);
    return { ...section, tests: FAILING.has(page.verdict) ? tests.map(addFailingSince) : tests };
  });
  return {
    sections,
    absentCount: absentTests.length,
    executionsOf,
    errorsOf: makeErrorLookup(shownTests, testOf),
    found: besideData,
  };
}

/** Reads the tests that are not known yet, and looks up all of them. */
async function readFurtherTests(
  services: Services,
  run: Run,
  tests: readonly MarkedTest[],
  known: KnownTests,
): Promise<TestOf> {
  const unknownTests = tests.filter((test) => !known.tests.has(test));
  const testOf = await readComparedTests(services, run, unknownTests);
  return (test) => known.testOf(test) ?? testOf(test);
}

function findFiles(files: readonly SpecFile[]): (file: SpecFile) => boolean {
  const keyOf = ({ groupId, spec }: SpecFile) => JSON.stringify([groupId, spec]);
  const keys = new Set(files.map(keyOf));
  return (file) => keys.has(keyOf(file));
}

function makeErrorLookup(tests: readonly MarkedTest[], testOf: TestOf): ErrorsOf {
  const errorsByTest = new Map<string, readonly AttemptError[]>();
  for (const test of tests) {
    const record = testOf(test);
    if (record) errorsByTest.set(`${test.instanceId} ${record.testId}`, listDisplayedErrors(record.attempts));
  }
  return ({ instanceId, testId }) => errorsByTest.get(`${instanceId} ${testId}`) ?? [];
}

interface FailingTests {
  readonly known: KnownTests;
  readonly reading: Promise<TestOf>;
  readonly withLater: boolean | undefined;
}

/** Reads the executions of each test up to its result in this run. Later executions do not matter for this run. */
async function readFailingExecutions(
  services: Services,
  { organizationId, projectId }: Run,
  pages: readonly Page[],
  { known, reading, withLater }: FailingTests,
): Promise<ExecutionsOf> {
  const failingTests = pages.flatMap(({ verdict, shown }) =>
    FAILING.has(verdict) ? shown.map((test) => ({ verdict, test })) : [],
  );
  const isKnown = failingTests.every(({ test }) => known.tests.has(test));
  const testOf = isKnown ? known.testOf : await reading;
  const tests = failingTests.flatMap(({ verdict, test }) => {
    const record = testOf(test);
    if (!record) return [];
    const { title, finalAt: until } = record;
    const signature = deriveSignature({ organizationId, projectId, spec: test.spec, title });
    return { signature, until, withLater: withLater === true && verdict === 'new' };
  });
  return readExecutionsOfTests(services, organizationId, tests);
}

const predictPass = () => ({ outcome: 'passed', flaky: false, retries: 0 }) as const;
