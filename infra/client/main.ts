/** The `rundown` command. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { CommandImports } from './answers.ts';
import { passGate } from './gate.ts';
import { type CommandLine, help, isJsonRequested, parseCommandLine } from './options.ts';
import PACKAGE from './package/package.json' with { type: 'json' };
import { runQuarantined } from './quarantined-run.ts';
import { repeatLastFailed } from './repeat.ts';
import { formatTerminalLines } from './reporters/print.ts';
import { Recorder, type RecordingResult } from './reporters/recorder.ts';
import { readReporterSettings } from './reporters/settings.ts';
import { listSpools, readSpool, type SpoolContent, setAside } from './reporters/spool.ts';
import { chooseRunId, readRunPageUrl } from './runs.ts';
import { makeService } from './service.ts';
import { CommandFailure, getErrorMessage, UsageFailure } from './settings/failure.ts';
import { applyStyle, formatLossSummary, formatTerminalSummary, type ImportProblem, sumCounts } from './summary.ts';
import { complete, upload } from './upload.ts';

const USAGE_STATUS = 2;

async function run(args: readonly string[]): Promise<number> {
  const isHelp = args.includes('--help') && !args.slice(0, args.indexOf('--help')).includes('--');
  if (args.length === 0 || isHelp || args[0] === 'help') {
    process.stdout.write(`${help()}\n`);
    return args.length === 0 ? USAGE_STATUS : 0;
  }
  if (args[0] === '--version') {
    process.stdout.write(`${PACKAGE.version}\n`);
    return 0;
  }
  const commandLine = parseCommandLine(args);
  if (commandLine.command === 'last-failed') return repeatLastFailed(commandLine);
  if (commandLine.command === 'gate') return tryGate(commandLine);
  if (commandLine.command === 'run') return runQuarantined(commandLine);
  try {
    const { output, refused } = await runCommand(commandLine);
    process.stdout.write(`${output}\n`);
    for (const failure of refused) {
      tell(failure, false);
      writeAnnotation(LOSS.upload, failure);
    }
    return refused.length > 0 && commandLine.has('strict') ? 1 : 0;
  } catch (error) {
    tell(error, commandLine.has('json'));
    if (commandLine.command === 'why' || commandLine.command === 'open') return 1;
    // Nobody reads the log of a green job, so the failure is also reported as an annotation and in the job summary.
    const loss = LOSS[commandLine.command];
    if (!commandLine.has('strict')) process.stderr.write(`${loss}. The job continues, because --strict is not set.\n`);
    writeAnnotation(loss, error);
    const summary = commandLine.text('summary');
    if (summary) await appendFile(summary, formatLossSummary(loss, toImportProblem(error)));
    // A failed upload must not fail the build, unless --strict is set.
    return commandLine.has('strict') ? 1 : 0;
  }
}

/** Whatever goes wrong, the gate stays closed. */
async function tryGate(commandLine: CommandLine): Promise<number> {
  try {
    return await passGate(commandLine);
  } catch (error) {
    if (error instanceof UsageFailure) throw error;
    tell(error, commandLine.has('json'));
    return 1;
  }
}

interface Result {
  readonly output: string;
  readonly refused: readonly CommandFailure[];
}

async function runCommand(commandLine: CommandLine): Promise<Result> {
  const { command } = commandLine;
  if (command === 'why') return { output: await explainFailures(commandLine), refused: [] };
  if (command === 'open') return { output: await open(commandLine), refused: [] };
  if (command === 'upload' && commandLine.has('spool')) return sendSpooled(commandLine);
  const result = command === 'upload' ? await upload(commandLine) : await complete(commandLine);
  return {
    output: commandLine.has('json') ? formatImportsAsJson(result) : formatTerminalSummary(result),
    refused: result.refused,
  };
}

interface SentSpool {
  readonly path: string;
  readonly recorded: RecordingResult;
}

/** `rundown upload --spool`: sends what reporters left on the disk, or only the spools that the operands name. */
async function sendSpooled(commandLine: CommandLine): Promise<Result> {
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

function formatImportsAsJson({ runId, runUrl, imports, refused }: CommandImports): string {
  const problems = refused.map(toJsonProblem);
  return JSON.stringify(
    { status: 'OK', runId, runUrl, tests: sumCounts(imports), imports, refused: problems },
    null,
    2,
  );
}

const toJsonProblem = ({ message, next }: CommandFailure) => ({ error: message, next });

/** The consequence of a failed command. Files that were uploaded before the failure may have been recorded. */
const LOSS = { upload: 'Results of this job are missing in Rundown', complete: 'The run was not completed' } as const;

/** Writes to standard error, because a program may read JSON from standard output. GitHub reads both streams. */
function writeAnnotation(title: string, error: unknown): void {
  if (process.env['GITHUB_ACTIONS'] !== 'true') return;
  const { message, next } = toImportProblem(error);
  const line = makeVisibleLine(`${message}. ${next}.`).replaceAll('%', '%25');
  process.stderr.write(`::error title=${title}::${line}\n`);
}

function toImportProblem(error: unknown): ImportProblem {
  const next =
    error instanceof CommandFailure ? error.next : 'Try again. If the problem persists, report it with this message';
  return { message: getErrorMessage(error), next };
}

/** Prints an error on standard error. With `--json`, also prints it as JSON on standard output, for programs. */
function tell(error: unknown, asJsonText: boolean): void {
  const { message, next } = toImportProblem(error);
  if (asJsonText) process.stdout.write(`${JSON.stringify({ status: 'FAILED', error: message, next })}\n`);
  process.stderr.write(
    `${styleText('red', 'Error:', { stream: process.stderr })} ${makeVisible(`${message}. ${next}`)}.\n`,
  );
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

async function open(commandLine: CommandLine): Promise<string> {
  const service = makeService(commandLine);
  const runUrl = await readRunPageUrl(service, await chooseRunId(service, commandLine));
  if (commandLine.has('json')) return JSON.stringify({ runUrl });
  if (!/^https?:\/\//.test(runUrl))
    throw new CommandFailure(
      `The service answered with ${runUrl}, which is not a web address`,
      'Check the address in --url, RUNDOWN_URL or RUNDOWN_DSN',
    );
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  // On a machine without a browser, the command only shows the address.
  spawn(program, [...args, runUrl], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
  return runUrl;
}

/** `rundown why`: the failure context of a run, readable on a terminal. */
async function explainFailures(commandLine: CommandLine): Promise<string> {
  const service = makeService(commandLine);
  const run_id = await chooseRunId(service, commandLine);
  const query = { run_id, detail: 'compact', limit: commandLine.text('limit') };
  if (commandLine.has('json')) return JSON.stringify(await service.json('/context', { query }), null, 2);
  return formatMarkdown(await service.text('/context', { query: { ...query, format: 'md' }, accept: 'text/markdown' }));
}

/** Spells out invisible characters. If the output is a terminal, headings become bold and code becomes dim. */
function formatMarkdown(markdown: string): string {
  let inCode = false;
  return makeVisible(markdown)
    .split('\n')
    .map((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) inCode = !inCode;
      if (isFence || inCode) return applyStyle('dim', line);
      return /^#{1,6} /.test(line) ? applyStyle('bold', line) : line;
    })
    .join('\n');
}

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args);
} catch (error) {
  const isUsage = error instanceof UsageFailure;
  // Any other error comes from writing the job summary, after the failure of the command was printed.
  tell(error, isUsage && isJsonRequested(args));
  process.exitCode = isUsage ? USAGE_STATUS : 1;
}
