/** The `rundown` command. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { CommandImports } from './answers.ts';
import { asksForJson, type Given, given, help } from './options.ts';
import PACKAGE from './package/package.json' with { type: 'json' };
import { terminalLines } from './reporters/print.ts';
import { type Recorded, Recorder } from './reporters/recorder.ts';
import { settingsOf } from './reporters/settings.ts';
import { readSpool, type Spooled, setAside, spooledIn } from './reporters/spool.ts';
import { chosenRunId, runPageUrl } from './runs.ts';
import { serviceOf } from './service.ts';
import { CommandFailure, messageOf, UsageFailure } from './settings/failure.ts';
import { type ImportProblem, lossSummary, styled, terminalSummary, totalOf } from './summary.ts';
import { complete, upload } from './upload.ts';

const USAGE_STATUS = 2;

async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') {
    process.stdout.write(`${help()}\n`);
    return args.length === 0 ? USAGE_STATUS : 0;
  }
  if (args[0] === '--version') {
    process.stdout.write(`${PACKAGE.version}\n`);
    return 0;
  }
  const asked = given(args);
  try {
    const { output, refused } = await resultOf(asked);
    process.stdout.write(`${output}\n`);
    for (const failure of refused) {
      tell(failure, false);
      annotate(LOSS.upload, failure);
    }
    return refused.length > 0 && asked.has('strict') ? 1 : 0;
  } catch (error) {
    tell(error, asked.has('json'));
    if (asked.command === 'why' || asked.command === 'open') return 1;
    // Nobody reads the log of a green job, so the failure is also reported as an annotation and in the job summary.
    const loss = LOSS[asked.command];
    if (!asked.has('strict')) process.stderr.write(`${loss}. The job continues, because --strict is not set.\n`);
    annotate(loss, error);
    const summary = asked.text('summary');
    if (summary) await appendFile(summary, lossSummary(loss, problemOf(error)));
    // A failed upload must not fail the build, unless --strict is set.
    return asked.has('strict') ? 1 : 0;
  }
}

interface Result {
  readonly output: string;
  readonly refused: readonly CommandFailure[];
}

async function resultOf(asked: Given): Promise<Result> {
  const { command } = asked;
  if (command === 'why') return { output: await why(asked), refused: [] };
  if (command === 'open') return { output: await open(asked), refused: [] };
  if (command === 'upload' && asked.has('spool')) return sendSpooled(asked);
  const result = command === 'upload' ? await upload(asked) : await complete(asked);
  return { output: asked.has('json') ? asJson(result) : terminalSummary(result), refused: result.refused };
}

/** What became of a spool. */
interface SentSpool {
  readonly path: string;
  readonly recorded: Recorded;
}

/** `rundown upload --spool`: sends what reporters left on the disk, or only the spools that the operands name. */
async function sendSpooled(asked: Given): Promise<Result> {
  const [url, project, key] = ['url', 'project', 'key'].map(asked.text);
  const settings = settingsOf({ url, project, key });
  if (!settings) throw new CommandFailure('The address, the project or the key is missing', 'Set RUNDOWN_DSN');
  const sent: SentSpool[] = [];
  const notes: string[] = [];
  const refused: CommandFailure[] = [];
  const { waiting, growing } = spooledIn(settings.spool);
  const paths = asked.operands.length > 0 ? asked.operands : waiting;
  for (const path of paths) {
    try {
      const spooled = readSpool(path);
      if (!spooled) {
        const aside = asked.operands.length > 0 ? path : setAside(path);
        notes.push(`${path} does not contain the start of a recording, so nothing was sent. Delete ${aside}`);
        continue;
      }
      requireProject(spooled, settings.project);
      const recorded = await Recorder.resume(settings, spooled);
      sent.push({ path, recorded });
      if (recorded.isIncomplete) refused.push(incompleteSpool(path));
    } catch (error) {
      // Results of other processes do not wait because one spool cannot be sent.
      refused.push(error instanceof CommandFailure ? error : notSent(path, error));
    }
  }
  const notices = new Set(sent.flatMap(({ recorded }) => recorded.versionNotice ?? []));
  for (const notice of notices) process.stderr.write(`Rundown  ${notice}\n`);
  if (asked.operands.length === 0)
    for (const path of growing) notes.push(`${path} was left out, because its test process is still running`);
  if (asked.has('json')) return { output: spoolsAsJson(sent, notes, refused), refused };
  const lines = [...sent.flatMap(({ recorded }) => terminalLines(recorded)), ...notes.map(makeVisibleLine)];
  return { output: lines.length > 0 ? lines.join('\n') : `No results are waiting in ${settings.spool}`, refused };
}

function spoolsAsJson(
  sent: readonly SentSpool[],
  notes: readonly string[],
  refused: readonly CommandFailure[],
): string {
  const spools = sent.map(
    ({ path, recorded: { runUrl, counts, notRecorded, runProblems, problems, isIncomplete } }) => ({
      path,
      runUrl: runUrl ?? null,
      tests: { ...counts, notRecorded },
      runProblems,
      problems,
      isComplete: !isIncomplete,
    }),
  );
  return JSON.stringify({ status: 'OK', spools, notes, refused: refused.map(problemInJson) }, null, 2);
}

const incompleteSpool = (path: string): CommandFailure =>
  existsSync(path)
    ? new CommandFailure(
        `${path} was not sent completely`,
        'Read the reason in the output. Then run the command again, or delete the file if nobody needs its results',
      )
    : new CommandFailure(`Some results of ${path} were not recorded`, 'Read the reason in the output');

/** The project of the settings decides where results go, because anybody may have written the spool. */
function requireProject({ path, start }: Spooled, project: string): void {
  if (start.project === project) return;
  throw new CommandFailure(
    `${path} was not sent, because its results belong to the project ${start.project}`,
    'Set RUNDOWN_PROJECT to this project, and run the command again. Delete the file if nobody needs its results',
  );
}

const notSent = (path: string, error: unknown): CommandFailure =>
  new CommandFailure(`${path} was not sent: ${messageOf(error)}`, 'Delete the file if nobody needs its results');

function asJson({ runId, runUrl, imports, refused }: CommandImports): string {
  const problems = refused.map(problemInJson);
  return JSON.stringify({ status: 'OK', runId, runUrl, tests: totalOf(imports), imports, refused: problems }, null, 2);
}

const problemInJson = ({ message, next }: CommandFailure) => ({ error: message, next });

/**
 * The consequence of a failed command, for messages. Files that were uploaded before the failure may have been
 * recorded.
 */
const LOSS = { upload: 'Results of this job are missing in Rundown', complete: 'The run was not completed' } as const;

/**
 * Writes an annotation to standard error, because a program may read JSON from standard output. GitHub reads
 * annotations from both streams.
 */
function annotate(title: string, error: unknown): void {
  if (process.env['GITHUB_ACTIONS'] !== 'true') return;
  const { message, next } = problemOf(error);
  const line = makeVisibleLine(`${message}. ${next}.`).replaceAll('%', '%25');
  process.stderr.write(`::error title=${title}::${line}\n`);
}

function problemOf(error: unknown): ImportProblem {
  const next =
    error instanceof CommandFailure ? error.next : 'Try again. If the problem persists, report it with this message';
  return { message: messageOf(error), next };
}

/** Prints an error on standard error. With `--json`, also prints it as JSON on standard output, for programs. */
function tell(error: unknown, asJsonText: boolean): void {
  const { message, next } = problemOf(error);
  if (asJsonText) process.stdout.write(`${JSON.stringify({ status: 'FAILED', error: message, next })}\n`);
  process.stderr.write(
    `${styleText('red', 'Error:', { stream: process.stderr })} ${makeVisible(`${message}. ${next}`)}.\n`,
  );
}

// `rundown open`: opens the page of a run.

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

async function open(given: Given): Promise<string> {
  const service = serviceOf(given);
  const runUrl = await runPageUrl(service, await chosenRunId(service, given));
  if (given.has('json')) return JSON.stringify({ runUrl });
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
async function why(given: Given): Promise<string> {
  const service = serviceOf(given);
  const run_id = await chosenRunId(service, given);
  const query = { run_id, detail: 'compact', limit: given.text('limit') };
  if (given.has('json')) return JSON.stringify(await service.json('/context', { query }), null, 2);
  return readable(await service.text('/context', { query: { ...query, format: 'md' }, accept: 'text/markdown' }));
}

/** Spells out invisible characters. If the output is a terminal, headings become bold and code becomes dim. */
function readable(markdown: string): string {
  let inCode = false;
  return makeVisible(markdown)
    .split('\n')
    .map((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) inCode = !inCode;
      if (isFence || inCode) return styled('dim', line);
      return /^#{1,6} /.test(line) ? styled('bold', line) : line;
    })
    .join('\n');
}

const args = process.argv.slice(2);
try {
  process.exitCode = await run(args);
} catch (error) {
  const isUsage = error instanceof UsageFailure;
  // Any other error comes from writing the job summary, after the failure of the command was printed.
  tell(error, isUsage && asksForJson(args));
  process.exitCode = isUsage ? USAGE_STATUS : 1;
}
