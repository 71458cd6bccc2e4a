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
import { ownFrames } from './stack.ts';

export type Detail = 'default' | 'compact' | 'summary';

/** A test, either on its own or in the list of a run or spec file. */
type TestMembers = Omit<TestContext, 'level'>;

const { compact, summary } = CONTEXT_LIMITS.contextDetail;

export function atDetail(context: ContextData, detail: Detail): ContextData {
  const kept = withoutOmitted(context, detail);
  return detail === 'default' ? kept : ofTests(kept, detail === 'compact' ? shortCompact : shortSummary);
}

/**
 * Drops and counts the members that the level of detail omits, so that they need no masking. The remaining texts may
 * still exceed the lengths that are shown, because they must be masked before they are cut to those lengths.
 */
export function withoutOmitted(context: ContextData, detail: Detail): ContextData {
  return detail === 'default' ? context : ofTests(context, detail === 'compact' ? membersOfCompact : membersOfSummary);
}

function ofTests(context: ContextData, reduced: (test: TestMembers) => TestMembers): ContextData {
  if (context.level === 'test') return { level: context.level, ...reduced(context) };
  const list = context.list.map(({ testId, instanceId, ...test }) => ({ testId, instanceId, ...reduced(test) }));
  return { ...context, list };
}

const membersOfSummary = ({
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
  ...(failingSince && { failingSince }),
  ...(knownIssues && { knownIssues }),
  omitted: omitted ?? { steps: countOf(steps), assets: filesOf(assets) },
});

const shortSummary = ({ error, ...test }: TestMembers): TestMembers => ({
  ...test,
  error: error && {
    ...shortError(error, summary),
    snippet: error.snippet === null ? null : shortened(error.snippet, summary.snippetCharacters),
  },
});

const membersOfCompact = ({ steps, assets, omitted, ...test }: TestMembers): TestMembers => ({
  ...test,
  ...(test.stdout && { stdout: endOfOutput(test.stdout) }),
  ...(test.stderr && { stderr: endOfOutput(test.stderr) }),
  ...(assets && { assets: firstAssets(assets) }),
  omitted: omitted ?? { steps: countOf(steps), assets: filesOf(assets) - filesOf(assets && firstAssets(assets)) },
});

function shortCompact(test: TestMembers): TestMembers {
  const { error, otherAttempts, stdout, stderr } = test;
  return {
    ...test,
    error: error && shortError(error, compact),
    ...(otherAttempts && { otherAttempts: otherAttempts.map(compactAttempt) }),
    ...(stdout && { stdout: lastLines(stdout) }),
    ...(stderr && { stderr: lastLines(stderr) }),
  };
}

const shortError = (
  error: ErrorInfo,
  { messageCharacters, frames, stackCharacters }: typeof compact | typeof summary,
): ErrorInfo => ({
  ...error,
  message: shortened(error.message, messageCharacters),
  stack: error.stack === null ? null : shortened(ownFrames(error.stack, error.message, frames), stackCharacters),
});

/** Counts the steps of a list, including all nested steps. */
const countOf = (steps: readonly Step[] = []): number => steps.reduce((sum, step) => sum + 1 + countOf(step.steps), 0);

const filesOf = (assets: Assets | undefined): number =>
  assets ? assets.traces.length + assets.screenshots.length + assets.videos.length + assets.attachments.length : 0;

type OtherAttempt = NonNullable<TestMembers['otherAttempts']>[number];

const compactAttempt = ({ error, ...attempt }: OtherAttempt): OtherAttempt => ({
  ...attempt,
  error: error && { ...error, message: shortened(error.message, compact.otherMessageCharacters) },
});

const firstAssets = ({ traces, screenshots, videos, attachments, totals }: Assets): Assets => ({
  traces: traces.slice(0, compact.assets),
  screenshots: screenshots.slice(0, compact.assets),
  videos: videos.slice(0, compact.assets),
  attachments: attachments.slice(0, compact.assets),
  totals,
});

/** The end of an output. At the level `compact`, this part is masked, and then its last lines are shown. */
export const endOfOutput = (pieces: readonly string[]): string[] => keepOutputEnd(pieces, compact.outputRead);

/** Joins the pieces into one text, and returns its last lines with a note about what was left out. */
function lastLines(pieces: readonly string[]): string[] {
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
function shortened(text: string, characters: number): string {
  const plain = removeControlSequences(text);
  const beginning = takeFirstCharacters(plain, characters);
  return beginning === plain ? plain : `${beginning}… [${plain.length - beginning.length} more characters]`;
}
