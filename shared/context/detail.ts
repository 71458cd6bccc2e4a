/**
 * §4.3 The `detail` levels of a test, in JSON and in Markdown. Tests in the list of a run or spec file are reduced like
 * a single test. In JSON, runs and spec files keep all of their own properties at every level. In Markdown, the level
 * `summary` leaves out their `environment` and `git`.
 *
 * |                                   | default | compact                                   | summary              |
 * |-----------------------------------|---------|-------------------------------------------|----------------------|
 * | `spec`, `test`, `meta`, ids       | all     | all                                       | all                  |
 * | `errorContext`                    | link    | link                                      | link                 |
 * | `failingSince`, `knownIssues`     | all     | all                                       | all                  |
 * | `error.location`                  | all     | all                                       | all                  |
 * | `error.message`                   | all     | the first 4,000 characters                | 1,000 characters     |
 * | `error.snippet`                   | all     | all                                       | 1,000 characters     |
 * | `error.stack`                     | all     | 10 project frames, without the message    | 5 project frames     |
 * | `failureContext`                  | all     | all                                       | -                    |
 * | `traceErrorAnalysis`              | all     | all                                       | -                    |
 * | `furtherErrors`                   | all     | all; 300 characters per message, no code  | -                    |
 * | `annotations`, `tags`             | all     | -                                         | -                    |
 * | `otherAttempts`                   | all     | all; 300 characters per message           | -                    |
 * | `steps`                           | all     | -                                         | -                    |
 * | `omitted`                         | -       | number of omitted steps and files         | the same             |
 * | `stdout`, `stderr`                | all     | the last 20 lines, 2,000 characters       | -                    |
 * | `assets`                          | all     | 3 per category, and the totals            | -                    |
 * | `environment`, `git`              | all     | all                                       | -                    |
 *
 * "-": the property is absent. A stack has at most 8,000 characters at the level `compact`, and at most 2,000 at the
 * level `summary`. A shortened text says so and has no terminal colors.
 */

import { keepOutputEnd } from '#shared/engine/cut-text.ts';
import { removeControlSequences, takeFirstCharacters, takeLastCharacters } from '#shared/engine/plain-text.ts';
import { BEGINNING_LEFT_OUT } from '#shared/masking/masking.ts';
import type { Assets, ContextData, ErrorInfo, Step, TestContext } from './context-wire.ts';
import { CONTEXT_LIMITS } from './limits.ts';
import { keepProjectFrames } from './stack.ts';

export type Detail = 'default' | 'compact' | 'summary';

/** A test, either on its own or in the list of a run or spec file. */
type TestMembers = Omit<TestContext, 'level'>;

const { compact, summary } = CONTEXT_LIMITS.contextDetail;

export function applyDetail(context: ContextData, detail: Detail): ContextData {
  const reducedContext = dropOmittedMembers(context, detail);
  if (detail === 'default') return reducedContext;
  return mapTests(reducedContext, detail === 'compact' ? shortenCompact : shortenSummary);
}

/** Omitted members need no masking. The other texts keep their length, because they are masked before they are cut. */
export function dropOmittedMembers(context: ContextData, detail: Detail): ContextData {
  if (detail === 'default') return context;
  return mapTests(context, detail === 'compact' ? keepCompactMembers : keepSummaryMembers);
}

function mapTests(context: ContextData, reduceTest: (test: TestMembers) => TestMembers): ContextData {
  if (context.level === 'test') return { level: context.level, ...reduceTest(context) };
  const list = context.list.map(({ testId, instanceId, ...test }) => ({ testId, instanceId, ...reduceTest(test) }));
  return { ...context, list };
}

const keepSummaryMembers = ({
  spec,
  test,
  error,
  errorContext,
  meta,
  failingSince,
  knownIssues,
  omitted,
  steps,
  assets,
}: TestMembers): TestMembers => ({
  spec,
  test,
  error,
  errorContext,
  meta,
  failingSince,
  knownIssues,
  omitted: omitted ?? { steps: countSteps(steps), assets: countFiles(assets) },
});

const shortenSummary = ({ error, ...test }: TestMembers): TestMembers => ({
  ...test,
  error: error && {
    ...shortenError(error, summary),
    snippet: error.snippet === null ? null : shortenText(error.snippet, summary.snippetCharacters),
  },
});

function keepCompactMembers({ steps, assets, omitted, annotations, tags, ...test }: TestMembers): TestMembers {
  const keptAssets = assets && keepFirstAssets(assets);
  return {
    ...test,
    stdout: test.stdout && cutOutput(test.stdout),
    stderr: test.stderr && cutOutput(test.stderr),
    assets: keptAssets,
    omitted: omitted ?? { steps: countSteps(steps), assets: countFiles(assets) - countFiles(keptAssets) },
  };
}

function shortenCompact(test: TestMembers): TestMembers {
  const { error, furtherErrors, otherAttempts, stdout, stderr } = test;
  const shortTest = {
    ...test,
    error: error && shortenError(error, compact),
    otherAttempts: otherAttempts?.map(shortenAttempt),
    stdout: stdout && keepLastLines(stdout),
    stderr: stderr && keepLastLines(stderr),
  };
  return furtherErrors ? { ...shortTest, furtherErrors: furtherErrors.map(shortenOtherError) } : shortTest;
}

function shortenError(error: ErrorInfo, limits: typeof compact | typeof summary): ErrorInfo {
  const frames = error.stack === null ? null : keepProjectFrames(error.stack, error.message, limits.frames);
  return {
    ...error,
    message: shortenText(error.message, limits.messageCharacters),
    stack: frames === null ? null : shortenText(frames, limits.stackCharacters),
  };
}

/** Counts the steps of a list, including all nested steps. */
const countSteps = (steps: readonly Step[] = []): number =>
  steps.reduce((sum, step) => sum + 1 + countSteps(step.steps), 0);

const countFiles = (assets: Assets | undefined): number =>
  assets ? assets.traces.length + assets.screenshots.length + assets.videos.length + assets.attachments.length : 0;

type OtherAttempt = NonNullable<TestMembers['otherAttempts']>[number];
type OtherError = NonNullable<OtherAttempt['error']>;

const shortenAttempt = ({ error, ...attempt }: OtherAttempt): OtherAttempt => ({
  ...attempt,
  error: error && shortenOtherError(error),
});

const shortenOtherError = ({ message, location }: OtherError): OtherError => ({
  message: shortenText(message, compact.otherMessageCharacters),
  location,
});

const keepFirstAssets = ({ traces, screenshots, videos, attachments, totals }: Assets): Assets => ({
  traces: traces.slice(0, compact.assets),
  screenshots: screenshots.slice(0, compact.assets),
  videos: videos.slice(0, compact.assets),
  attachments: attachments.slice(0, compact.assets),
  totals,
});

/** The end of an output. At the level `compact`, this part is masked, and then its last lines are shown. */
export const cutOutput = (pieces: readonly string[]): string[] => keepOutputEnd(pieces, compact.outputRead);

function keepLastLines(pieces: readonly string[]): string[] {
  const text = removeControlSequences(pieces.join(''));
  const lines = text.split('\n');
  // A line break at the end of the text does not start another line.
  const most = compact.outputLines + (lines.at(-1) === '' ? 1 : 0);
  const end = takeLastCharacters(lines.slice(-most).join('\n'), compact.outputCharacters);
  if (end === text) return text === '' ? [] : [text];
  const more = text.startsWith(BEGINNING_LEFT_OUT) ? 'more than ' : '';
  return [`[${more}${text.length - end.length} characters before this]\n${end}`];
}

/** Shortens a text. Removes terminal colors first, because shortening could drop the code that ends a color. */
function shortenText(text: string, characters: number): string {
  const plainText = removeControlSequences(text);
  const beginning = takeFirstCharacters(plainText, characters);
  return beginning === plainText ? plainText : `${beginning}… [${plainText.length - beginning.length} more characters]`;
}
