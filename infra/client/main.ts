/** The `rundown` command. */

import { appendFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { CommandImports } from './answers.ts';
import { type CommandResult, toJsonProblem } from './command-result.ts';
import { passGate } from './gate.ts';
import { type CommandLine, help, isJsonRequested, parseCommandLine } from './options.ts';
import PACKAGE from './package/package.json' with { type: 'json' };
import { runQuarantined } from './quarantined-run.ts';
import { repeatLastFailed } from './repeat.ts';
import { sendSpools } from './send-spools.ts';
import { CommandFailure, getErrorMessage, UsageFailure } from './settings/failure.ts';
import { explainFailures, openRunPage } from './show-run.ts';
import { formatLossSummary, formatTerminalSummary, type ImportProblem, sumCounts } from './summary.ts';
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

async function runCommand(commandLine: CommandLine): Promise<CommandResult> {
  const { command } = commandLine;
  if (command === 'why') return { output: await explainFailures(commandLine), refused: [] };
  if (command === 'open') return { output: await openRunPage(commandLine), refused: [] };
  if (command === 'upload' && commandLine.has('spool')) return sendSpools(commandLine);
  const result = command === 'upload' ? await upload(commandLine) : await complete(commandLine);
  return {
    output: commandLine.has('json') ? formatImportsAsJson(result) : formatTerminalSummary(result),
    refused: result.refused,
  };
}

function formatImportsAsJson({ runId, runUrl, imports, refused }: CommandImports): string {
  const problems = refused.map(toJsonProblem);
  return JSON.stringify(
    { status: 'OK', runId, runUrl, tests: sumCounts(imports), imports, refused: problems },
    null,
    2,
  );
}

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

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args);
} catch (error) {
  const isUsage = error instanceof UsageFailure;
  // Any other error comes from writing the job summary, after the failure of the command was printed.
  tell(error, isUsage && isJsonRequested(args));
  process.exitCode = isUsage ? USAGE_STATUS : 1;
}
