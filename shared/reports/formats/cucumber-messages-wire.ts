/** Cucumber Messages: lines that refer to each other by ids. Unlike the JSON formatter, they have all tries and the rules. */
import * as z from 'zod';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { findAttachedFile } from '#shared/reports/attached-file.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundFile, FoundTest } from '#shared/reports/found.ts';
import {
  buildError,
  buildTest,
  type ErrorTexts,
  FAILED,
  joinRows,
  PASSED,
  PENDING,
  SKIPPED,
  splitStack,
} from '#shared/reports/found-tests.ts';
import { nameGherkinStep } from '#shared/reports/gherkin-steps.ts';
import { flagField, listField, numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { readObjects } from '#shared/reports/lines/line-reader.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

const KINDS = ['meta', 'source', 'gherkinDocument', 'pickle', 'testRunStarted', 'testCase'];

export const CUCUMBER_MESSAGES: Format = {
  format: 'cucumber-messages',
  recognizes: ({ objects }) => objects.some((one) => one.size === 1 && KINDS.some((kind) => one.has(kind))),
  parse: parseMessages,
};

const Moment = orNull(z.object({ seconds: numberField, nanos: numberField })).transform((moment) =>
  moment ? (moment.seconds ?? 0) * 1000 + (moment.nanos ?? 0) / 1_000_000 : null,
);
const Keywords = listField(z.object({ id: textField, keyword: textField }));
const Child = z.object({
  scenario: orNull(z.object({ id: textField, steps: Keywords })),
  background: orNull(z.object({ steps: Keywords })),
});
const StepResult = orNull(
  z.object({
    status: textField,
    message: textField,
    duration: Moment,
    exception: orNull(z.object({ type: textField, message: textField, stackTrace: textField })),
  }),
);

const PickleStep = z.object({
  id: textField,
  text: textField,
  astNodeIds: textsField,
  argument: orNull(
    z.object({
      dataTable: orNull(z.object({ rows: listField(z.object({ cells: listField(z.object({ value: textField })) })) })),
      docString: orNull(z.object({ content: textField })),
    }),
  ),
});

const Message = z.object({
  gherkinDocument: orNull(
    z.object({
      uri: textField,
      feature: orNull(
        z.object({
          name: textField,
          children: listField(
            Child.extend({ rule: orNull(z.object({ name: textField, children: listField(Child) })) }),
          ),
        }),
      ),
    }),
  ),
  pickle: orNull(
    z.object({
      id: textField,
      uri: textField,
      name: textField,
      astNodeIds: textsField,
      tags: listField(z.object({ name: textField })),
      steps: listField(PickleStep),
    }),
  ),
  testCase: orNull(
    z.object({
      id: textField,
      pickleId: textField,
      testSteps: listField(z.object({ id: textField, pickleStepId: textField })),
    }),
  ),
  testRunStarted: orNull(z.object({})),
  testCaseStarted: orNull(z.object({ id: textField, testCaseId: textField, timestamp: Moment })),
  testStepFinished: orNull(
    z.object({ testCaseStartedId: textField, testStepId: textField, testStepResult: StepResult }),
  ),
  attachment: orNull(
    z.object({
      testCaseStartedId: textField,
      body: textField,
      contentEncoding: textField,
      mediaType: textField,
      fileName: textField,
    }),
  ),
  testCaseFinished: orNull(z.object({ testCaseStartedId: textField, timestamp: Moment, willBeRetried: flagField })),
  parseError: orNull(z.object({ source: orNull(z.object({ uri: textField })), message: textField })),
  testRunHookFinished: orNull(z.object({ result: StepResult })),
  testRunFinished: orNull(
    z.object({ success: orNull(z.boolean()), message: textField, exception: orNull(z.object({ message: textField })) }),
  ),
});
type Message = z.output<typeof Message>;

/** From best to worst. */
const RANKS: readonly string[] = ['PASSED', 'SKIPPED', 'PENDING', 'UNDEFINED', 'AMBIGUOUS', 'FAILED'];
const ENDINGS = new Map<string, Ending>([
  ['PASSED', PASSED],
  ['SKIPPED', PENDING],
  ['PENDING', PENDING],
  ['UNKNOWN', SKIPPED],
]);
const PLAIN: ReadonlySet<string> = new Set(['PASSED', 'FAILED', 'SKIPPED']);

interface Scenario {
  readonly uri: string;
  readonly name: string;
  readonly nodeId: string;
  readonly tags: readonly string[];
  readonly steps: ReadonlyMap<string, string>;
}

interface OpenTry {
  readonly caseId: string;
  readonly startedAt: number | null;
  readonly words: Set<string>;
  readonly errors: ErrorTexts[];
  readonly steps: EvidenceStep[];
  readonly files: FoundFile[];
  /** What the scenario logged, which is also attached. */
  readonly output: KeptEnd;
}

interface TestCase {
  readonly pickleId: string;
  readonly steps: ReadonlyMap<string, string>;
  readonly tries: FoundTest[];
}

class MessageReader {
  readonly #report: ToolReport;
  readonly #input: ParserInput;
  readonly #features = new Map<string, string>();
  readonly #rules = new Map<string, string>();
  /** `Given` of a step, by the id of its node. */
  readonly #keywords = new Map<string, string>();
  readonly #pickles = new Map<string, Scenario>();
  readonly #cases = new Map<string, TestCase>();
  readonly #open = new Map<string, OpenTry>();
  /** Of attachments of scenarios that have not ended. */
  #heldBytes = 0;
  readonly #brokenFiles = new Map<string, ErrorTexts[]>();
  #hasFailed = false;
  #hasEnd = false;
  /** Whether a scenario ended that the file does not describe. */
  #lacksCases = false;

  constructor(report: ToolReport, input: ParserInput) {
    this.#report = report;
    this.#input = input;
  }

  take(message: Message): void {
    const { gherkinDocument, pickle, testCase, testCaseStarted, testStepFinished, attachment } = message;
    if (gherkinDocument) this.#addDocument(gherkinDocument);
    else if (pickle) this.#addPickle(pickle);
    else if (testCase) this.#addCase(testCase);
    else if (testCaseStarted) this.#startCase(testCaseStarted);
    else if (testStepFinished) this.#endStep(testStepFinished);
    else if (attachment) this.#attach(attachment);
    else if (message.testCaseFinished) this.#endCase(message.testCaseFinished);
    else this.#takeOfRun(message);
  }

  #takeOfRun({ parseError, testRunHookFinished, testRunStarted, testRunFinished }: Message): void {
    if (parseError) {
      const uri = parseError.source?.uri ?? '';
      const errors = this.#brokenFiles.get(uri) ?? [];
      if (errors.length < REPORT_LIMITS.errorsPerAttempt) errors.push({ message: parseError.message });
      this.#brokenFiles.set(uri, errors);
    } else if (testRunHookFinished) {
      const { result } = testRunHookFinished;
      if (result && !ENDINGS.has(result.status))
        this.#report.runError(toError(result).message || 'A hook of the run failed');
    } else if (testRunStarted) {
      // Runs of several processes may stand in one file.
      this.#hasEnd = false;
    } else if (testRunFinished) {
      this.#hasEnd = true;
      const { success, message, exception } = testRunFinished;
      if ((success === false || exception) && !this.#hasFailed && this.#brokenFiles.size === 0)
        this.#report.runErrorIfNone(message || exception?.message || 'The run failed, but no scenario did');
    }
  }

  #addDocument({ uri, feature }: NonNullable<Message['gherkinDocument']>): void {
    if (!feature || this.#features.size === REPORT_LIMITS.testsPerFile) return;
    this.#features.set(uri, feature.name);
    for (const child of feature.children) {
      this.#noteKeywords(child);
      for (const inner of child.rule?.children ?? []) {
        this.#noteKeywords(inner);
        if (inner.scenario) this.#rules.set(inner.scenario.id, child.rule?.name ?? '');
      }
    }
  }

  #noteKeywords({ scenario, background }: z.output<typeof Child>): void {
    for (const { id, keyword } of [...(scenario?.steps ?? []), ...(background?.steps ?? [])])
      if (this.#keywords.size < REPORT_LIMITS.testsPerFile) this.#keywords.set(id, keyword.trim());
  }

  #addPickle({ id, uri, name, astNodeIds, tags, steps }: NonNullable<Message['pickle']>): void {
    if (!this.#report.hasRoom(this.#pickles.size)) return;
    this.#pickles.set(id, {
      uri,
      name,
      nodeId: astNodeIds[0] ?? '',
      tags: tags.map((tag) => tag.name),
      steps: new Map(steps.map((step) => [step.id, this.#nameStep(step)])),
    });
  }

  #nameStep({ text, astNodeIds, argument }: z.output<typeof PickleStep>): string {
    const keyword = this.#keywords.get(astNodeIds[0] ?? '') ?? '';
    const rows = argument?.dataTable?.rows ?? [];
    return nameGherkinStep(keyword === '' ? text : `${keyword} ${text}`, {
      table: rows.map(({ cells }) => cells.map(({ value }) => value)),
      docString: argument?.docString?.content ?? '',
    });
  }

  #addCase({ id, pickleId, testSteps }: NonNullable<Message['testCase']>): void {
    if (!this.#report.hasRoom(this.#cases.size)) return;
    const texts = this.#pickles.get(pickleId)?.steps;
    const steps = new Map(testSteps.map((step) => [step.id, texts?.get(step.pickleStepId) ?? '']));
    this.#cases.set(id, { pickleId, steps, tries: [] });
  }

  #startCase({ id, testCaseId, timestamp }: NonNullable<Message['testCaseStarted']>): void {
    if (!this.#report.hasRoom(this.#open.size)) return;
    this.#open.set(id, {
      caseId: testCaseId,
      startedAt: timestamp,
      words: new Set(),
      errors: [],
      steps: [],
      files: [],
      output: new KeptEnd(REPORT_LIMITS.outputCharacters),
    });
  }

  #endStep({ testCaseStartedId, testStepId, testStepResult }: NonNullable<Message['testStepFinished']>): void {
    const openTry = this.#open.get(testCaseStartedId);
    if (!openTry || !testStepResult) return;
    const title = this.#cases.get(openTry.caseId)?.steps.get(testStepId) || 'Hook';
    const hasFailed = !ENDINGS.has(testStepResult.status);
    const texts = toError(testStepResult);
    const error = texts.message === '' ? { message: `${title}: ${testStepResult.status.toLowerCase()}` } : texts;
    if (openTry.words.size < MOST_WORDS) openTry.words.add(testStepResult.status);
    if (hasFailed && openTry.errors.length < REPORT_LIMITS.errorsPerAttempt) openTry.errors.push(error);
    if (openTry.steps.length === REPORT_LIMITS.stepsPerTest) return;
    openTry.steps.push({
      title,
      category: title === 'Hook' ? 'hook' : 'test.step',
      duration: roundDuration(testStepResult.duration ?? 0),
      error: hasFailed ? buildError(error, '') : null,
      steps: [],
    });
  }

  #attach(attachment: NonNullable<Message['attachment']>): void {
    const openTry = this.#open.get(attachment.testCaseStartedId);
    if (!openTry || attachment.body === '' || openTry.files.length === REPORT_LIMITS.filesPerReport) return;
    const isBinary = attachment.contentEncoding === 'BASE64';
    if (!isBinary && attachment.mediaType.startsWith(LOG)) openTry.output.add(`${attachment.body}\n`);
    const body = isBinary ? attachment.body : Buffer.from(attachment.body).toString('base64');
    const facts = { name: attachment.fileName || 'attachment', contentType: attachment.mediaType, path: '' };
    const file = findAttachedFile(facts, body, () => undefined);
    if (!file) return;
    if (this.#heldBytes + file.held > REPORT_LIMITS.keptCharacters) {
      this.#report.collector.warnings.leaveOut({ name: file.name, spec: 'a scenario' }, NO_ROOM);
      return;
    }
    this.#heldBytes += file.held;
    openTry.files.push(file);
  }

  #endCase({ testCaseStartedId, timestamp, willBeRetried }: NonNullable<Message['testCaseFinished']>): void {
    const openTry = this.#open.get(testCaseStartedId);
    this.#open.delete(testCaseStartedId);
    this.#heldBytes -= sumBytes(openTry?.files ?? []);
    const testCase = openTry && this.#cases.get(openTry.caseId);
    const scenario = testCase && this.#pickles.get(testCase.pickleId);
    if (!scenario) {
      this.#lacksCases = true;
      return;
    }
    // The last try decides.
    if (testCase.tries.length === REPORT_LIMITS.attemptsPerTest) testCase.tries.pop();
    testCase.tries.push(this.#report.collector.trim(this.#buildTry(openTry, scenario, timestamp)));
    if (!willBeRetried) this.#addTest(testCase);
  }

  /** A scenario that has not ended counts only if it already failed. */
  #endOpenTries(): void {
    for (const [testCaseStartedId, { words }] of this.#open) {
      this.#lacksCases = true;
      if (ENDINGS.has(findWorst(words))) continue;
      this.#endCase({ testCaseStartedId, timestamp: null, willBeRetried: false });
    }
  }

  #buildTry(openTry: OpenTry, scenario: Scenario, end: number | null): FoundTest {
    const { startedAt, words, errors, steps, files, output } = openTry;
    const word = findWorst(words);
    const ending = ENDINGS.get(word) ?? FAILED;
    const titles = [this.#features.get(scenario.uri) ?? '', this.#rules.get(scenario.nodeId) ?? '', scenario.name];
    return buildTest({
      spec: toSpecPath(scenario.uri.replace(PREFIX, ''), this.#input.root),
      title: titles.filter((title) => title !== '').map(replaceUnstableParts),
      ending,
      ...(!PLAIN.has(word) && { raw: word }),
      startedAt: toEpoch(startedAt === null ? undefined : Math.floor(startedAt), this.#input.now),
      duration: roundDuration(end === null || startedAt === null ? 0 : end - startedAt),
      errors,
      steps: ending === PASSED ? [] : steps,
      stdout: [output.text],
      files,
      tags: scenario.tags,
    });
  }

  #addTest({ tries }: TestCase): void {
    const test = joinRows(tries.splice(0));
    this.#hasFailed ||= test.outcome === 'failed';
    this.#report.addKept(test);
  }

  /** Adds scenarios that were to be tried again when the file ended, and files that could not be parsed. */
  end(): void {
    this.#endOpenTries();
    for (const testCase of this.#cases.values()) if (testCase.tries.length > 0) this.#addTest(testCase);
    for (const [uri, errors] of this.#brokenFiles)
      this.#report.add(
        buildTest({
          spec: toSpecPath(uri.replace(PREFIX, ''), this.#input.root),
          title: ['(file)'],
          ending: FAILED,
          errors,
        }),
      );
  }

  get isWhole(): boolean {
    return !this.#lacksCases && (this.#hasEnd || this.#brokenFiles.size > 0);
  }
}

async function parseMessages(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const reader = new MessageReader(report, input);
  const isWhole = await readObjects(
    text,
    {
      get full() {
        return report.full;
      },
      take: (value) => {
        const message = Message.safeParse(value).data;
        if (message) reader.take(message);
      },
    },
    { input, warnings: report.collector.warnings },
  );
  reader.end();
  return report.finish({
    format: 'cucumber-messages',
    framework: { type: 'cucumber', version: null },
    truncated: !isWhole || !reader.isWhole,
  });
}

const LOG = 'text/x.cucumber.log';

const PREFIX = /^(?:classpath|file):(?:\/\/(?=\/))?/;

function toError({ message, exception }: NonNullable<z.output<typeof StepResult>>): ErrorTexts {
  const stack = exception?.stackTrace || message;
  return { message: splitStack(message).message || exception?.message || '', stack };
}

const sumBytes = (files: readonly FoundFile[]): number => files.reduce((sum, { held }) => sum + held, 0);
const NO_ROOM = 'the scenarios that had not ended had too many of them';
/** The words of the format and a few others: one of them is enough to fail. */
const MOST_WORDS = 20;

/** A scenario without steps has passed. */
function findWorst(words: ReadonlySet<string>): string {
  const unknown = [...words].find((word) => !RANKS.includes(word) && word !== 'UNKNOWN');
  if (unknown !== undefined) return unknown;
  return RANKS.findLast((rank) => words.has(rank)) ?? (words.size === 0 ? 'PASSED' : 'UNKNOWN');
}
