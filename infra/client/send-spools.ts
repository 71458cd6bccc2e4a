/** `rundown upload --spool`: sends what reporters left on the disk, or only the spools that the operands name. */
import { existsSync } from 'node:fs';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { type CommandResult, toJsonProblem } from './command-result.ts';
import type { CommandLine } from './options.ts';
import { listSpools, readSpool, type SpoolContent } from './reporters/read-spool.ts';
import { Recorder } from './reporters/recorder.ts';
import type { RecordingResult } from './reporters/recording-result.ts';
import { readReporterSettings } from './reporters/settings.ts';
import { setAside } from './reporters/spool.ts';
import { formatTerminalLines } from './reporters/terminal-lines.ts';
import { CommandFailure, getErrorMessage } from './settings/failure.ts';

interface SentSpool {
  readonly path: string;
  readonly recorded: RecordingResult;
}

export async function sendSpools(commandLine: CommandLine): Promise<CommandResult> {
  const [url, project, key] = ['url', 'project', 'key'].map(commandLine.text);
  const settings = readReporterSettings({ url, project, key });
  if (!settings) throw new CommandFailure('The address, the project or the key is missing', 'Set RUNDOWN_DSN');
  const sentSpools: SentSpool[] = [];
  const notes: string[] = [];
  const failures: CommandFailure[] = [];
  const { waiting, growing } = listSpools(settings.spool);
  const paths = commandLine.operands.length > 0 ? commandLine.operands : waiting;
  for (const path of paths) {
    try {
      const spool = readSpool(path);
      if (!spool) {
        const aside = commandLine.operands.length > 0 ? path : setAside(path);
        notes.push(`${path} does not contain the start of a recording, so nothing was sent. Delete ${aside}`);
        continue;
      }
      requireProject(spool, settings.project);
      const result = await Recorder.resume(settings, spool);
      sentSpools.push({ path, recorded: result });
      if (result.isIncomplete) failures.push(explainIncompleteSpool(path));
    } catch (error) {
      // Results of other processes do not wait because one spool cannot be sent.
      failures.push(error instanceof CommandFailure ? error : explainUnsentSpool(path, error));
    }
  }
  const notices = new Set(sentSpools.flatMap(({ recorded }) => recorded.versionNotice ?? []));
  for (const notice of notices) process.stderr.write(`Rundown  ${notice}\n`);
  if (commandLine.operands.length === 0)
    for (const path of growing) notes.push(`${path} was left out, because its test process is still running`);
  if (commandLine.has('json')) return { output: formatSpoolsAsJson(sentSpools, notes, failures), refused: failures };
  const lines = [...sentSpools.flatMap(({ recorded }) => formatTerminalLines(recorded)), ...notes.map(makeVisibleLine)];
  return {
    output: lines.length > 0 ? lines.join('\n') : `No results are waiting in ${settings.spool}`,
    refused: failures,
  };
}

function formatSpoolsAsJson(
  sentSpools: readonly SentSpool[],
  notes: readonly string[],
  failures: readonly CommandFailure[],
): string {
  const spools = sentSpools.map(
    ({ path, recorded: { runUrl, counts, notRecorded, runProblems, problems, isIncomplete } }) => ({
      path,
      runUrl: runUrl ?? null,
      tests: { ...counts, notRecorded },
      runProblems,
      problems,
      isComplete: !isIncomplete,
    }),
  );
  return JSON.stringify({ status: 'OK', spools, notes, refused: failures.map(toJsonProblem) }, null, 2);
}

const explainIncompleteSpool = (path: string): CommandFailure =>
  existsSync(path)
    ? new CommandFailure(
        `${path} was not sent completely`,
        'Read the reason in the output. Then run the command again, or delete the file if nobody needs its results',
      )
    : new CommandFailure(`Some results of ${path} were not recorded`, 'Read the reason in the output');

/** The project of the settings decides where results go, because anybody may have written the spool. */
function requireProject({ path, start }: SpoolContent, project: string): void {
  if (start.project === project) return;
  throw new CommandFailure(
    `${path} was not sent, because its results belong to the project ${start.project}`,
    'Set RUNDOWN_PROJECT to this project, and run the command again. Delete the file if nobody needs its results',
  );
}

const explainUnsentSpool = (path: string, error: unknown): CommandFailure =>
  new CommandFailure(`${path} was not sent: ${getErrorMessage(error)}`, 'Delete the file if nobody needs its results');
