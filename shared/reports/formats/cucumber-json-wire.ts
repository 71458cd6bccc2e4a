/** The JSON formatter of Cucumber in its languages, of behave, Karate and others. It has only the last try of a scenario. */
import * as z from 'zod';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { findAttachedFile } from '#shared/reports/attached-file.ts';
import type { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundFile } from '#shared/reports/found.ts';
import {
  buildError,
  buildTest,
  type ErrorTexts,
  FAILED,
  PASSED,
  PENDING,
  SKIPPED,
  splitStack,
} from '#shared/reports/found-tests.ts';
import { nameGherkinStep, type StepArguments } from '#shared/reports/gherkin-steps.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { listField, numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseTime, roundDuration, UTC } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const CUCUMBER_JSON: Format = {
  format: 'cucumber-json',
  recognizes: ({ members, text }) =>
    members.has('*.elements.*.steps') ||
    (members.has('*.elements') && (members.has('*.keyword') || members.has('*.uri'))) ||
    // A run without scenarios.
    /^\[\s*\]\s*$/.test(text.slice(0, 100)),
  parse: parseCucumber,
};

/** behave writes the lines of an error as a list. */
const textOrLines = orNull(z.union([z.string(), z.array(z.string()).transform((lines) => lines.join('\n'))])).transform(
  (text) => text ?? '',
);

/**
 * On the JVM, in Ruby and in Go a step has `rows` and `doc_string`, in JavaScript `arguments`, in behave `table` and `text`.
 * They are read only where steps are shown.
 */
const UNREAD_ARGUMENTS = {
  rows: z.unknown().optional(),
  doc_string: z.unknown().optional(),
  arguments: z.unknown().optional(),
  table: z.unknown().optional(),
  text: z.unknown().optional(),
};

const Rows = listField(z.object({ cells: textsField }).transform(({ cells }) => cells));
const Arguments = z.object({
  rows: Rows,
  doc_string: orNull(z.object({ value: textField, content: textField })),
  arguments: listField(z.object({ rows: Rows, content: textField })),
  table: orNull(z.object({ headings: textsField, rows: listField(textsField) })),
  text: textOrLines,
});

const Embedding = z.object({ data: textField, mime_type: textField, name: textField });

const Hook = z.object({
  ...UNREAD_ARGUMENTS,
  keyword: textField,
  name: textField,
  result: orNull(z.object({ status: textField, duration: numberField, error_message: textOrLines })),
  embeddings: listField(Embedding),
  match: orNull(z.object({ location: textField })),
});
type Hook = z.output<typeof Hook>;

const STEPS = { before: z.unknown().optional(), after: z.unknown().optional() };
const Step = Hook.extend(STEPS);

const Element = z.object({
  type: textField,
  keyword: textField,
  name: textField,
  status: textField,
  start_timestamp: textField,
  tags: listField(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])),
  ...STEPS,
  steps: z.unknown().optional(),
});
type Element = z.output<typeof Element>;

const Feature = z.object({
  name: textField,
  uri: textField,
  location: textField,
  status: textField,
  elements: z.unknown().optional(),
});

/** From best to worst. */
const RANKS: readonly string[] = ['passed', 'skipped', 'pending', 'undefined', 'ambiguous', 'failed'];
const ENDINGS = new Map<string, Ending>([
  ['passed', PASSED],
  ['skipped', PENDING],
  ['pending', PENDING],
  ['untested', SKIPPED],
  ['unknown', SKIPPED],
]);
const PLAIN: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped']);

async function parseCucumber(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  let features = 0;
  let hasFailure = false;
  let isPending = false;
  const addFeature = (value: unknown, cut: ReadonlySet<unknown>) => {
    const feature = report.collector.read(Feature, value);
    if (!feature) return;
    features += 1;
    const spec = toSpecPath((feature.uri || feature.location.replace(/:\d+$/, '')).replace(PREFIX, ''), input.root);
    const isBehave = feature.uri === '' && feature.location !== '';
    const place = { spec, feature: feature.name, input };
    let background: Hook[] = [];
    let hasFailed = false;
    for (const one of report.collector.listParts(feature.elements)) {
      const element = cut.has(one) ? undefined : report.collector.read(Element, one);
      if (!element) continue;
      const steps = listSteps(element, report.collector);
      if (element.type === 'background') {
        // behave repeats the steps of the background in each scenario, and gives those here no result.
        if (steps.some(({ result }) => result !== null && result !== undefined)) background.push(...steps);
        continue;
      }
      const test = buildScenario({ element, steps: [...background, ...steps], isBehave }, place);
      hasFailed ||= test.outcome === 'failed';
      isPending ||= isStrict(steps);
      report.add(test);
      background = [];
    }
    hasFailure ||= hasFailed;
    if (cut.has(value)) return;
    // A rule may have a background, too, and a process may end after one.
    if (background.some(isFailedStep)) {
      const element = Element.parse({ name: '(background)' });
      report.add(buildScenario({ element, steps: background, isBehave }, place));
    } else if (isBehave && BAD_FEATURES.has(feature.status) && !hasFailed)
      report.runError(`${feature.name}: A hook of the feature failed`);
  };
  const reader = new PieceReader(
    ['*'],
    {
      get full() {
        return report.full;
      },
      take: (_, value, cut) => addFeature(value, cut),
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && features === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  if (isPending && !hasFailure && reader.whole) report.runError('A step is pending, which fails the run');
  return report.finish({
    format: 'cucumber-json',
    framework: { type: 'cucumber', version: null },
    truncated: report.isIncomplete(reader),
  });
}

/** behave gives the errors of hooks of a feature no other place. */
const BAD_FEATURES: ReadonlySet<string> = new Set(['failed', 'error', 'hook_error', 'cleanup_error']);

const PREFIX = /^(?:classpath|file):(?:\/\/(?=\/))?/;

const listSteps = ({ before, steps, after }: Element, collector: Collector): Hook[] => [
  ...collector.readAll(Hook, before),
  ...collector
    .readAll(Step, steps)
    .flatMap((step) => [...collector.readAll(Hook, step.before), step, ...collector.readAll(Hook, step.after)]),
  ...collector.readAll(Hook, after),
];

interface Scenario {
  readonly element: Element;
  readonly steps: readonly Hook[];
  readonly isBehave: boolean;
}

interface Place {
  readonly spec: string;
  readonly feature: string;
  readonly input: ParserInput;
}

const NANOSECONDS = 1_000_000;

function buildScenario({ element, steps, isBehave }: Scenario, { spec, feature, input }: Place) {
  const word = element.status || findWorst(steps);
  // behave counts a pending step as an error. The last scenario may lack its own status.
  const ending = isBehave && word === 'pending' ? FAILED : (ENDINGS.get(word) ?? FAILED);
  // behave writes seconds, all others nanoseconds.
  const toMilliseconds = (duration: number | null | undefined) => (duration ?? 0) * (isBehave ? 1000 : 1 / NANOSECONDS);
  const embeddings = steps.flatMap((step) => step.embeddings);
  const logs = embeddings.filter(isLog);
  return buildTest({
    spec,
    title: [feature, element.name].map(replaceUnstableParts),
    ending,
    ...(!PLAIN.has(word) && { raw: word }),
    startedAt: parseTime(element.start_timestamp, UTC, input.now),
    duration: roundDuration(steps.reduce((sum, { result }) => sum + toMilliseconds(result?.duration), 0)),
    errors: listErrors(steps),
    steps: ending === PASSED ? [] : buildSteps(steps, toMilliseconds),
    stdout: logs.map(({ data }) => `${decode(data)}\n`),
    files: embeddings.flatMap((one) => findEmbedding(one) ?? []),
    tags: element.tags,
  });
}

const findWorst = (steps: readonly Hook[]): string => {
  const words = steps.flatMap(({ result }) => result?.status || []);
  const unknown = words.find((word) => !RANKS.includes(word) && word !== 'untested' && word !== 'unknown');
  if (unknown !== undefined) return unknown;
  const worstWord = RANKS.findLast((rank) => words.includes(rank));
  // A scenario without steps has passed. One whose steps did not run has not.
  return worstWord ?? (steps.length === 0 ? 'passed' : 'untested');
};

const isPendingStep = ({ result }: Hook): boolean => result?.status === 'pending';

/** Whether a step is pending, and that fails the run: by default it does everywhere but in Ruby. */
const isStrict = (steps: readonly Hook[]): boolean =>
  steps.some(isPendingStep) && !steps.some(({ match }) => match?.location.includes('.rb:') === true);

const isFailedStep = ({ result }: Hook): boolean =>
  result !== null && result !== undefined && result.status !== '' && !ENDINGS.has(result.status);

const getTitle = ({ keyword, name }: Hook): string => [keyword.trim(), name].filter(Boolean).join(' ') || 'Hook';

function readError(step: Hook): ErrorTexts {
  const stack = step.result?.error_message ?? '';
  if (stack === '') return { message: `${getTitle(step)}: ${step.result?.status ?? 'failed'}` };
  return splitStack(stack);
}

/** behave marks a scenario whose hook failed, without any text. */
function listErrors(steps: readonly Hook[]): ErrorTexts[] {
  const failedSteps = steps.filter(isFailedStep);
  const failures = (failedSteps.length > 0 ? failedSteps : steps.filter(isPendingStep)).slice(
    0,
    REPORT_LIMITS.errorsPerAttempt,
  );
  return failures.length > 0 ? failures.map(readError) : [{ message: 'A hook failed' }];
}

const buildSteps = (
  steps: readonly Hook[],
  toMilliseconds: (duration: number | null | undefined) => number,
): EvidenceStep[] =>
  steps.slice(0, REPORT_LIMITS.stepsPerTest).map((step) => ({
    title: nameGherkinStep(getTitle(step), readArguments(step)),
    category: step.name === '' ? 'hook' : 'test.step',
    duration: roundDuration(toMilliseconds(step.result?.duration)),
    error: isFailedStep(step) ? buildError(readError(step), '') : null,
    steps: [],
  }));

function readArguments(step: Hook): StepArguments {
  const { rows, doc_string: docString, arguments: values, table, text } = Arguments.parse(step);
  return {
    table: [...rows, ...values.flatMap((value) => value.rows), ...(table ? [table.headings, ...table.rows] : [])],
    docString: [docString?.value || docString?.content, ...values.map(({ content }) => content), text]
      .filter(Boolean)
      .join('\n'),
  };
}

const isLog = ({ mime_type: type }: z.output<typeof Embedding>): boolean => type.startsWith('text/x.cucumber.log');
const decode = (data: string): string => Buffer.from(data, 'base64').toString('utf8');

const findEmbedding = ({ data, mime_type: contentType, name }: z.output<typeof Embedding>): FoundFile | undefined =>
  data === ''
    ? undefined
    : findAttachedFile({ name: name || 'attachment', contentType, path: '' }, data, () => undefined);
