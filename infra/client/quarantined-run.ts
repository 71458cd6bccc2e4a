/**
 * `rundown run`: starts a command, uploads the reports that it wrote, and ends with 0 although it failed if each failure
 * is quarantined.
 */
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { CommandImports } from './answers.ts';
import { CommandReports, type WrittenReports } from './command-reports.ts';
import { decideExitCode, mayBeWhole, sumFailures } from './exit-verdict.ts';
import type { CommandLine } from './options.ts';
import { RunningCommands } from './running-commands.ts';
import { makeService } from './service.ts';
import { getErrorMessage, UsageFailure } from './settings/failure.ts';
import { findLeg, nameCommand } from './settings/leg.ts';
import { type ProgramEnd, startProgram } from './start-program.ts';
import { formatTerminalSummary } from './summary.ts';
import { failJob, uploadReports } from './upload.ts';

/** The result of a command whose reports could not be uploaded. */
const NO_IMPORTS: CommandImports = { runUrl: null, runId: null, imports: [], refused: [] };

export async function runQuarantined(commandLine: CommandLine): Promise<number> {
  const [program, ...args] = commandLine.operands;
  const patterns = commandLine.list('report');
  if (program === undefined || patterns.length === 0)
    throw new UsageFailure(
      program === undefined ? 'The command is missing' : 'The report is missing',
      'For example: rundown run --report report.xml -- pytest --junitxml=report.xml',
    );
  const exitCodes = commandLine.list('exit-code').map(Number);
  if (!exitCodes.every((code) => Number.isInteger(code) && code > 0 && code < 256))
    throw new UsageFailure('An exit code is a number from 1 to 255', 'Correct --exit-code');
  const observation = await observe(patterns);
  const group = commandLine.text('group');
  const named = nameCommand(process.env, [...commandLine.operands, ...patterns], group);
  const end = await startProgram(program, args, named.variables);
  const { paths, problem } = await listReports(observation);
  const isWhole = mayBeWhole({ end, command: commandLine.operands, exitCodes, reportProblem: problem });
  const leg = isWhole ? findLeg(process.env, group, [named.name]) : undefined;
  const upload = await uploadPaths(commandLine, paths, leg);
  const reportProblem = problem ?? (await findForeignReport(observation, paths));
  const { imports } = upload.result;
  const evidence = {
    end,
    command: commandLine.operands,
    exitCodes,
    reportProblem,
    uploadProblem: upload.problem,
    imports,
  };
  return finish(commandLine, { ...upload, leg, end, verdict: decideExitCode(evidence) });
}

interface Observation {
  readonly reports: CommandReports;
  readonly running: RunningCommands;
}

/** Returns the problem if nobody can tell afterwards which reports are those of the command. Its tests run anyway. */
async function observe(patterns: readonly string[]): Promise<Observation | string> {
  try {
    return { reports: await CommandReports.observe(patterns), running: RunningCommands.join(patterns) };
  } catch (error) {
    return explainUnreadable(error);
  }
}

const explainUnreadable = (error: unknown): string => `The reports cannot be found out: ${getErrorMessage(error)}`;

async function listReports(observation: Observation | string): Promise<WrittenReports> {
  if (typeof observation === 'string') return { paths: [], problem: observation };
  try {
    return await observation.reports.list();
  } catch (error) {
    return { paths: [], problem: explainUnreadable(error) };
  }
}

/** To be called after the upload, during which another command may still have written. */
async function findForeignReport(
  observation: Observation | string,
  paths: readonly string[],
): Promise<string | undefined> {
  if (typeof observation === 'string') return observation;
  const { reports, running } = observation;
  try {
    const sharedReport = await running.findSharedReport(paths);
    if (sharedReport !== undefined)
      return `Another \`rundown run\` at the same time may have written ${makeVisibleLine(sharedReport)}. Give each its own report`;
    return (await reports.areUnchanged()) ? undefined : 'A report was changed after the command had ended';
  } catch (error) {
    return explainUnreadable(error);
  } finally {
    running.leave();
  }
}

interface Upload {
  readonly result: CommandImports;
  /** Why not all reports were recorded. */
  readonly problem: string | undefined;
}

/** `leg`: of the command, if a later try may trust that its reports have all its results. */
async function uploadPaths(
  commandLine: CommandLine,
  paths: readonly string[],
  leg: string | undefined,
): Promise<Upload> {
  try {
    const service = makeService(commandLine);
    if (paths.length === 0) return { result: NO_IMPORTS, problem: undefined };
    const result = await uploadReports(commandLine, service, paths, { quarantine: 'true', status: undefined, leg });
    return { result, problem: result.refused[0]?.message };
  } catch (error) {
    return { result: NO_IMPORTS, problem: `The reports could not be uploaded: ${getErrorMessage(error)}` };
  }
}

interface Outcome extends Upload {
  readonly leg: string | undefined;
  readonly end: ProgramEnd;
  readonly verdict: ReturnType<typeof decideExitCode>;
}

/** Prints on the error stream, because the output is that of the command. Returns the exit code. */
async function finish(commandLine: CommandLine, { end, leg, result, problem, verdict }: Outcome): Promise<number> {
  if (result.imports.length > 0) process.stderr.write(`${formatTerminalSummary(result)}\n`);
  if (end.code === 0) {
    if (problem !== undefined) tell(problem);
    return problem !== undefined && commandLine.has('strict') ? 1 : 0;
  }
  const { exitCode, objection } = verdict;
  if (objection === undefined) {
    const { failures } = sumFailures(result.imports);
    tell(
      `The command ended with ${end.code}, and each of its failures is quarantined (${failures}), so the exit code is 0`,
    );
    return exitCode;
  }
  tell(`The exit code stays ${exitCode}. ${objection}`);
  const isTrusted = leg !== undefined && verdict.hasOtherReason;
  if (isTrusted || !hasOtherFailure(result)) await noteFailedJob(commandLine, result);
  return exitCode;
}

const tell = (text: string): void => {
  process.stderr.write(`Rundown  ${makeVisibleLine(text)}\n`);
};

function hasOtherFailure({ imports }: CommandImports): boolean {
  const { failures, quarantined } = sumFailures(imports);
  return failures > quarantined;
}

/**
 * Without an unquarantined failure in its reports, the run would pass although the job failed. With one, a later try would
 * repeat only what the reports name.
 */
async function noteFailedJob(commandLine: CommandLine, { imports }: CommandImports): Promise<void> {
  const [first] = imports;
  if (!first?.ciBuildId) return;
  try {
    await failJob(commandLine, makeService(commandLine), first.ciBuildId);
  } catch (error) {
    tell(`The run may show a result other than that of this command: ${getErrorMessage(error)}`);
  }
}
