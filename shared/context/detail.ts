/**
 * §4.3 `detail`: what each level keeps of a test, in JSON and in Markdown alike. Runs and spec files keep all of their
 * own at every level; the tests they list are treated like a test.
 *
 * |                                   | default | compact                                   | summary              |
 * |-----------------------------------|---------|-------------------------------------------|----------------------|
 * | `spec`, `test`, `meta`, ids       | all     | all                                       | all                  |
 * | `errorContext`                    | link    | link                                      | link                 |
 * | `error.location`                  | all     | all                                       | all                  |
 * | `error.message`                   | all     | its beginning: 4,000 characters           | 1,000 characters     |
 * | `error.snippet`                   | all     | all                                       | `null`               |
 * | `error.stack`                     | all     | its own frames, 10, without the message   | `null`               |
 * | `failureContext`                  | all     | all                                       | -                    |
 * | `traceErrorAnalysis`              | all     | all                                       | -                    |
 * | `otherAttempts`                   | all     | all; of each message 300 characters       | -                    |
 * | `steps`                           | all     | -                                         | -                    |
 * | `stdout`, `stderr`                | all     | the last 20 lines, 2,000 characters       | -                    |
 * | `assets`                          | all     | 3 of each category, and the totals        | -                    |
 * | `environment`, `git`              | all     | all                                       | -                    |
 *
 * "-": the member is absent. A text that was shortened says so, and has no colours.
 */
import { LIMITS } from '../limits.ts';
import { beginningOf, endOf, withoutAnsi } from './plain-text.ts';
import type { Assets, ContextData, ErrorInfo, ListedTest, TestContext } from './shape.ts';
import { ownFrames } from './stack.ts';

export type Detail = 'default' | 'compact' | 'summary';

/** Of a test, wherever it stands. */
type TestMembers = Omit<TestContext, 'level'>;

const { compact, summary } = LIMITS.contextDetail;

export function atDetail(context: ContextData, detail: Detail): ContextData {
  if (detail === 'default') return context;
  const reduced = detail === 'compact' ? compactOf : summaryOf;
  if (context.level !== 'test') return { ...context, list: context.list.map((test) => listed(test, reduced(test))) };
  return { level: context.level, ...reduced(context) };
}

const listed = ({ testId, instanceId }: ListedTest, test: TestMembers): ListedTest => ({ testId, instanceId, ...test });

const summaryOf = ({ spec, test, error, errorContext, meta }: TestMembers): TestMembers => ({
  spec,
  test,
  error: error && {
    ...error,
    message: shortened(error.message, summary.messageCharacters),
    stack: null,
    snippet: null,
  },
  errorContext,
  meta,
});

function compactOf({ steps: _, ...test }: TestMembers): TestMembers {
  const { error, otherAttempts, stdout, stderr, assets } = test;
  return {
    ...test,
    error: error && compactError(error),
    ...(otherAttempts && { otherAttempts: otherAttempts.map(compactAttempt) }),
    ...(stdout && { stdout: lastLines(stdout) }),
    ...(stderr && { stderr: lastLines(stderr) }),
    ...(assets && { assets: firstAssets(assets) }),
  };
}

const compactError = (error: ErrorInfo): ErrorInfo => ({
  ...error,
  message: shortened(error.message, compact.messageCharacters),
  stack: error.stack === null ? null : ownFrames(error.stack, error.message, compact.frames),
});

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

/** One piece for all, which keeps its line breaks. */
function lastLines(pieces: readonly string[]): string[] {
  const text = withoutAnsi(pieces.join(''));
  const lines = text.split('\n');
  // What ends with a line break has no line after it.
  const most = compact.outputLines + (lines.at(-1) === '' ? 1 : 0);
  const end = endOf(lines.slice(-most).join('\n'), compact.outputCharacters);
  if (end === text) return text === '' ? [] : [text];
  return [`[${text.length - end.length} characters before this]\n${end}`];
}

/** Without colours, which a cut could leave open. */
function shortened(text: string, characters: number): string {
  const plain = withoutAnsi(text);
  const beginning = beginningOf(plain, characters);
  return beginning === plain ? plain : `${beginning}… [${plain.length - beginning.length} more characters]`;
}
