/** The sections of a comparison, each with one page of tests. Reads only the tests that are shown. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { deriveSignature, deriveTestKey } from '#shared/model/ids.ts';
import { type AttemptError, findDisplayedError, listDisplayedErrors } from '#shared/model/results/attempt.ts';
import { deriveInstanceIdInRun } from '#shared/model/results/failures.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { isStub, type TestRecord, testRecords } from '#shared/model/results/test-record.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { compareTexts } from '../contains.ts';
import { findFailingSince } from '../executions/failing-since.ts';
import { type ExecutionsOf, readExecutionsOfTests } from '../executions/latest-executions.ts';
import { type Causes, listCauses, presentCauses } from '../failures/causes.ts';
import type { MarkedTest, Marks } from '../failures/marked-tests.ts';
import { toRecordedTest } from '../instances/instance-details.ts';
import { loadInstance } from '../instances/load-instance.ts';
import { includeGoneTests, listAbsentTests, readNewestOutcomes, type SortedTests } from './compare-tests.ts';
import type { ComparedTest, ComparisonQuery, RunComparison, Verdict } from './comparison-wire.ts';

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

type SectionsQuery = Pick<ComparisonQuery, 'verdict' | 'cause' | 'limit' | 'page'> & {
  readonly room: number | undefined;
  /** Whether later executions of new failures are to be read, too. */
  readonly withLater?: boolean | undefined;
};
type Section = RunComparison['sections'][number];

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
  const causeOf = (verdict: Verdict, test: MarkedTest) => causesOf.get(verdict)?.of.get(test)?.id;
  const expectedPages = paginateSections(includeGoneTests(sorted, run, predictPass), causesOf, query);
  const readFurther = async (tests: readonly MarkedTest[]): Promise<TestOf> => {
    const further = await readComparedTests(
      services,
      run,
      tests.filter((test) => !known.tests.has(test)),
    );
    return (test) => known.testOf(test) ?? further(test);
  };
  const reading = readFurther(listShownTests(expectedPages));
  const describedSections = reading.then((testOf) =>
    expectedPages.map(({ verdict, shown }) => ({
      verdict,
      tests: shown.flatMap((test) =>
        describeComparedTest(run, testOf, { verdict, test, cause: causeOf(verdict, test) }),
      ),
    })),
  );
  const [testOf, outcomeOf, executionsOf, besideData] = await Promise.all([
    reading,
    readNewestOutcomes(services, tries, sorted.gone),
    readFailingExecutions(services, run, expectedPages, { known, reading, withLater: query.withLater }),
    describedSections.then((sections) => beside(run, sections)),
  ]);
  const isPartOfRun = files === undefined ? () => true : findFiles(files);
  const absentTests = listAbsentTests(sorted, outcomeOf, isPartOfRun);
  const pages = paginateSections(includeGoneTests(sorted, run, outcomeOf, absentTests), causesOf, query);
  const expectedTests = new Set(listShownTests(expectedPages));
  const others = await readComparedTests(
    services,
    run,
    listShownTests(pages).filter((test) => !expectedTests.has(test)),
  );
  const recordOf: TestOf = (test) => testOf(test) ?? others(test);
  const sections = pages.map(({ shown, verdict, ...section }) => ({
    ...section,
    verdict,
    tests: shown
      .flatMap((test) => describeComparedTest(run, recordOf, { verdict, test, cause: causeOf(verdict, test) }))
      .map((one): ComparedTest => {
        const executions = FAILING.has(verdict) ? executionsOf(one) : undefined;
        const since = executions && findFailingSince(executions, { branch, groupId: one.groupId, runId: run.runId });
        return since ? { ...one, failingSince: since } : one;
      }),
  }));
  return {
    sections,
    absentCount: absentTests.length,
    executionsOf,
    errorsOf: makeErrorLookup(listShownTests(pages), recordOf),
    found: besideData,
  };
}

function findFiles(files: readonly SpecFile[]): (file: SpecFile) => boolean {
  const keyOf = ({ groupId, spec }: SpecFile) => JSON.stringify([groupId, spec]);
  const keys = new Set(files.map(keyOf));
  return (file) => keys.has(keyOf(file));
}

function makeErrorLookup(tests: readonly MarkedTest[], testOf: TestOf): ErrorsOf {
  const errors = new Map(
    tests.flatMap((test) => {
      const record = testOf(test);
      return record ? [[`${test.instanceId} ${record.testId}`, listDisplayedErrors(record.attempts)] as const] : [];
    }),
  );
  return ({ instanceId, testId }) => errors.get(`${instanceId} ${testId}`) ?? [];
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

interface Page extends Omit<Section, 'tests'> {
  readonly shown: readonly MarkedTest[];
}

const listShownTests = (pages: readonly Page[]): MarkedTest[] => pages.flatMap(({ shown }) => shown);

function paginateSections(
  byVerdict: readonly (readonly [Verdict, readonly MarkedTest[]])[],
  causesOf: ReadonlyMap<Verdict, Causes>,
  { verdict: only, cause: onlyCause, limit, page, room = Number.POSITIVE_INFINITY }: SectionsQuery,
): Page[] {
  let left = room;
  return byVerdict.map(([verdict, all]) => {
    const causes = causesOf.get(verdict);
    const head = { verdict, total: all.length, ...(causes ? presentCauses(causes) : {}) };
    if (only !== undefined && only !== verdict) return { ...head, nextPage: false, shown: [] };
    const sortedTests = sortByCause(all, causes).filter(
      (test) => onlyCause === undefined || causes?.of.get(test)?.id === onlyCause,
    );
    const pageTests = sortedTests.slice(page * limit, (page + 1) * limit);
    const shownTests = pageTests.slice(0, left);
    left -= shownTests.length;
    const next = (page + 1) * limit < sortedTests.length ? page + 1 : false;
    return {
      ...head,
      nextPage: shownTests.length < pageTests.length ? page : next,
      shown: shownTests,
    };
  });
}

/** The order of the tests of a section without causes, and within a cause. */
export const sortMarkedTests = (tests: readonly MarkedTest[]): MarkedTest[] =>
  tests.toSorted((one, other) => compareTexts(makeSortKey(one), makeSortKey(other)));

/** A test of each cause comes first, so that the first page has an example of each. */
function sortByCause(tests: readonly MarkedTest[], causes: Causes | undefined): MarkedTest[] {
  if (!causes) return sortMarkedTests(tests);
  const byCause = causes.all.map((cause) => sortMarkedTests(cause.tests));
  return [
    ...byCause.flatMap(([first]) => first ?? []),
    ...byCause.flatMap(([, ...others]) => others),
    ...sortMarkedTests(tests.filter((test) => !causes.of.has(test))),
  ];
}

const makeSortKey = ({ spec, groupId, place }: MarkedTest): string => JSON.stringify([spec, groupId, place]);

/** `finalAt` is in epoch milliseconds. It is absent for a test without a record of its own. */
type ComparedRecord = RecordedTest & Pick<TestRecord, 'finalAt'>;

type TestOf = (of: MarkedTest) => ComparedRecord | undefined;

/** Returns an empty list for a test that has been deleted in the meantime. The error is not shortened. */
function describeComparedTest(
  run: Run,
  testOf: TestOf,
  {
    verdict,
    test,
    cause,
  }: { readonly verdict: Verdict; readonly test: MarkedTest; readonly cause: string | undefined },
): ComparedTest[] {
  const record = testOf(test);
  if (!record) return [];
  const { organizationId, projectId } = run;
  const { groupId, spec } = test;
  const { testId, title, attempts } = record;
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
      ...(cause === undefined ? {} : { cause }),
    },
  ];
}

/** Reads the records of the compared tests. Takes one round trip, and one more for skipped tests of uploads. */
async function readComparedTests(
  services: Services,
  { organizationId }: Pick<Run, 'organizationId'>,
  tests: readonly MarkedTest[],
): Promise<TestOf> {
  if (tests.length === 0) return () => undefined;
  const records = await services.table.getMany(testRecords, tests);
  const recordByTest = new Map<MarkedTest, ComparedRecord>();
  for (const [index, test] of tests.entries()) {
    const record = records[index];
    if (record && !isStub(record)) recordByTest.set(test, { ...toRecordedTest(record), finalAt: record.finalAt });
  }
  // An upload stores no record for a skipped test without an error, so the test is read from the details of its spec
  // file.
  const missingTests = tests.filter((test) => !recordByTest.has(test));
  const files = await mapConcurrently([...new Set(missingTests.map(({ instanceId }) => instanceId))], (instanceId) =>
    loadInstance(services, { organizationId, instanceId }),
  );
  const detailsByTest = new Map(
    files.flatMap((file) =>
      (file?.details.tests ?? []).map((one) => [
        `${file?.details.instance.instanceId} ${deriveTestKey(one.testId)}`,
        one,
      ]),
    ),
  );
  return (test) => recordByTest.get(test) ?? detailsByTest.get(`${test.instanceId} ${test.testKey}`);
}
