/**
 * What people read about a recording: a few lines in the terminal, and in GitHub Actions also a summary and
 * annotations. Names and messages of tests may contain characters that forge what people read, so these are spelled out.
 */
import { appendFileSync } from 'node:fs';
import { formatAnnotations, formatJobSummary } from './github-job.ts';
import type { RecordingResult } from './recording-result.ts';
import { formatTerminalLines } from './terminal-lines.ts';

/** In GitHub Actions, it also prints annotations, and writes the job summary and the outputs of the step. */
export function printRecorded(
  result: RecordingResult,
  root: string,
  print: (line: string) => void = console.log,
): void {
  const { env } = process;
  for (const line of formatTerminalLines(result)) print(line);
  if (result.versionNotice !== undefined) console.error(`Rundown  ${result.versionNotice}`);
  if (env['GITHUB_ACTIONS'] !== 'true') return;
  for (const line of formatAnnotations(result, env['GITHUB_WORKSPACE'] ?? root)) print(line);
  append(env['GITHUB_STEP_SUMMARY'], formatJobSummary(result));
  const { runUrl, newFailures } = result;
  append(env['GITHUB_OUTPUT'], `run-url=${runUrl ?? ''}\nnew-failures=${newFailures?.count ?? ''}\n`);
}

function append(path: string | undefined, text: string): void {
  try {
    if (path) appendFileSync(path, text);
  } catch {
    // The summary of the job is a convenience. The run is recorded without it.
  }
}
