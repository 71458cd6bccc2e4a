/**
 * Results of Allure 2 and 3: a folder in which each file is one try of one test. Containers hold the set-up and tear-down
 * of tests, and the status of a result is not enough without them.
 */
import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { parseJson } from '#shared/engine/json.ts';
import type { Annotation } from '#shared/model/results/attempt.ts';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { makeMemorySource } from '#shared/reports/byte-source.ts';
import { decodeText } from '#shared/reports/decoded-text.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { FolderFile, Format } from '#shared/reports/format.ts';
import type { Ending, FoundFile, FoundTest } from '#shared/reports/found.ts';
import {
  buildError,
  buildTest,
  type ErrorTexts,
  EXPECTED_FAILURE,
  FAILED,
  joinRows,
  PASSED,
  PENDING,
  SKIPPED,
} from '#shared/reports/found-tests.ts';
import { flagField, listField, numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { countValues } from '#shared/reports/lines/count-values.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts, toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

const RESULT = /[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}-result\.json$/i;
/** If a hook of a whole module fails, its folder has containers only. */
const OWN_NAME = /[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}-(?:result|container|globals)\.json$/i;
const CONTAINER = /-container\.json$/i;
const GLOBALS = /-globals\.json$/i;
const SETTINGS = /(?:^|\/)(?:environment\.properties|environment\.xml|executor\.json|categories\.json|testrun\.json)$/i;

export const ALLURE: Format = {
  format: 'allure',
  recognizes: ({ members }) =>
    members.has('uuid') &&
    members.has('name') &&
    (members.has('stage') || members.has('statusDetails') || members.has('labels')),
  parse: parseResultFile,
  folder: {
    isReport: (name) => OWN_NAME.test(name),
    isPart: (name) => RESULT.test(name) || CONTAINER.test(name) || GLOBALS.test(name) || SETTINGS.test(name),
    parse: parseFolder,
  },
};

const Details = orNull(
  z.object({
    message: textField,
    trace: textField,
    expected: textField,
    actual: textField,
    flaky: flagField,
    muted: flagField,
    known: flagField,
  }),
).transform(
  (details) =>
    details ?? { message: '', trace: '', expected: '', actual: '', flaky: false, muted: false, known: false },
);

const Attachment = z.object({ name: textField, source: textField, type: textField });

const Step = z.object({
  name: textField,
  status: textField,
  statusDetails: Details,
  start: numberField,
  stop: numberField,
  attachments: listField(Attachment),
  steps: listField(z.unknown()),
});
type Step = z.output<typeof Step>;

const Parameter = z.object({ name: textField, value: textField, excluded: flagField, mode: textField });

const Result = Step.extend({
  uuid: textField,
  historyId: textField,
  fullName: textField,
  stage: textField,
  titlePath: textsField,
  labels: listField(z.object({ name: textField, value: textField })),
  links: listField(z.object({ name: textField, url: textField, type: textField })),
  parameters: listField(Parameter),
});
type Result = z.output<typeof Result>;

const Container = z.object({ children: textsField, befores: z.unknown().optional(), afters: z.unknown().optional() });
const Globals = z.object({ errors: z.unknown().optional() });
const GlobalError = z.object({ message: textField, trace: textField });

/** A set-up or tear-down of one test that failed. */
interface Fixture {
  readonly error: ErrorTexts;
  /** Whether the result of its test has been read. */
  isShown: boolean;
}

/** A try of a test, until all of them are known. */
interface Try {
  readonly key: string;
  readonly start: number;
  readonly stop: number;
  readonly parameters: string;
  readonly test: FoundTest;
}

async function parseResultFile(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const parts: string[] = [];
  let length = 0;
  for await (const part of text) {
    length += part.length;
    if (length > REPORT_LIMITS.jsonStringCharacters)
      throw unreadableReport(input.name ?? '', 'is too large for one result');
    parts.push(part);
  }
  const allure = new AllureReport(input, '');
  if (!allure.addResult(parseCounted(parts.join(''), input)))
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  return allure.finish(false);
}

async function parseFolder(files: readonly FolderFile[], input: ParserInput): Promise<ParsedFile> {
  const first = files.find(({ name }) => OWN_NAME.test(name))?.name ?? '';
  const allure = new AllureReport(input, first.slice(0, first.lastIndexOf('/') + 1));
  let isCut = false;
  const list = (pattern: RegExp) => files.filter(({ name }) => pattern.test(name));
  const leaveOut = (file: FolderFile) => {
    isCut = true;
    allure.warn(`${file.name} is left out: it is cut or damaged`);
  };
  // A hook that failed is only in a container, so a damaged one may hide a failure.
  for (const file of list(CONTAINER)) if (!allure.addContainer(await readJson(file, input))) leaveOut(file);
  for (const file of list(RESULT)) {
    if (!allure.hasRoom()) break;
    if (!allure.addResult(await readJson(file, input))) leaveOut(file);
  }
  for (const file of list(GLOBALS)) if (!allure.addGlobals(await readJson(file, input))) leaveOut(file);
  return allure.finish(isCut);
}

async function readJson(file: FolderFile, input: ParserInput): Promise<unknown> {
  input.reading.work(REPORT_LIMITS.work.folderFile, file.name);
  if (file.size > REPORT_LIMITS.jsonStringCharacters) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of file.open()) {
    input.reading.take(part.length, file.name);
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const texts: string[] = [];
  for await (const text of decodeText(makeMemorySource(bytes).stream(), bytes)) texts.push(text);
  return parseCounted(texts.join(''), input);
}

function parseCounted(text: string, input: ParserInput): unknown {
  input.reading.work(countValues(Buffer.from(text)) * REPORT_LIMITS.work.jsonValue, input.name);
  return parseJson(text);
}

class AllureReport {
  readonly #report: ToolReport;
  readonly #input: ParserInput;
  readonly #folder: string;
  readonly #fileAt: ParserInput['fileAt'];
  readonly #tries: Try[] = [];
  /** By the id of the result of its only test. */
  readonly #fixtures = new Map<string, Fixture>();
  readonly #sharedErrors: string[] = [];
  #framework = '';

  constructor(input: ParserInput, folder: string) {
    this.#report = new ToolReport(input);
    this.#input = input;
    this.#folder = folder;
    this.#fileAt = this.#report.collector.findFiles(NAMED_ONLY);
  }

  hasRoom(): boolean {
    return this.#report.hasRoom(this.#tries.length, 2 * REPORT_LIMITS.testsPerFile);
  }

  warn(message: string): void {
    this.#report.collector.warnings.add(message);
  }

  addContainer(value: unknown): boolean {
    const container = Container.safeParse(value).data;
    if (!container) return false;
    const { collector } = this.#report;
    for (const fixture of [container.befores, container.afters].flatMap((all) => collector.readAll(Step, all))) {
      if (!hasFailed(fixture)) continue;
      const error = toError(fixture);
      const message = error.message || error.stack || `The fixture ${fixture.name} failed`;
      const [child, ...others] = container.children;
      if (child === undefined || others.length > 0) this.#addSharedError(message);
      else this.#fixtures.set(child, { error: { ...error, message }, isShown: false });
    }
    return true;
  }

  addGlobals(value: unknown): boolean {
    const globals = Globals.safeParse(value).data;
    for (const { message, trace } of this.#report.collector.readAll(GlobalError, globals?.errors))
      this.#addSharedError(message || trace);
    return globals !== undefined;
  }

  /** Some frameworks repeat the error in each test that it stopped. */
  #addSharedError(message: string): void {
    if (this.#sharedErrors.length < REPORT_LIMITS.testsPerSpec) this.#sharedErrors.push(message);
  }

  addResult(value: unknown): boolean {
    const result = Result.safeParse(value).data;
    if (!result || result.uuid === '') return false;
    const framework = getLabel(result, 'framework');
    this.#framework ||= framework;
    const ending = this.#deriveEnding(result, framework);
    const place = placeResult(result, framework, this.#input.root);
    const fixture = this.#fixtures.get(result.uuid);
    if (fixture) fixture.isShown = true;
    const isOwn = result.statusDetails.message !== '' || result.statusDetails.trace !== '';
    const steps = result.steps.flatMap((step) => Step.safeParse(step).data ?? []);
    const ownErrors = isOwn ? [toError(result)] : steps.filter(hasFailed).map(toError);
    const errors = fixture && !(isOwn && result.status !== 'skipped') ? [fixture.error] : ownErrors;
    const budget = { left: REPORT_LIMITS.stepsPerTest };
    const test = buildTest({
      ...place,
      ending,
      ...(!PLAIN.has(result.status) && { raw: result.status || result.stage || 'unknown' }),
      startedAt: toEpoch(result.start, this.#input.now),
      duration: roundDuration((result.stop ?? 0) - (result.start ?? 0)),
      errors: errors.length > 0 ? errors : [{ message: describeStep(steps) }],
      steps: buildSteps(steps, budget, 0),
      files: this.#listFiles(result, { left: REPORT_LIMITS.stepsPerTest }, 0),
      tags: result.labels.filter(({ name }) => name === 'tag').map(({ value: tag }) => tag),
      annotations: listAnnotations(result, ending),
    });
    const parameters = formatParameters(result);
    // Some writers give no id, and all tests of a class the same full name, or none.
    const key = result.historyId || JSON.stringify([result.fullName, parameters, keyOf(test)]);
    const { start, stop } = result;
    this.#tries.push({
      key,
      start: start ?? 0,
      stop: stop ?? start ?? 0,
      parameters,
      test: this.#report.collector.trim(test),
    });
    return true;
  }

  #listFiles(step: Step, budget: { left: number }, depth: number): FoundFile[] {
    if (depth === REPORT_LIMITS.stepDepth) return [];
    const ownFiles = step.attachments.flatMap(({ name, source, type }) => {
      const file = this.#fileAt({ name: name || source, contentType: type, path: this.#folder + source });
      return file ?? [];
    });
    const inner = step.steps.flatMap((one) => {
      budget.left -= 1;
      const child = budget.left < 0 ? undefined : Step.safeParse(one).data;
      return child ? this.#listFiles(child, budget, depth + 1) : [];
    });
    return [...ownFiles, ...inner];
  }

  #deriveEnding(result: Result, framework: string): Ending {
    const { status, stage, statusDetails } = result;
    const ending = getStatusEnding(status, stage);
    if (ending === FAILED) return FAILED;
    if (this.#fixtures.has(result.uuid)) return FAILED;
    if (ending === PENDING && /^XFAIL\b/.test(statusDetails.message)) return EXPECTED_FAILURE;
    // The reporter for Cucumber writes scenarios with undefined, ambiguous and pending steps as passed.
    if (ending !== PASSED || !/^cucumber/.test(framework)) return ending;
    const words = result.steps.map((step) => Step.safeParse(step).data?.status ?? '');
    if (words.some((word) => word === '' || getStatusEnding(word, '') === FAILED)) return FAILED;
    return words.includes('skipped') ? PENDING : PASSED;
  }

  finish(isTruncated: boolean): ParsedFile {
    const tests = Map.groupBy(this.#tries.toSorted(compareTimes), ({ key }) => key);
    const rows = [...tests.values()].map(putFailuresLast).map((tries) => ({
      parameters: tries.at(-1)?.parameters ?? '',
      test: joinRows(tries.map(({ test }) => test)),
    }));
    const names = Map.groupBy(rows, ({ test }) => keyOf(test));
    for (const { test, parameters } of rows) {
      const isShared = (names.get(keyOf(test))?.length ?? 0) > 1 && parameters !== '';
      const last = isShared ? `${test.title.at(-1)} (${parameters})` : (test.title.at(-1) ?? '');
      this.#report.addKept({ ...test, title: [...test.title.slice(0, -1), last] });
    }
    for (const { error, isShown } of this.#fixtures.values()) if (!isShown) this.#addSharedError(error.message);
    for (const message of this.#sharedErrors) {
      const isShown = this.#report.hasFailure(message) || this.#report.hasFailure(message.replace(INTRODUCTION, ''));
      if (!isShown) this.#report.runError(message);
    }
    this.#warnOfPile();
    return this.#report.finish({
      format: 'allure',
      dialect: this.#framework || null,
      framework: { type: this.#framework || 'allure', version: null },
      truncated: isTruncated,
    });
  }

  /** The folder is often not emptied before the next run. */
  #warnOfPile(): void {
    const starts = this.#tries.map(({ start }) => start).filter((start) => start > 0);
    const first = starts.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    const last = starts.reduce((one, other) => Math.max(one, other), 0);
    if (last - first > SIX_HOURS)
      this.warn(
        'The results began more than six hours apart. Empty the folder before each run, or its results pile up',
      );
  }
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';
/** `beforeAll hook failed: Error: no database` */
const INTRODUCTION = /^[A-Za-z ]{1,40}: /;
const SIX_HOURS = 6 * 3_600_000;
const PLAIN: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped']);

/** Within one moment, a try that passed was the last one. */
const compareTimes = (one: Try, other: Try): number =>
  one.start - other.start ||
  one.stop - other.stop ||
  Number(one.test.outcome === 'passed') - Number(other.test.outcome === 'passed');

/**
 * A try that began before another one had ended is no repetition of it: two jobs with the same tests wrote to one folder.
 * Then none of them may fail.
 */
function putFailuresLast(tries: readonly Try[]): Try[] {
  const together: Try[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const one of tries) {
    const last = one.start < end ? together.at(-1) : undefined;
    if (last) last.push(one);
    else together.push([one]);
    end = Math.max(end, one.stop);
  }
  return together.flatMap((all) =>
    all.toSorted((one, other) => Number(one.test.outcome === 'failed') - Number(other.test.outcome === 'failed')),
  );
}

const keyOf = ({ group, spec, title }: FoundTest): string => JSON.stringify([group, spec, title]);

function getStatusEnding(status: string, stage: string): Ending {
  if (status === 'passed') return PASSED;
  if (status === 'skipped') return PENDING;
  if (status === '' || status === 'unknown') return stage === 'pending' ? PENDING : SKIPPED;
  return FAILED;
}

const getLabel = ({ labels }: Result, name: string): string => labels.find((label) => label.name === name)?.value ?? '';

const hasFailed = ({ status }: Step): boolean => getStatusEnding(status, '') === FAILED;

function toError({ statusDetails: { message, trace, expected, actual } }: Step): ErrorTexts {
  const values = expected !== '' && actual !== '' && !message.includes(actual);
  return { message: values ? `${message}\nexpected: ${expected}\nactual: ${actual}` : message, stack: trace };
}

function describeStep(steps: readonly Step[]): string {
  const step = steps.find(({ status }) => status === '');
  return step ? `The step "${step.name}" is undefined or ambiguous` : '';
}

function buildSteps(steps: readonly Step[], budget: { left: number }, depth: number): EvidenceStep[] {
  if (depth === REPORT_LIMITS.stepDepth) return [];
  return steps.flatMap((step) => {
    if (budget.left === 0) return [];
    budget.left -= 1;
    const inner = step.steps.flatMap((one) => Step.safeParse(one).data ?? []);
    return {
      title: cutText(step.name, REPORT_LIMITS.stepTitleCharacters),
      category: 'test.step',
      duration: roundDuration((step.stop ?? 0) - (step.start ?? 0)),
      error: hasFailed(step) ? buildError(toError(step), '') : null,
      steps: buildSteps(inner, budget, depth + 1),
    };
  });
}

/** Labels that say where a test is, or on which machine and thread it ran. */
const PLACES: ReadonlySet<string> = new Set([
  'tag',
  'host',
  'thread',
  'framework',
  'language',
  'package',
  'testClass',
  'testMethod',
  'parentSuite',
  'suite',
  'subSuite',
  'titlePath',
]);

function listAnnotations({ labels, links, statusDetails }: Result, ending: Ending): Annotation[] {
  const marks = (['flaky', 'muted', 'known'] as const).filter((mark) => statusDetails[mark]);
  const isExpected = ending === EXPECTED_FAILURE;
  const message = ending === PENDING || isExpected ? statusDetails.message : '';
  const reason = isExpected ? message.replace(/^XFAIL\s{0,20}/, '').split('\n', 1)[0] : message;
  return [
    ...labels
      .filter(({ name }) => !PLACES.has(name) && !/^_|\./.test(name))
      .map(({ name, value }) => ({ type: name, description: value })),
    ...links.map(({ type, name, url }) => ({ type: type || 'link', description: url || name })),
    ...marks.map((mark) => ({ type: mark, description: null })),
    ...(message === '' ? [] : [{ type: isExpected ? 'fail' : 'skip', description: reason || null }]),
  ];
}

const formatParameters = ({ parameters }: Result): string =>
  parameters
    .filter(({ excluded, mode }) => !excluded && mode !== 'hidden' && mode !== 'masked')
    .map(({ name, value }) => `${name}: ${value}`)
    .join(', ');

interface ResultPlace {
  readonly group?: string;
  readonly spec: string;
  readonly title: readonly string[];
}

function placeResult(result: Result, framework: string, root: string | undefined): ResultPlace {
  const { spec, title, ...group } = findPlace(result, framework);
  return { ...group, spec: toSpecPath(spec, root), title: title.map(replaceUnstableParts) };
}

function findPlace(result: Result, framework: string): ResultPlace {
  const { name, fullName, titlePath } = result;
  if (framework === 'playwright') return placePlaywrightResult(result);
  const script = titlePath.findIndex((part) => part.endsWith('.py'));
  if (framework === 'pytest' && script >= 0)
    return { spec: titlePath.slice(0, script + 1).join('/'), title: [...titlePath.slice(script + 1), name] };
  if (framework === 'robotframework' && titlePath.length > 0) return { spec: titlePath.join('.'), title: [name] };
  if (framework === 'behave' && titlePath.length > 0)
    return { spec: titlePath.join('/'), title: [titlePath.at(-1) ?? '', name] };
  const [, path = ''] = JAVASCRIPT.exec(fullName) ?? [];
  if (getLabel(result, 'language') === 'javascript' && path !== '') return placeScriptResult(result, path);
  const testClass = getLabel(result, 'testClass');
  if (testClass !== '') {
    const [spec = '', ...nestedClasses] = testClass.split('$');
    return { spec, title: [...nestedClasses, name] };
  }
  const [, file = ''] = FEATURE.exec(fullName) ?? [];
  if (file !== '') return { spec: file.replace(/^classpath:/, ''), title: [name] };
  const suites = ['parentSuite', 'suite', 'subSuite'].map((label) => getLabel(result, label)).filter(Boolean);
  return { spec: suites.join('.') || fullName, title: [name] };
}

/** `shop:features/cart.feature#passes` and `shop:test/cart.test.mjs: cart adds`. */
const JAVASCRIPT = /^[^:#]{0,500}:([^:#]{1,2000})(?:#|: )/;
const FEATURE = /^(.{1,2000}\.feature):\d{1,9}$/;

/** What follows the file in the path of titles. The reporter for Cucumber has the feature in place of the file. */
function placeScriptResult({ name, titlePath }: Result, path: string): ResultPlace {
  const file = titlePath.lastIndexOf(path.split('/').at(-1) ?? path);
  const titles = file >= 0 ? titlePath.slice(file + 1) : titlePath.slice(-1);
  return { spec: path, title: [...titles, name] };
}

/** ` > chromium > cart.spec.ts > cart`: the project, the file below its test directory, and the describes. */
function placePlaywrightResult(result: Result): ResultPlace {
  const parts = getLabel(result, 'titlePath').split(' > ').slice(1);
  const [project = '', spec = '', ...titles] = parts.length > 1 ? parts : result.titlePath;
  return { group: project || UNNAMED_PROJECT, spec, title: [...titles, result.name] };
}
