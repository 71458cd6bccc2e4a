/** The tests of a blob report: the tree of its projects, and the results of each test. */
import { type Annotation, expectsFailure, withErrorsOfPasses } from '#shared/model/tests/attempt.ts';
import { keptAnnotations } from '#shared/reports/annotations.ts';
import type { FoundAttempt, FoundTest } from '#shared/reports/found.ts';
import { type TextBudget, trimmed } from '#shared/reports/kept-results.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { specPath } from '#shared/reports/paths.ts';
import { keptTags } from '#shared/reports/tags.ts';
import { epochIn, millisecondsOf } from '#shared/reports/times.ts';
import type { BlobResult } from './blob-result.ts';
import { BlobEntry, type TestEnd } from './blob-wire.ts';
import { playwrightErrorOf } from './error-wire.ts';
import { NEVER_RAN, outcomeOf, playwrightOutcomeOf, ranAttempts, UNNAMED_PROJECT } from './outcome.ts';

interface Ended extends FoundAttempt {
  readonly workerIndex: number;
}

interface BlobTest {
  readonly testId: string;
  readonly group: string;
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags: readonly string[];
  annotations: readonly Annotation[];
  expectedStatus: string;
  readonly results: Ended[];
}

interface Place {
  readonly group: string;
  readonly spec: string;
  readonly titles: readonly string[];
}

export class BlobTests {
  readonly #root: string | undefined;
  readonly #now: number;
  readonly #budget: TextBudget;
  readonly #tests = new Map<string, BlobTest>();

  constructor({ root, now, budget }: Pick<ParserInput, 'root' | 'now' | 'budget'>) {
    this.#budget = budget;
    this.#root = root;
    this.#now = now;
  }

  has(testId: string): boolean {
    return this.#tests.has(testId);
  }

  /** Adds a project. Its outermost suites are files. */
  addProject(name: string, files: readonly BlobEntry[]): void {
    const group = name || UNNAMED_PROJECT;
    for (const file of files) {
      const spec = specPath(file.location?.file || file.title, this.#root);
      this.#addSuite(file, { group, spec, titles: [] }, 0);
    }
  }

  #addSuite(suite: BlobEntry, place: Place, depth: number): void {
    if (depth > REPORT_LIMITS.depth) return;
    for (const value of [...suite.entries, ...suite.suites, ...suite.tests]) {
      const entry = BlobEntry.safeParse(value).data;
      if (!entry) continue;
      const titles = [...place.titles, entry.title];
      if (entry.testId === '') this.#addSuite(entry, { ...place, titles }, depth + 1);
      else this.#addTest(entry, { ...place, titles });
    }
  }

  #addTest({ testId, tags, annotations }: BlobEntry, { group, spec, titles }: Place): void {
    if (this.#tests.size === REPORT_LIMITS.testsPerFile) return;
    const test = {
      testId,
      group,
      spec,
      title: titles,
      tags: keptTags(tags),
      annotations,
      expectedStatus: 'passed',
      results: [],
    };
    this.#tests.set(testId, test);
  }

  end({ test: { testId, expectedStatus, annotations }, result }: TestEnd, begun: BlobResult): void {
    const test = this.#tests.get(testId);
    if (!test || test.results.length > REPORT_LIMITS.attemptsPerTest) return;
    test.expectedStatus = expectedStatus || 'passed';
    test.annotations = distinct([...test.annotations, ...annotations, ...result.annotations]);
    const attempt = {
      state: playwrightOutcomeOf(result.status, test.expectedStatus),
      rawStatus: result.status || 'failed',
      startedAt: epochIn(begun.startTime, this.#now),
      duration: millisecondsOf(result.duration ?? 0),
      workerIndex: begun.workerIndex,
      parallelIndex: begun.parallelIndex,
      errors: result.errors.slice(0, REPORT_LIMITS.errorsPerAttempt).map(playwrightErrorOf),
      files: begun.files,
    };
    const isPlain = test.results.length === 0 && result.status === test.expectedStatus;
    const whole = isPlain ? attempt : { ...attempt, evidence: evidenceOf(begun) };
    test.results.push({ ...trimmed(whole, this.#budget), workerIndex: begun.workerIndex });
  }

  /**
   * The tests with their results. `isWhole`: whether the run ended. If its machine died, it is unknown which other
   * tests it would have run.
   */
  *found(isWhole: boolean): Generator<FoundTest, void> {
    for (const { testId, group, spec, title, tags, annotations, expectedStatus, results } of this.#tests.values()) {
      if (results.length === 0 && !isWhole) continue;
      const statuses = results.map(({ rawStatus }) => ({ status: rawStatus }));
      const ran = results.length > 0 ? ranAttempts(results) : [NEVER_RAN];
      const attempts = withErrorsOfPasses(ran, expectsFailure(expectedStatus, annotations));
      const named = { testId, group, spec, title, tags, annotations: keptAnnotations(annotations), expectedStatus };
      yield { ...named, ...outcomeOf(statuses, expectedStatus), attempts };
    }
  }
}

const texts = (text: string): string[] => (text === '' ? [] : [text]);

const evidenceOf = ({ steps, stdout, stderr }: BlobResult): FoundAttempt['evidence'] => ({
  steps,
  stdout: texts(stdout.text),
  stderr: texts(stderr.text),
});

/** Each annotation once. Results repeat the annotations of the tree. */
const distinct = (all: readonly Annotation[]): Annotation[] => [
  ...new Map(all.map((one) => [JSON.stringify([one.type, one.description]), one])).values(),
];
