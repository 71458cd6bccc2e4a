/** The output files of Robot Framework, as XML since version 4 and as JSON since version 7.2. */
import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { guessMediaType } from '#shared/reports/attached-file.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { buildAttempt, buildError, buildTest, FAILED, PASSED, PENDING, SKIPPED } from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { listField, numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseTime, roundDuration } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { takeRows } from '#shared/reports/waiting-rows.ts';
import {
  ElementReader,
  findChild,
  getAttribute,
  getText,
  listChildren,
  type OuterElement,
  type XmlElement,
} from '#shared/reports/xml/element-reader.ts';

export const ROBOT_XML: Format = {
  format: 'robot-xml',
  recognizes: ({ root }) => root === 'robot',
  parse: parseRobotXml,
};

export const ROBOT_JSON: Format = {
  format: 'robot-json',
  recognizes: ({ members }) => members.has('generator') && members.has('suite') && members.has('rpa'),
  parse: parseRobotJson,
};

const ENDINGS = new Map<string, Ending>([
  ['PASS', PASSED],
  ['SKIP', PENDING],
  ['NOT RUN', SKIPPED],
]);
const PLAIN: ReadonlySet<string> = new Set(['PASS', 'FAIL', 'SKIP']);

/** A suite, whose teardown is written after its tests, and in JSON also its name. */
interface Suite {
  name: string;
  readonly parent: Suite | undefined;
  failedTeardown: string | undefined;
  isEnded: boolean;
}

interface Status {
  readonly word: string;
  readonly startedAt: number | null;
  readonly duration: number;
  readonly message: string;
}

interface Message {
  readonly level: string;
  readonly text: string;
}

/** A keyword, loop, branch or group. */
interface Keyword {
  readonly name: string;
  readonly type: string;
  readonly status: Status;
  readonly messages: readonly Message[];
  readonly body: readonly Keyword[];
}

interface RobotTest {
  readonly name: string;
  readonly tags: readonly string[];
  readonly status: Status;
  readonly body: readonly Keyword[];
}

/** Tests wait for the end of the file, because a failed teardown of a suite around them makes them fail. */
class RobotReport {
  readonly report: ToolReport;
  readonly #fileAt: ParserInput['fileAt'];
  readonly #waiting: { readonly suite: Suite | undefined; readonly test: FoundTest }[] = [];
  readonly #warnings: string[] = [];
  startedAt: number | null = null;

  constructor(input: ParserInput) {
    this.report = new ToolReport(input);
    this.#fileAt = this.report.collector.findFiles(NAMED_ONLY);
  }

  add(robotTest: RobotTest, suite: Suite | undefined): void {
    if (this.report.hasRoom(this.#waiting.length))
      this.#waiting.push({ suite, test: this.report.collector.trim(buildRobotTest(robotTest, this.#fileAt)) });
  }

  /** Errors outside tests, such as a library that cannot be imported, fail no test of Robot Framework. */
  warn(level: string, message: string): void {
    if (level !== 'ERROR' || this.#warnings.length === REPORT_LIMITS.runErrors) return;
    const warning = makeVisibleLine(message).slice(0, REPORT_LIMITS.warningCharacters).toWellFormed();
    this.#warnings.push(warning);
    this.report.collector.warnings.add(warning);
  }

  finish(format: 'robot-xml' | 'robot-json', isTruncated: boolean): ParsedFile {
    for (const { suite, test } of takeRows(this.#waiting)) {
      const names = listSuites(suite).map(({ name }) => name);
      // In a JSON file that was cut, the names of the open suites are missing.
      const spec = names.includes('') ? '' : names.join('.');
      this.report.addKept(applySuites({ ...test, spec }, suite));
    }
    const runWarnings = this.#warnings;
    const file = this.report.finish({
      format,
      framework: { type: 'robot', version: null },
      truncated: isTruncated,
      runWarnings,
    });
    return { ...file, startedAt: this.startedAt ?? file.startedAt };
  }
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';

function listSuites(suite: Suite | undefined): Suite[] {
  const suites: Suite[] = [];
  for (let one = suite; one; one = one.parent) suites.unshift(one);
  return suites;
}

function applySuites(test: FoundTest, suite: Suite | undefined): FoundTest {
  if (test.outcome !== 'passed') return test;
  const suites = listSuites(suite);
  const teardown = suites.find(({ failedTeardown }) => failedTeardown !== undefined)?.failedTeardown;
  if (teardown !== undefined) {
    const error = buildError({ message: `Parent suite teardown failed:\n${teardown}` }, test.spec);
    return changeEnding(test, FAILED, [error]);
  }
  // Nobody knows whether the teardown of a suite failed, if the file ends before it.
  return suites.every(({ isEnded }) => isEnded) ? test : changeEnding(test, SKIPPED, []);
}

const changeEnding = (
  test: FoundTest,
  { outcome, expectedStatus, state, raw }: Ending,
  errors: FoundTest['attempts'][number]['errors'],
): FoundTest => ({
  ...test,
  outcome,
  expectedStatus,
  attempts: test.attempts.map((attempt, index) =>
    index === test.attempts.length - 1 ? { ...attempt, state, rawStatus: raw, errors } : attempt,
  ),
});

function buildRobotTest({ name, tags, status, body }: RobotTest, fileAt: ParserInput['fileAt']): FoundTest {
  const ending = ENDINGS.get(status.word) ?? FAILED;
  const mergedTries = readMergedTries(status.message);
  const message = mergedTries?.message ?? removeHtml(status.message);
  const isShown = ending !== PASSED || mergedTries !== undefined;
  const messages = isShown ? listMessages(body) : [];
  const list = (...levels: readonly string[]) =>
    messages.filter(({ level }) => levels.includes(level)).map(({ text }) => `${removeHtml(text)}\n`);
  return buildTest({
    spec: '',
    title: [name],
    ending,
    ...(!PLAIN.has(status.word) && { raw: status.word }),
    startedAt: status.startedAt,
    duration: status.duration,
    errors: [{ message }],
    earlier: (mergedTries?.earlier ?? []).map((one) => buildAttempt(one, '')),
    steps: isShown ? buildSteps(body, { left: REPORT_LIMITS.stepsPerTest }, 0) : [],
    stdout: list('INFO'),
    stderr: list('WARN', 'ERROR'),
    files: messages.flatMap(({ text }) => findImages(text, fileAt)),
    tags,
    annotations: ending === PENDING && message !== '' ? [{ type: 'skip', description: message }] : [],
  });
}

const TRY = /(?:New|Old) status:<\/span> <span class="(\w{1,20})">/g;
const MESSAGE = /(?:New|Old) message:<\/span> ?/;

/** `rebot --merge` writes all tries of a test into its message, as HTML with the newest try first. */
function readMergedTries(html: string) {
  if (!html.startsWith('*HTML*') || !html.includes('class="merge"')) return undefined;
  const parts = [...html.matchAll(TRY)];
  const tries = parts.map((part, index) => {
    const text = html.slice(part.index + part[0].length, parts[index + 1]?.index);
    const at = MESSAGE.exec(text);
    const message = at ? removeTags(text.slice(at.index + at[0].length).split('<hr>', 1)[0] ?? '') : '';
    return { ending: ENDINGS.get((part[1] ?? '').toUpperCase()) ?? FAILED, errors: [{ message }] };
  });
  const [newestTry, ...olderTries] = tries.slice(0, REPORT_LIMITS.attemptsPerTest);
  return newestTry && { message: newestTry.errors[0]?.message ?? '', earlier: olderTries.reverse() };
}

const TAG = /<[^<>]{0,1000}>/g;
const removeTags = (html: string): string =>
  html
    .replaceAll('<br>', '\n')
    .replaceAll(TAG, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();

const removeHtml = (text: string): string =>
  text.startsWith('*HTML*') ? removeTags(text.slice('*HTML*'.length)) : text;

function* walkMessages(body: readonly Keyword[]): Generator<Message, void> {
  for (const keyword of body) {
    yield* keyword.messages;
    yield* walkMessages(keyword.body);
  }
}

const listMessages = (body: readonly Keyword[]): Message[] => [...walkMessages(body)];

interface StepBudget {
  left: number;
}

/** `isHandled`: whether a keyword around these passed, such as `TRY` or `Run Keyword And Expect Error`. */
function buildSteps(body: readonly Keyword[], budget: StepBudget, depth: number, isHandled = false): EvidenceStep[] {
  const steps: EvidenceStep[] = [];
  if (depth === REPORT_LIMITS.stepDepth) return steps;
  for (const { name, type, status, messages, body: inner } of body) {
    if (budget.left === 0) break;
    budget.left -= 1;
    const hasFailed = !isHandled && !ENDINGS.has(status.word) && status.word !== '';
    const failure = messages.find(({ level }) => level === 'FAIL')?.text ?? status.message;
    steps.push({
      title: cutText(name, REPORT_LIMITS.stepTitleCharacters),
      category: type,
      duration: status.duration,
      error: hasFailed ? buildError({ message: removeHtml(failure) }, '') : null,
      steps: buildSteps(inner, budget, depth + 1, isHandled || status.word === 'PASS'),
    });
  }
  return steps;
}

interface Header {
  readonly type: string;
  readonly name: string;
  /** The condition of a branch or loop, or how a loop takes its values: `IN RANGE`. */
  readonly condition: string;
  /** The names of variables, with their values in an iteration. */
  readonly variables: readonly string[];
  readonly values: readonly string[];
}

/** Types of Robot Framework whose keyword starts the line, as in its log. */
const STATEMENTS: ReadonlySet<string> = new Set(['for', 'while', 'if', 'else if', 'except', 'var', 'return', 'error']);

/** `${sum} = Add: 1, 2`, `FOR ${i} IN RANGE 3`, `${i} = 0`, `IF ${i} == 1` */
function nameKeyword({ type, name, condition, variables, values }: Header): string {
  const shownVariables = variables.join(', ');
  const shownValues = values.join(', ');
  const word = type.replace(/ root$/, '').toUpperCase();
  if (STATEMENTS.has(type)) {
    const equals = name === '' || shownValues === '' ? '' : '=';
    return [word, shownVariables, condition, name, equals, shownValues].filter(Boolean).join(' ');
  }
  const call = [name, shownValues].filter(Boolean).join(': ');
  return [shownVariables, call].filter(Boolean).join(' = ') || word;
}

const IMAGE = /<img [^<>]{0,500}?src="([^"<>]{1,1000})"/g;

/** Libraries for browsers log their screenshots as images. */
const findImages = (html: string, fileAt: ParserInput['fileAt']): FoundFile[] =>
  [...html.matchAll(IMAGE)].flatMap(([, path = '']) => {
    const name = path.split('/').at(-1) ?? path;
    return path.startsWith('data:') ? [] : (fileAt({ name, contentType: guessMediaType(name), path }) ?? []);
  });

const OLD_TIME = /^(\d{4})(\d{2})(\d{2}) (\d{2}:\d{2}:\d{2}\.\d{1,9})$/;
const normalizeTime = (text: string): string => text.replace(OLD_TIME, '$1-$2-$3T$4');

/** The types of JSON, by name of an element that is called otherwise. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['if', 'if/else root'],
  ['try', 'try/except root'],
  ['iter', 'iteration'],
  ['variable', 'var'],
]);

/** A variable with its value in an iteration, `${i} = 0`. */
function nameVariable(element: XmlElement): string {
  const name = getAttribute(element, 'name');
  return name === '' ? getText(element) : `${name} = ${getText(element)}`;
}

const BUILT: ReadonlySet<string> = new Set(['test', 'kw', 'msg', 'status']);

async function parseRobotXml(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const robot = new RobotReport(input);
  const zone = getZone(input.timezone);
  const suites = new Map<OuterElement, Suite>();
  const readTime = (value: string) => parseTime(normalizeTime(value), zone, input.now);
  const readStatus = (element: XmlElement): Status => {
    const status = findChild(element, 'status') ?? element;
    const startedAt = readTime(getAttribute(status, 'start') || getAttribute(status, 'starttime'));
    const end = readTime(getAttribute(status, 'endtime'));
    const seconds = Number(getAttribute(status, 'elapsed'));
    const duration = end !== null && startedAt !== null ? end - startedAt : seconds * 1000;
    return {
      word: getAttribute(status, 'status'),
      startedAt,
      duration: roundDuration(duration),
      message: getText(status),
    };
  };
  const readHeader = (element: XmlElement): Header => {
    const type = getAttribute(element, 'type').toLowerCase() || (TYPES.get(element.name) ?? element.name);
    const list = (...names: readonly string[]) => names.flatMap((name) => listChildren(element, name));
    // The statement VAR has its values in elements that have variables elsewhere.
    const isVariable = type === 'var';
    return {
      type,
      name: getAttribute(element, 'name'),
      condition: getAttribute(element, 'condition') || getAttribute(element, 'flavor'),
      variables: isVariable ? [] : list('var').map(nameVariable),
      values: [
        ...list('arg', 'value', 'pattern', ...(isVariable ? ['var'] : [])),
        ...listChildren(findChild(element, 'arguments'), 'arg'),
      ].map(getText),
    };
  };
  const readKeyword = (element: XmlElement): Keyword => {
    const header = readHeader(element);
    return {
      name: nameKeyword(header),
      type: header.type,
      status: readStatus(element),
      messages: listChildren(element, 'msg').map((one) => ({ level: getAttribute(one, 'level'), text: getText(one) })),
      body: element.children.filter(({ name }) => KEYWORDS.has(name)).map(readKeyword),
    };
  };
  const take = (element: XmlElement, outer: OuterElement) => {
    const suite = suites.get(outer);
    if (element.name === 'msg') robot.warn(getAttribute(element, 'level'), getText(element));
    else if (element.isCut) return;
    else if (element.name === 'status') {
      if (!outer.parent || outer.parent.name === 'robot') robot.startedAt ??= readStatus(element).startedAt;
    } else if (element.name === 'test') {
      const tags = [...listChildren(element, 'tag'), ...listChildren(findChild(element, 'tags'), 'tag')].map(getText);
      const { status, body } = readKeyword(element);
      robot.add({ name: getAttribute(element, 'name'), tags, status, body }, suite);
    } else if (suite && /^teardown$/i.test(getAttribute(element, 'type'))) {
      const { word, message } = readStatus(element);
      if (word === 'FAIL') suite.failedTeardown = message || getText(findChild(element, 'msg')) || 'without a message';
    }
  };
  const reader = new ElementReader(
    {
      full: false,
      isBuilt: (name) => BUILT.has(name),
      open: (outer) => {
        if (outer.name !== 'suite') return;
        const parent = outer.parent && suites.get(outer.parent);
        suites.set(outer, { name: getAttribute(outer, 'name'), parent, failedTeardown: undefined, isEnded: false });
      },
      take,
      close: (outer, isCut) => {
        const suite = suites.get(outer);
        if (suite) suite.isEnded = !isCut;
        suites.delete(outer);
      },
    },
    input,
  );
  await reader.read(text);
  return robot.finish('robot-xml', robot.report.isIncomplete(reader));
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'kw',
  'for',
  'while',
  'if',
  'try',
  'group',
  'iter',
  'branch',
  'return',
  'variable',
  'error',
  'continue',
  'break',
]);

/** Suites are nested in JSON up to this depth. Folders of tests are rarely deeper than five. */
const SUITE_DEPTH = 40;
const DEEP_SUITE = `suite${'.suites.*'.repeat(SUITE_DEPTH)}`;
const SUITE_PATHS = Array.from({ length: SUITE_DEPTH }, (_, depth) => `suite${'.suites.*'.repeat(depth)}`);

const JsonStatus = z.object({
  status: textField,
  start_time: textField,
  elapsed_time: numberField,
  message: textField,
});

/** Names of variables, with their values in an iteration. */
const Assigned = orNull(
  z.union([
    z.array(z.string()),
    z.record(z.string(), z.string()).transform((values) => Object.entries(values).map((pair) => pair.join(' = '))),
  ]),
).transform((variables) => variables ?? []);

const JsonKeyword = JsonStatus.extend({
  name: textField,
  type: textField,
  condition: textField,
  level: textField,
  flavor: textField,
  args: textsField,
  values: textsField,
  patterns: textsField,
  value: textsField,
  assign: Assigned,
  body: listField(z.unknown()),
  setup: z.unknown().optional(),
  teardown: z.unknown().optional(),
});

const JsonTest = JsonKeyword.extend({ tags: textsField });
const JsonMessage = z.object({ level: textField, message: textField });

async function parseRobotJson(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const robot = new RobotReport(input);
  const zone = getZone(input.timezone);
  const open: (Suite | undefined)[] = [];
  let hasDeepSuites = false;
  const readStatus = (value: z.output<typeof JsonStatus>): Status => ({
    word: value.status,
    startedAt: parseTime(value.start_time, zone, input.now),
    duration: roundDuration((value.elapsed_time ?? 0) * 1000),
    message: value.message,
  });
  const readBody = (values: readonly unknown[]): z.output<typeof JsonKeyword>[] =>
    values.flatMap((value) => JsonKeyword.safeParse(value).data ?? []);
  const readKeyword = (value: z.output<typeof JsonKeyword>, depth = 0): Keyword => {
    const inner = depth < REPORT_LIMITS.elementDepth ? readBody([value.setup, ...value.body, value.teardown]) : [];
    const type = (value.type || 'kw').toLowerCase();
    return {
      name: nameKeyword({
        type,
        name: value.name,
        condition: value.condition || value.flavor,
        variables: value.assign,
        values: [...value.args, ...value.values, ...value.patterns, ...value.value],
      }),
      type,
      status: readStatus(value),
      messages: inner.filter(({ type }) => type === 'MESSAGE').map(({ level, message }) => ({ level, text: message })),
      body: inner.filter(({ type }) => type !== 'MESSAGE').map((one) => readKeyword(one, depth + 1)),
    };
  };
  const openSuite = (depth: number): Suite => {
    const openSuiteAtDepth = open[depth];
    if (openSuiteAtDepth) return openSuiteAtDepth;
    const parent = depth > 0 ? openSuite(depth - 1) : undefined;
    const suite: Suite = { name: '', parent, failedTeardown: undefined, isEnded: false };
    open[depth] = suite;
    return suite;
  };
  const takeInSuite = (depth: number, member: string, value: unknown, cut: ReadonlySet<unknown>) => {
    const suite = openSuite(depth);
    if (member === 'name') suite.name = textField.parse(value);
    else if (member === 'start_time') {
      if (depth === 0) robot.startedAt = parseTime(textField.parse(value), zone, input.now);
    } else if (cut.has(value)) return;
    else if (member === 'teardown') {
      const { status, message } = JsonStatus.parse(value);
      if (status === 'FAIL') suite.failedTeardown = message || 'without a message';
    } else {
      const test = JsonTest.safeParse(value).data;
      if (!test) return;
      const { status, body } = readKeyword(test);
      robot.add({ name: test.name, tags: test.tags, status, body }, suite);
    }
  };
  const members = SUITE_PATHS.flatMap((path, depth) =>
    ['name', 'start_time', 'teardown', 'tests.*'].map((member) => [`${path}.${member}`, { depth, member }] as const),
  );
  const places = new Map<string, { readonly depth: number; readonly member: string }>(members);
  const reader = new PieceReader(
    [...places.keys(), 'errors.*'],
    {
      full: false,
      take: (path, value, cut) => {
        const place = places.get(path);
        if (place) takeInSuite(place.depth, place.member, value, cut);
        else {
          const { level, message } = JsonMessage.parse(value);
          robot.warn(level, message);
        }
      },
      close: (path) => {
        hasDeepSuites ||= path === DEEP_SUITE;
        const depth = SUITE_PATHS.indexOf(path);
        const suite = depth < 0 ? undefined : open[depth];
        if (suite) suite.isEnded = true;
        if (depth >= 0) open.length = Math.min(open.length, depth);
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && open.length === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  const { whole, tooLarge } = reader;
  const isIncomplete = robot.report.isIncomplete({ whole, tooLarge, tooDeep: reader.tooDeep || hasDeepSuites });
  return robot.finish('robot-json', isIncomplete);
}
