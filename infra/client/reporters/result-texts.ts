/** The words for a recording, in the terminal and in the summary of a job. */
import { styleText } from 'node:util';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import type { FailedTest, NewFailures, RecordingResult } from './recording-result.ts';

export const ERROR_CHARACTERS = 300;

export const applyStyle = (style: Parameters<typeof styleText>[0], text: string): string =>
  // Node 20.12 does not know the option `stream`, and would write escape codes into files.
  process.stdout.isTTY ? styleText(style, text, { stream: process.stdout }) : text;

export const formatTestName = ({ spec, title }: FailedTest): string => makeVisibleLine([spec, ...title].join(' › '));
export const formatFirstLine = ({ message }: FailedTest, characters: number): string =>
  makeVisibleLine(formatErrorLine({ message, stack: null }, characters));

/** What people call the outcomes. Each test has exactly one of them. */
export const OUTCOMES = [
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['flaky', 'flaky'],
  ['skipped', 'did not run'],
  ['pending', 'skipped'],
] as const;

export function formatRecordedCount({
  counts: { overall },
  notRecorded,
}: Pick<RecordingResult, 'counts' | 'notRecorded'>): string {
  const countText = (count: number) => (count === 1 ? '1 test' : `${count.toLocaleString('en')} tests`);
  if (notRecorded === 0) return `${countText(overall)} recorded`;
  const lossText = `${notRecorded.toLocaleString('en')} of ${countText(overall)} ${notRecorded === 1 ? 'was' : 'were'} not recorded`;
  return applyStyle('red', lossText);
}

function formatNewFailures(failures: NewFailures | undefined): string {
  if (failures === undefined || failures.count === 0) return '';
  const { count, mayBeMore, areOfRun } = failures;
  return ` (${mayBeMore ? 'at least ' : ''}${count} new${areOfRun ? ' in the whole run' : ''})`;
}

/** Such as `3 failed (2 new)`. */
export function formatOutcomeCount(count: number, name: OutcomeName, newFailures: NewFailures | undefined): string {
  return name === 'failed' ? `${count} failed${formatNewFailures(newFailures)}` : `${count} ${name}`;
}

type OutcomeName = (typeof OUTCOMES)[number][1];
