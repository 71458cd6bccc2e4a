/** Builds a test from what an output file of Robot Framework says about it, as XML or as JSON. */

import { cutText } from '#shared/engine/cut-text.ts';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { guessMediaType } from '#shared/reports/attached-file.ts';
import type { Ending, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { buildAttempt, buildError, buildTest, FAILED, PASSED, PENDING, SKIPPED } from '#shared/reports/found-tests.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';

const ENDINGS = new Map<string, Ending>([
  ['PASS', PASSED],
  ['SKIP', PENDING],
  ['NOT RUN', SKIPPED],
]);
const PLAIN: ReadonlySet<string> = new Set(['PASS', 'FAIL', 'SKIP']);

export interface Status {
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
export interface Keyword {
  readonly name: string;
  readonly type: string;
  readonly status: Status;
  readonly messages: readonly Message[];
  readonly body: readonly Keyword[];
}

export interface RobotTest {
  readonly name: string;
  readonly tags: readonly string[];
  readonly status: Status;
  readonly body: readonly Keyword[];
}

export function buildRobotTest({ name, tags, status, body }: RobotTest, fileAt: ParserInput['fileAt']): FoundTest {
  const ending = ENDINGS.get(status.word) ?? FAILED;
  const mergedTries = readMergedTries(status.message);
  const message = mergedTries?.message ?? removeHtml(status.message);
  const isShown = ending !== PASSED || mergedTries !== undefined;
  const messages = isShown ? listMessages(body) : [];
  const listLines = (...levels: readonly string[]) =>
    messages.filter(({ level }) => levels.includes(level)).map(({ text }) => `${removeHtml(text)}\n`);
  return buildTest({
    spec: '',
    title: [name],
    ending,
    ...(!PLAIN.has(status.word) && { raw: status.word }),
    startedAt: status.startedAt,
    duration: status.duration,
    errors: [{ message }],
    earlier: (mergedTries?.earlier ?? []).map((earlierTry) => buildAttempt(earlierTry, '')),
    steps: isShown ? buildSteps(body, { left: REPORT_LIMITS.stepsPerTest }, 0) : [],
    stdout: listLines('INFO'),
    stderr: listLines('WARN', 'ERROR'),
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
  const beginnings = [...html.matchAll(TRY)];
  const tries = beginnings.map((beginning, index) => {
    const text = html.slice(beginning.index + beginning[0].length, beginnings[index + 1]?.index);
    const label = MESSAGE.exec(text);
    const [message = ''] = label ? text.slice(label.index + label[0].length).split('<hr>', 1) : [];
    const ending = ENDINGS.get((beginning[1] ?? '').toUpperCase()) ?? FAILED;
    return { ending, errors: [{ message: removeTags(message) }] };
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

const IMAGE = /<img [^<>]{0,500}?src="([^"<>]{1,1000})"/g;

/** Libraries for browsers log their screenshots as images. */
const findImages = (html: string, fileAt: ParserInput['fileAt']): FoundFile[] =>
  [...html.matchAll(IMAGE)].flatMap(([, path = '']) => {
    const name = path.split('/').at(-1) ?? path;
    return path.startsWith('data:') ? [] : (fileAt({ name, contentType: guessMediaType(name), path }) ?? []);
  });
