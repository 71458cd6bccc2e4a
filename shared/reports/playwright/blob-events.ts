/** Collects the tests and errors of a Playwright blob report from its events. */
import type * as z from 'zod';
import { keptBeginning } from '#shared/engine/cut-text.ts';
import { type Annotation, expectsFailure, withErrorsOfPasses } from '#shared/model/tests/attempt.ts';
import type { EvidenceStep } from '#shared/model/tests/evidence.ts';
import { keptAnnotations } from '#shared/reports/annotations.ts';
import { base64File } from '#shared/reports/base64-file.ts';
import type { FoundAttempt, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { type TextBudget, trimmed } from '#shared/reports/kept-results.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { specPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { keptTags } from '#shared/reports/tags.ts';
import { epochIn, millisecondsOf } from '#shared/reports/times.ts';
import type { Warnings } from '#shared/reports/warnings.ts';
import {
  Attach,
  type BlobAttachment,
  BlobEnd,
  BlobEntry,
  BlobProject,
  Configure,
  Metadata,
  Output,
  RunError,
  StepBegin,
  StepEnd,
  TestBegin,
  TestEnd,
} from './blob-wire.ts';
import { type PlaywrightError, playwrightErrorOf } from './error-wire.ts';
import { NEVER_RAN, outcomeOf, playwrightOutcomeOf, ranAttempts } from './outcome.ts';

/**
 * The maximum number of executions that may be open (begun but not ended) at the same time. Real machines run only a
 * few workers.
 */
const OPEN_RESULTS = 10_000;

export class BlobEvents {
  readonly #input: ParserInput;
  readonly #warnings: Warnings;
  readonly #open = new Map<string, BlobResult>();
  readonly tests: BlobTests;
  readonly runErrors: string[] = [];
  begun = false;
  ended = false;
  version = 0;
  frameworkVersion: string | null = null;
  shard: ParsedFile['shard'] = null;
  metadata: unknown;
  startedAt: number | null = null;

  constructor(input: ParserInput, warnings: Warnings) {
    this.#input = input;
    this.#warnings = warnings;
    this.tests = new BlobTests(input);
  }

  take(method: string, params: unknown): void {
    const readers: Readonly<Record<string, () => void>> = {
      onBlobReportMetadata: () => this.#metadata(Metadata.safeParse(params).data),
      onConfigure: () => this.#configure(Configure.safeParse(params).data),
      onProject: () => this.#project(BlobProject.safeParse(params).data),
      onTestBegin: () => this.#testBegin(TestBegin.safeParse(params).data),
      onStepBegin: () => this.#step(StepBegin.safeParse(params).data),
      onStepEnd: () => this.#stepEnd(StepEnd.safeParse(params).data),
      onAttach: () => this.#attach(Attach.safeParse(params).data),
      onStdIO: () => this.#output(Output.safeParse(params).data),
      onTestEnd: () => this.#testEnd(TestEnd.safeParse(params).data),
      onError: () => this.#error(RunError.safeParse(params).data),
      onEnd: () => this.#end(BlobEnd.safeParse(params).data),
    };
    if (Object.hasOwn(readers, method)) readers[method]?.();
  }

  #metadata(data: z.output<typeof Metadata> | undefined): void {
    this.begun = true;
    this.version = data?.version ?? 0;
    this.shard = data?.shard ?? this.shard;
    this.frameworkVersion = /^Playwright\/(\S{1,40})/.exec(data?.userAgent ?? '')?.[1] ?? this.frameworkVersion;
  }

  #configure(data: z.output<typeof Configure> | undefined): void {
    if (!data) return;
    this.begun = true;
    this.frameworkVersion = data.config.version || this.frameworkVersion;
    this.shard = data.config.shard ?? this.shard;
    this.metadata = data.config.metadata;
  }

  #project(data: z.output<typeof BlobProject> | undefined): void {
    if (data) this.tests.addProject(data.project.name, data.project.suites);
  }

  #testBegin(data: z.output<typeof TestBegin> | undefined): void {
    if (!data || !this.tests.has(data.testId) || this.#open.size === OPEN_RESULTS) return;
    this.#open.set(data.result.id, new BlobResult(data.result));
  }

  #step(data: z.output<typeof StepBegin> | undefined): void {
    if (data) this.#open.get(data.resultId)?.beginStep(data.step);
  }

  #stepEnd(data: z.output<typeof StepEnd> | undefined): void {
    if (data) this.#open.get(data.resultId)?.endStep(data.step);
  }

  #attach(data: z.output<typeof Attach> | undefined): void {
    const result = data && this.#open.get(data.resultId);
    if (result) for (const attachment of data.attachments) this.#addFile(result, attachment);
  }

  #addFile(result: BlobResult, attachment: BlobAttachment): void {
    const { base64 } = attachment;
    const file = base64 === '' ? this.#input.fileAt(attachment) : base64File(attachment, base64);
    if (file) result.addFile(file);
    else this.#warnings.once('The report lacks attachments that it names. Send the whole zip that Playwright wrote');
  }

  #output(data: z.output<typeof Output> | undefined): void {
    const result = data && this.#open.get(data.resultId);
    if (!result) return;
    const text = data.isBase64 ? Buffer.from(data.data, 'base64').toString('utf8') : data.data;
    (data.type === 'stderr' ? result.stderr : result.stdout).add(text);
  }

  #testEnd(data: TestEnd | undefined): void {
    const result = data && this.#open.get(data.result.id);
    if (!result) return;
    this.#open.delete(data.result.id);
    // Older Playwright versions write the attachments into this event.
    for (const attachment of data.result.attachments) this.#addFile(result, attachment);
    this.tests.end(data, result);
  }

  #error(data: z.output<typeof RunError> | undefined): void {
    if (data && this.runErrors.length < REPORT_LIMITS.runErrors)
      this.runErrors.push(data.error.message || data.error.value);
  }

  #end(data: z.output<typeof BlobEnd> | undefined): void {
    this.ended = true;
    this.startedAt = epochIn(data?.result.startTime, this.#input.now);
  }
}

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

/** The tests of a blob report, from the trees of its projects, and the results of each test. */
class BlobTests {
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
    if (!test) return;
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
    // The last attempt determines the outcome, so it replaces the one before it when the limit is reached.
    if (test.results.length === REPORT_LIMITS.attemptsPerTest) test.results.pop();
    test.results.push({ ...trimmed(whole, this.#budget), workerIndex: begun.workerIndex });
  }

  /**
   * Returns the tests with their results. `isWhole`: whether the run ended. If it did not, tests without a result are
   * left out, because it is unknown whether the machine would have run them.
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

/** Removes duplicate annotations. Results repeat the annotations of their test. */
const distinct = (all: readonly Annotation[]): Annotation[] => [
  ...new Map(all.map((one) => [JSON.stringify([one.type, one.description]), one])).values(),
];

interface OpenStep {
  readonly title: string;
  readonly category: string;
  readonly depth: number;
  duration: number;
  error: EvidenceStep['error'];
  readonly steps: OpenStep[];
}

const cut = (text: string): string => keptBeginning(text, REPORT_LIMITS.stepTitleCharacters);

/** One execution of a test, assembled from the lines of the report about it. */
class BlobResult {
  readonly workerIndex: number;
  readonly parallelIndex: number;
  readonly startTime: number | undefined;
  readonly stdout = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly stderr = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly files: FoundFile[] = [];
  readonly #steps: OpenStep[] = [];
  readonly #byId = new Map<string, OpenStep>();

  constructor(of: {
    workerIndex: number | undefined;
    parallelIndex: number | undefined;
    startTime: number | undefined;
  }) {
    this.workerIndex = of.workerIndex ?? -1;
    this.parallelIndex = of.parallelIndex ?? -1;
    this.startTime = of.startTime;
  }

  beginStep(step: { id: string; parentStepId: string; title: string; category: string }): void {
    const parent = this.#byId.get(step.parentStepId);
    const depth = (parent?.depth ?? 0) + 1;
    if (this.#byId.size === REPORT_LIMITS.stepsPerTest || depth > REPORT_LIMITS.stepDepth) return;
    const open = { title: cut(step.title), category: cut(step.category), depth, duration: -1, error: null, steps: [] };
    (parent?.steps ?? this.#steps).push(open);
    this.#byId.set(step.id, open);
  }

  /** Drops the stack of a failed step, because the errors of the test already contain it. */
  endStep(step: { id: string; duration: number | undefined; error?: PlaywrightError | null | undefined }): void {
    const open = this.#byId.get(step.id);
    if (!open) return;
    open.duration = step.duration === undefined ? -1 : millisecondsOf(step.duration);
    if (step.error) open.error = { ...playwrightErrorOf(step.error), stack: null };
  }

  get steps(): EvidenceStep[] {
    return this.#steps;
  }

  addFile(file: FoundFile): void {
    // Keeps one more file than the limit allows, so that the excess causes a warning.
    if (this.files.length <= REPORT_LIMITS.filesPerReport) this.files.push(file);
  }
}
