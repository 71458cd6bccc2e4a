/**
 * Decides whether the exit code of a command becomes 0: only if the reports have all failures, and each of them is
 * quarantined. Whatever is in doubt, the code stays.
 */
import type { ReceivedImport } from './answers.ts';
import { findMissingOption, findStoppingOption, saysFailedTests } from './exit-codes.ts';
import type { ProgramEnd } from './start-program.ts';

interface Evidence {
  readonly end: ProgramEnd;
  readonly command: readonly string[];
  /** The exit codes that say "tests failed". Empty: those of the tools that wrote the reports. */
  readonly exitCodes: readonly number[];
  /** Why the reports may not be those of the command. */
  readonly reportProblem: string | undefined;
  /** Why the service did not get or not accept all reports. */
  readonly uploadProblem: string | undefined;
  readonly imports: readonly ReceivedImport[];
}

interface Verdict {
  readonly exitCode: number;
  /** Why the exit code of a failed command stays. `undefined` if each failure is quarantined. */
  readonly objection: string | undefined;
  /** Whether the command failed for a reason other than the failed tests of its reports, or may have. */
  readonly hasOtherReason: boolean;
}

/**
 * Whether the reports may have all results of the command, as far as this is known before they are sent. Only then a later
 * try may repeat what failed, and nothing else.
 */
export function mayBeWhole({
  end,
  command,
  exitCodes,
  reportProblem,
}: Omit<Evidence, 'uploadProblem' | 'imports'>): boolean {
  const codes = [0, ...(exitCodes.length > 0 ? exitCodes : USUAL_CODES)];
  const isStopped = findStoppingOption(splitWords(command)) !== undefined;
  return !end.signal && reportProblem === undefined && codes.includes(end.code) && !isStopped;
}

/** Tools with other codes need `--exit-code`. */
const USUAL_CODES = [1];

const splitWords = (command: readonly string[]): string[] => command.flatMap((part) => part.split(/\s+/));

export function decideExitCode(evidence: Evidence): Verdict {
  const { code } = evidence.end;
  if (code === 0) return { exitCode: 0, objection: undefined, hasOtherReason: false };
  const otherReason = findOtherReason(evidence);
  const objection = otherReason ?? findFailure(evidence.imports);
  return { exitCode: objection === undefined ? 0 : code, objection, hasOtherReason: otherReason !== undefined };
}

function findOtherReason(evidence: Evidence): string | undefined {
  const { end, reportProblem, uploadProblem, imports } = evidence;
  if (end.signal) return `It was interrupted by ${end.signal}`;
  if (reportProblem !== undefined) return reportProblem;
  if (uploadProblem !== undefined) return uploadProblem;
  return findDoubt(imports) ?? findStop(evidence) ?? findUnknownFailure(evidence);
}

const listFiles = (imports: readonly ReceivedImport[]) => imports.flatMap(({ files }) => files);

/** Why the reports may not have all failures. */
function findDoubt(imports: readonly ReceivedImport[]): string | undefined {
  if (imports.length === 0) return 'There is no report';
  for (const { state, files, quarantine } of imports) {
    if (state !== 'recorded') return 'A report is not recorded';
    if (!quarantine) return 'The service applies no quarantines to reports. Its operator has to update it';
    const [problem] = quarantine.problems;
    if (problem !== undefined) return problem;
    for (const { name, truncated, runErrors, tests } of files) {
      if (truncated) return `The report ${name} is cut`;
      if (runErrors.length > 0) return `The report ${name} has errors outside tests`;
      if (tests.overall === 0) return `The report ${name} has no tests`;
    }
    if (files.length === 0) return 'A report has no tests';
  }
  return undefined;
}

/** Why tests may not have run. */
function findStop({ command, imports }: Evidence): string | undefined {
  const words = splitWords(command);
  const stop = findStoppingOption(words);
  if (stop !== undefined) return `With ${stop}, tests after the first failures do not run`;
  for (const file of listFiles(imports)) {
    const option = findMissingOption(getToolName(file), words);
    if (option !== undefined)
      return `Without ${option}, tests after the first failures may not run. Add it to the command`;
  }
  return undefined;
}

const getToolName = ({ dialect, format }: ReceivedImport['files'][number]): string => dialect ?? format;

function findUnknownFailure({ end, exitCodes, imports }: Evidence): string | undefined {
  const sums = sumFailures(imports);
  const isOfTests =
    exitCodes.length > 0
      ? exitCodes.includes(end.code)
      : listFiles(imports).every((file) => saysFailedTests(getToolName(file), end.code, sums.failures));
  if (!isOfTests) return `The exit code ${end.code} does not say that tests failed. If it does, name it by --exit-code`;
  return sums.failures === 0 ? 'The reports have no failed test, so the command failed for another reason' : undefined;
}

function findFailure(imports: readonly ReceivedImport[]): string | undefined {
  const sums = sumFailures(imports);
  if (sums.quarantined === sums.failures) return undefined;
  const [name = 'a test'] = imports.flatMap(({ quarantine }) => quarantine?.others ?? []);
  const others = sums.failures - sums.quarantined;
  return `Not quarantined: ${others} of ${sums.failures} failures, such as ${name}`;
}

export function sumFailures(imports: readonly ReceivedImport[]): { failures: number; quarantined: number } {
  const sums = { failures: 0, quarantined: 0 };
  for (const { quarantine } of imports) {
    sums.failures += quarantine?.failures ?? 0;
    sums.quarantined += quarantine?.quarantined ?? 0;
  }
  return sums;
}
