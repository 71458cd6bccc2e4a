/** The lines about a recording in the terminal. */
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import type { FailedTest, NewFailures, RecordingResult } from './recording-result.ts';
import {
  applyStyle,
  ERROR_CHARACTERS,
  formatFirstLine,
  formatOutcomeCount,
  formatRecordedCount,
  formatTestName,
  OUTCOMES,
} from './result-texts.ts';

const TERMINAL_ERROR_CHARACTERS = 60;
const INDENT = ' '.repeat('Rundown  '.length);

export function formatTerminalLines(
  result: Omit<RecordingResult, 'failed' | 'isIncomplete' | 'versionNotice'>,
): string[] {
  const { newFailures, runProblems, cancelled, problems } = result;
  const lines = formatHead(result);
  const [first] = newFailures?.tests ?? [];
  if (newFailures && first) lines.push(formatNewFailure(newFailures, first));
  lines.push(...formatProblemLines(runProblems));
  if (cancelled !== undefined) lines.push(`${INDENT}The run was cancelled ${makeVisibleLine(cancelled)}`);
  for (const problem of problems) lines.push(`${applyStyle('yellow', 'Rundown')}  ${makeVisibleLine(problem)}`);
  return lines;
}

/** How many tests were recorded, in which run, and how they ended. */
function formatHead(
  result: Pick<RecordingResult, 'runUrl' | 'counts' | 'notRecorded' | 'newFailures' | 'waitsForMachines'>,
): string[] {
  const { runUrl, counts, notRecorded, newFailures, waitsForMachines } = result;
  const lines: string[] = [];
  const recordedCount = `${applyStyle('bold', 'Rundown')}  ${formatRecordedCount(result)}`;
  if (runUrl) lines.push(`${recordedCount}  →  ${formatLink(runUrl)}`);
  else if (notRecorded > 0) lines.push(recordedCount);
  const parts = OUTCOMES.filter(([outcome]) => counts[outcome] > 0).map(([outcome, name]) =>
    formatOutcomeCount(counts[outcome], name, newFailures),
  );
  if (waitsForMachines > 0) parts.push(`other machines that are still recording this run: ${waitsForMachines}`);
  if (parts.length > 0) lines.push(`${INDENT}${parts.join(' · ')}`);
  return lines;
}

/** The escape sequence OSC 8 makes the URL a link that people can open in the terminal. */
const formatLink = (url: string): string =>
  process.stdout.isTTY ? `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\` : url;

function formatNewFailure({ count, mayBeMore }: NewFailures, test: FailedTest): string {
  const error = applyStyle('dim', formatFirstLine(test, TERMINAL_ERROR_CHARACTERS));
  const line = `${INDENT}${applyStyle('red', 'new:')} ${formatTestName(test)}  ${error}`;
  const others = count - 1;
  return others > 0 ? `${line}  and ${mayBeMore ? 'at least ' : ''}${others} more` : line;
}

function formatProblemLines(problems: RecordingResult['runProblems']): string[] {
  const lines = problems.slice(0, LISTED_PROBLEMS).map(({ message, failsRun }) => {
    const label = failsRun ? applyStyle('red', 'run failed:') : applyStyle('yellow', 'warning:');
    return `${INDENT}${label} ${makeVisibleLine(formatErrorLine({ message, stack: null }, ERROR_CHARACTERS))}`;
  });
  const more = problems.length - lines.length;
  return more > 0 ? [...lines, `${INDENT}and ${more} more on the page of the run`] : lines;
}

const LISTED_PROBLEMS = 5;
