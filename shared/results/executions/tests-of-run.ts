/**
 * All tests of a run, page by page, by outcome, group and words. The counters of spec files tell which of them may have
 * matching tests, so only these are read, and at most `RESULT_LIMITS.testsOfRun.files` for one page.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { sumDurations } from '#shared/model/results/attempt.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
import type { Services } from '#shared/services.ts';
import { compareTexts, contains } from '../contains.ts';
import { loadInstance } from '../instances/load-instance.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { applyLiveCounters } from '../runs/live-counters.ts';
import type { RunInRows } from '../runs/read-run.ts';
import type { OutcomeOfTest, TestsOfRunQuery } from './tests-of-run-wire.ts';

const { rows: pageRows, files: filesOfPage, batch } = RESULT_LIMITS.testsOfRun;

export interface TestOfRun {
  readonly instanceId: string;
  readonly spec: string;
  readonly groupId: string;
  readonly testId: string;
  readonly title: readonly string[];
  readonly outcome: OutcomeOfTest;
  readonly milliseconds: number;
}

export interface TestsOfRun {
  readonly tests: readonly TestOfRun[];
  /** `from` of the next page. `undefined` if this is the last one. */
  readonly next: string | undefined;
  /** Spec files that may have more matching tests. */
  readonly filesLeft: number;
  readonly groups: readonly string[];
}

/** What the names of the project say about a search, so that spec files without a match are not read. */
export interface SearchedFiles {
  /** Spec files with a matching test. */
  readonly matches: ReadonlySet<string>;
  /** Spec files whose tests are known. Others may be newer than the names. */
  readonly known: ReadonlySet<string>;
}

export async function listTestsOfRun(
  services: Services,
  { run, files }: RunInRows,
  { q: search = '', outcome, group, from = '0.0' }: TestsOfRunQuery,
  searchFiles: () => Promise<SearchedFiles>,
): Promise<TestsOfRun> {
  const all = await applyLiveCounters(services, run, files);
  const names = search === '' ? undefined : await searchFiles();
  const candidates = all
    .filter(
      (file) =>
        (!group || file.groupId === group) &&
        (!outcome || countOutcome(file.counters, outcome) > 0) &&
        (!names?.known.has(file.spec) || names.matches.has(file.spec)),
    )
    .toSorted(compareFiles);
  const groups = [...new Set(all.map(({ groupId }) => groupId))].toSorted(compareTexts);
  const page = await readPage(services, candidates, { search, outcome, from });
  return { ...page, tests: page.tests.toSorted(compareOutcomes), groups };
}

async function readPage(
  services: Services,
  candidates: readonly Instance[],
  visit: Visit,
): Promise<Omit<TestsOfRun, 'groups'>> {
  const tests: TestOfRun[] = [];
  for await (const { test, next, filesLeft } of visitTests(services, candidates, visit)) {
    if (!test) return { tests, next: filesLeft > 0 ? next : undefined, filesLeft };
    if (tests.length === pageRows) return { tests, next, filesLeft };
    tests.push(test);
  }
  return { tests, next: undefined, filesLeft: 0 };
}

interface Visit extends Pick<TestsOfRunQuery, 'outcome'> {
  /** Empty if every text matches. */
  readonly search: string;
  /** The first place, as in `next` of a visited test. */
  readonly from: string;
}

interface VisitedTest {
  /** `undefined` at the end of the files that are read for one page. */
  readonly test: TestOfRun | undefined;
  /** Names this place in the list, as `<file>.<test>`, both counted from 0. */
  readonly next: string;
  /** The number of files from this place on. */
  readonly filesLeft: number;
}

/** The matching tests of as many files as one page may read. Reads a batch of files at once. */
async function* visitTests(
  services: Services,
  candidates: readonly Instance[],
  { search, outcome, from }: Visit,
): AsyncGenerator<VisitedTest> {
  const [firstFile = 0, firstTest = 0] = from.split('.').map(Number);
  const end = Math.min(candidates.length, firstFile + filesOfPage);
  const isMatch = (file: Instance, test: RecordedTest) =>
    (!outcome || findOutcome(test) === outcome) &&
    (search === '' || contains(`${test.title.join(' > ')}\n${file.spec}`, search));
  for (let start = firstFile; start < end; start += batch) {
    const batchFiles = candidates.slice(start, Math.min(end, start + batch));
    const loadedFiles = await mapConcurrently(batchFiles, (file) => loadInstance(services, file));
    for (const [index, file] of batchFiles.entries()) {
      const place = start + index;
      const matches = (loadedFiles[index]?.details.tests ?? [])
        .filter((test) => isMatch(file, test))
        .toSorted((one, other) => rank(findOutcome(one)) - rank(findOutcome(other)));
      for (const [number, test] of matches.entries()) {
        const isBeforeStart = place === firstFile && number < firstTest;
        const next = `${place}.${number}`;
        if (!isBeforeStart) yield { test: presentTest(file, test), next, filesLeft: candidates.length - place };
      }
    }
  }
  yield { test: undefined, next: `${end}.0`, filesLeft: Math.max(0, candidates.length - end) };
}

function countOutcome(counters: Counters, outcome: OutcomeOfTest): number {
  switch (outcome) {
    case 'failed':
      return counters.failures;
    case 'flaky':
      return counters.flaky;
    case 'passed':
      return counters.passes;
    case 'skipped':
      return counters.pending;
    case 'not_run':
      return counters.skipped;
  }
}

/** A flaky test passed in the end, but is listed apart. */
function findOutcome({ outcome, flaky }: RecordedTest): OutcomeOfTest {
  if (outcome === 'passed' && flaky) return 'flaky';
  if (outcome === 'pending') return 'skipped';
  return outcome === 'skipped' ? 'not_run' : outcome;
}

const FIRST: readonly OutcomeOfTest[] = ['failed', 'not_run', 'flaky'];
const OTHERS = FIRST.length;

const rank = (outcome: OutcomeOfTest): number => (FIRST.includes(outcome) ? FIRST.indexOf(outcome) : OTHERS);

/** Failures come first on each page. All others stay in the order of their spec files. */
const compareOutcomes = (one: { readonly outcome: OutcomeOfTest }, other: { readonly outcome: OutcomeOfTest }) =>
  rank(one.outcome) - rank(other.outcome);

const rankFile = ({ counters }: Instance): number =>
  Math.min(OTHERS, ...FIRST.filter((outcome) => countOutcome(counters, outcome) > 0).map(rank));

/** Spec files with failures first. */
const compareFiles = (one: Instance, other: Instance): number =>
  rankFile(one) - rankFile(other) ||
  compareTexts(one.spec, other.spec) ||
  compareTexts(one.groupId, other.groupId) ||
  compareTexts(one.instanceId, other.instanceId);

const presentTest = ({ instanceId, spec, groupId }: Instance, test: RecordedTest): TestOfRun => ({
  instanceId,
  spec,
  groupId,
  testId: test.testId,
  title: test.title,
  outcome: findOutcome(test),
  milliseconds: sumDurations(test.attempts),
});
