/** Collects the tests and errors of a Playwright blob report from its events. */
import type * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Annotation, addErrorsOfPasses, expectsFailure, pickFacts } from '#shared/model/results/attempt.ts';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { limitAnnotations } from '#shared/reports/annotations.ts';
import { findAttachedFile } from '#shared/reports/attached-file.ts';
import type { Collector } from '#shared/reports/collector.ts';
import type { FoundAttempt, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { trimAttempt } from '#shared/reports/kept-results.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
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
import { convertPlaywrightError } from './error-wire.ts';
import { deriveAttemptOutcome, deriveTestOutcome, NEVER_RAN, pickRanAttempts } from './outcome.ts';

/** Executions that have begun but not ended. Real machines run only a few workers. */
const OPEN_RESULTS = 10_000;

export class BlobEvents {
  readonly #input: ParserInput;
  readonly #collector: Collector;
  readonly #open = new Map<string, BlobResult>();
  readonly tests: ReturnType<typeof makeBlobTests>;
  readonly runErrors: string[] = [];
  begun = false;
  ended = false;
  version = 0;
  frameworkVersion: string | null = null;
  shard: ParsedFile['shard'] = null;
  metadata: unknown;
  startedAt: number | null = null;
  milliseconds: number | null = null;

  constructor(input: ParserInput, collector: Collector) {
    this.#input = input;
    this.#collector = collector;
    this.tests = makeBlobTests(input, collector);
  }

  take(method: string, params: unknown): void {
    this.#readers.get(method)?.(params);
  }

  readonly #readers: ReadonlyMap<string, (params: unknown) => void> = new Map([
    [
      'onBlobReportMetadata',
      (params) => {
        const { version = 0, shard, userAgent = '' } = Metadata.safeParse(params).data ?? {};
        this.begun = true;
        this.version = version;
        this.shard = shard ?? this.shard;
        this.frameworkVersion = /^Playwright\/(\S{1,40})/.exec(userAgent)?.[1] ?? this.frameworkVersion;
      },
    ],
    [
      'onConfigure',
      makeReader(Configure, ({ config }) => {
        this.begun = true;
        this.frameworkVersion = config.version || this.frameworkVersion;
        this.shard = config.shard ?? this.shard;
        this.metadata = config.metadata;
      }),
    ],
    ['onProject', this.#makeReader(BlobProject, ({ project }) => this.tests.addProject(project.name, project.suites))],
    [
      'onTestBegin',
      this.#makeReader(TestBegin, ({ testId, result }) => {
        if (this.tests.has(testId) && this.#open.size < OPEN_RESULTS) this.#open.set(result.id, new BlobResult(result));
      }),
    ],
    ['onStepBegin', makeReader(StepBegin, ({ resultId, step }) => this.#open.get(resultId)?.beginStep(step))],
    ['onStepEnd', makeReader(StepEnd, ({ resultId, step }) => this.#open.get(resultId)?.endStep(step))],
    [
      'onAttach',
      makeReader(Attach, ({ resultId, attachments }) => this.#attach(this.#open.get(resultId), attachments)),
    ],
    [
      'onStdIO',
      makeReader(Output, ({ resultId, type, isBase64, data }) => {
        const text = isBase64 ? Buffer.from(data, 'base64').toString('utf8') : data;
        this.#open.get(resultId)?.[type === 'stderr' ? 'stderr' : 'stdout'].add(text);
      }),
    ],
    [
      'onTestEnd',
      this.#makeReader(TestEnd, (data) => {
        const result = this.#open.get(data.result.id);
        if (!result) return;
        this.#open.delete(data.result.id);
        // Older Playwright versions write the attachments into this event.
        this.#attach(result, data.result.attachments);
        this.tests.end(data, result);
      }),
    ],
    [
      'onError',
      this.#makeReader(RunError, ({ error }) => {
        if (this.runErrors.length < REPORT_LIMITS.runErrors) this.runErrors.push(error.message || error.value);
      }),
    ],
    [
      'onEnd',
      (params) => {
        this.ended = true;
        const { result } = BlobEnd.safeParse(params).data ?? {};
        this.startedAt = toEpoch(result?.startTime, this.#input.now);
        this.milliseconds = roundDuration(result?.duration ?? 0) || null;
      },
    ],
  ]);

  /** A handler of events that decide about tests. */
  #makeReader<Schema extends z.ZodType>(schema: Schema, take: (data: z.output<Schema>) => void) {
    return (params: unknown): void => {
      const data = this.#collector.read(schema, params);
      if (data !== undefined) take(data);
    };
  }

  #attach(result: BlobResult | undefined, attachments: readonly BlobAttachment[]): void {
    for (const attachment of result ? attachments : []) {
      const file = findAttachedFile(attachment, attachment.base64, this.#input.fileAt);
      if (file) result?.addFile(file);
      else
        this.#collector.warnings.once(
          'The report lacks attachments that it names. Send the whole zip that Playwright wrote',
        );
    }
  }
}

/** Returns a handler that ignores params of an unexpected form. */
const makeReader =
  <Schema extends z.ZodType>(schema: Schema, take: (data: z.output<Schema>) => void) =>
  (params: unknown): void => {
    const { success, data } = schema.safeParse(params);
    if (success) take(data);
  };

interface BlobTest {
  readonly testId: string;
  readonly group: string;
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags: readonly string[];
  annotations: readonly Annotation[];
  expectedStatus: string;
  readonly results: FoundAttempt[];
}

type Place = Pick<BlobTest, 'group' | 'spec' | 'title'>;

/** Joins the inner parts of a long title, as its name will be, so that deeply nested suites do not fill the memory. */
const joinInnerTitle = (outer: readonly string[], title: string): string[] =>
  outer.length < MODEL_LIMITS.titleParts ? [...outer, title] : [...outer.slice(0, -1), `${outer.at(-1)} ${title}`];

/** The tests of a blob report, from the trees of its projects, and the results of each test. */
function makeBlobTests({ root, now, budget, reading, name }: ParserInput, collector: Collector) {
  const tests = new Map<string, BlobTest>();
  let isTooDeep = false;
  const readEntries = (values: unknown): BlobEntry[] => collector.readAll(BlobEntry, values);
  const addSuite = (suite: BlobEntry, place: Place, depth: number): void => {
    if (depth > REPORT_LIMITS.suiteDepth) {
      isTooDeep = true;
      return;
    }
    for (const entry of [suite.entries, suite.suites, suite.tests].flatMap(readEntries)) {
      const { testId, tags, annotations } = entry;
      const entryPlace = { ...place, title: joinInnerTitle(place.title, entry.title) };
      if (testId === '') addSuite(entry, entryPlace, depth + 1);
      else if (tests.size < REPORT_LIMITS.testsPerFile)
        tests.set(testId, {
          ...entryPlace,
          testId,
          tags: normalizeTags(tags),
          annotations,
          expectedStatus: 'passed',
          results: [],
        });
    }
  };
  return {
    /** Whether suites were left out, because they are nested too deeply. */
    get tooDeep() {
      return isTooDeep;
    },
    has: (testId: string): boolean => tests.has(testId),
    addProject: (name: string, files: unknown): void => {
      const group = name || UNNAMED_PROJECT;
      for (const file of readEntries(files))
        addSuite(file, { group, spec: toSpecPath(file.location?.file || file.title, root), title: [] }, 0);
    },
    end: ({ test: { testId, expectedStatus, annotations }, result }: TestEnd, execution: BlobResult): void => {
      const test = tests.get(testId);
      if (!test) return;
      test.expectedStatus = expectedStatus || 'passed';
      const allAnnotations = [...test.annotations, ...annotations, ...result.annotations];
      reading.work(allAnnotations.length * REPORT_LIMITS.work.annotation, name);
      test.annotations = deduplicateAnnotations(allAnnotations);
      const isPlain = test.results.length === 0 && result.status === test.expectedStatus;
      const attempt = {
        state: deriveAttemptOutcome(result.status, test.expectedStatus),
        rawStatus: result.status || 'failed',
        startedAt: toEpoch(execution.begun.startTime, now),
        duration: roundDuration(result.duration ?? 0),
        ...pickFacts({ ...result, ...execution.begun }),
        errors: result.errors.slice(0, REPORT_LIMITS.errorsPerAttempt).map(convertPlaywrightError),
        files: execution.files,
        evidence: isPlain ? undefined : toEvidence(execution),
      };
      // The last attempt determines the outcome, so it replaces the one before it when the limit is reached.
      if (test.results.length === REPORT_LIMITS.attemptsPerTest) test.results.pop();
      test.results.push(trimAttempt(attempt, budget));
    },
    /** `isWhole`: whether the run ended. If not, it is unknown whether tests without a result would have run. */
    *found(isWhole: boolean): Generator<FoundTest, void> {
      for (const { results, ...test } of tests.values()) {
        if (results.length === 0 && !isWhole) continue;
        const { annotations, expectedStatus } = test;
        const statuses = results.map(({ rawStatus }) => ({ status: rawStatus }));
        const ran = results.length > 0 ? pickRanAttempts(results) : [NEVER_RAN];
        const attempts = addErrorsOfPasses(ran, expectsFailure(expectedStatus, annotations));
        yield {
          ...test,
          ...deriveTestOutcome(statuses, expectedStatus),
          annotations: limitAnnotations(annotations),
          attempts,
        };
      }
    },
  };
}

const toTexts = (text: string): string[] => (text === '' ? [] : [text]);

const toEvidence = ({ steps, stdout, stderr }: BlobResult): FoundAttempt['evidence'] => ({
  steps,
  stdout: toTexts(stdout.text),
  stderr: toTexts(stderr.text),
});

/** Results repeat the annotations of their test. */
const deduplicateAnnotations = (all: readonly Annotation[]): Annotation[] => [
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

const cut = (text: string): string => cutText(text, REPORT_LIMITS.stepTitleCharacters);

type BlobStart = z.output<typeof TestBegin>['result'];

/** One execution of a test, assembled from the lines of the report about it. */
class BlobResult {
  readonly begun: BlobStart;
  readonly stdout = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly stderr = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly files: FoundFile[] = [];
  readonly #steps: OpenStep[] = [];
  readonly #byId = new Map<string, OpenStep>();

  constructor(start: BlobStart) {
    this.begun = start;
  }

  beginStep(step: z.output<typeof StepBegin>['step']): void {
    const parent = this.#byId.get(step.parentStepId);
    const depth = (parent?.depth ?? 0) + 1;
    if (this.#byId.size === REPORT_LIMITS.stepsPerTest || depth > REPORT_LIMITS.stepDepth) return;
    const open = { title: cut(step.title), category: cut(step.category), depth, duration: -1, error: null, steps: [] };
    (parent?.steps ?? this.#steps).push(open);
    this.#byId.set(step.id, open);
  }

  /** Drops the stack of a failed step, because the errors of the test already contain it. */
  endStep(step: z.output<typeof StepEnd>['step']): void {
    const open = this.#byId.get(step.id);
    if (!open) return;
    open.duration = step.duration === undefined ? -1 : roundDuration(step.duration);
    if (step.error) open.error = { ...convertPlaywrightError(step.error), stack: null };
  }

  get steps(): EvidenceStep[] {
    return this.#steps;
  }

  addFile(file: FoundFile): void {
    // Keeps one more file than the limit allows, so that the excess causes a warning.
    if (this.files.length <= REPORT_LIMITS.filesPerReport) this.files.push(file);
  }
}
