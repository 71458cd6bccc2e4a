/**
 * `rundown last-failed`: tells runners what to run again in a later try of a build, or starts them with it. Without a
 * reason to leave tests out, it prints nothing, and a runner without arguments runs everything.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import { findStoppingOption } from './exit-codes.ts';
import type { CommandLine } from './options.ts';
import {
  askWhatToRepeat,
  formatRepetition,
  type Repetition,
  repeatEverything,
  type TestToRepeat,
} from './reporters/last-failed.ts';
import { readReporterSettings, type Settings } from './reporters/settings.ts';
import { getErrorMessage, UsageFailure } from './settings/failure.ts';
import { findCommand, findLeg, nameCommand } from './settings/leg.ts';
import { startProgram } from './start-program.ts';

type Format = (tests: readonly TestToRepeat[], root: string) => readonly string[];

const listSpecs = (tests: readonly TestToRepeat[]): string[] => [...new Set(tests.map(({ spec }) => spec))];

/**
 * Whole files for Vitest and Jest: a file that could not be loaded, and a failed hook, have names that no test has, so a
 * filter by name would leave out all tests of the file.
 */
const FORMATS: Readonly<Record<string, Format>> = {
  pytest: (tests) =>
    tests.map(({ spec, title }) => (title[0] === BROKEN_FILE.pytest ? spec : [spec, ...title].join('::'))),
  vitest: listSpecs,
  jest: (tests, root) => ['--runTestsByPath', ...listSpecs(tests).map((spec) => resolve(root, spec))],
  files: listSpecs,
};

/** Of Vitest, Jest, pytest-shard, pytest-split and pytest-test-groups. */
const DIVIDING_OPTION = /^--(?:shard|shard-id|num-shards|splits|test-group)(?:=|$)/;

/** More would not fit into the command lines of some systems. */
const LONGEST_ARGUMENTS = 30_000;

export async function repeatLastFailed(commandLine: CommandLine): Promise<number> {
  const name = commandLine.text('format') ?? '';
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) throw new UsageFailure('The format is missing', `Add --format ${Object.keys(FORMATS).join(', ')}`);
  const command = nameOwn(commandLine);
  const { repetition, args } = await findArguments(commandLine, { format, name, command: command.name });
  process.stderr.write(`Rundown  ${makeVisibleLine(formatRepetition(repetition))}\n`);
  const [program, ...programArgs] = commandLine.operands;
  if (program === undefined) {
    process.stdout.write(args.map((arg) => `${arg}\n`).join(''));
    return 0;
  }
  if (repetition.repeat === 'nothing') return 0;
  const { code } = await startProgram(program, [...programArgs, ...args], command.variables);
  return code;
}

/**
 * The names of the command: those that `rundown run` gave it, which sends its reports, or own ones for a reporter of ours in
 * the runner.
 */
function nameOwn({ operands, text }: CommandLine) {
  const group = text('group');
  const name = findCommand(process.env);
  return name === undefined ? nameCommand(process.env, operands, group) : { name, variables: {} };
}

async function findArguments(
  commandLine: CommandLine,
  { format, name, command }: { readonly format: Format; readonly name: string; readonly command: string },
): Promise<{ readonly repetition: Repetition; readonly args: readonly string[] }> {
  const settings = readSettings(commandLine);
  // The build of a fork has no secrets, so its tests run as usual.
  if (typeof settings === 'string') return { repetition: repeatEverything(settings), args: [] };
  const again = Number(commandLine.text('try') ?? settings.try);
  const group = commandLine.text('group') ?? settings.group;
  const asker = { ...settings, group, try: Number.isInteger(again) && again > 0 ? again : undefined };
  const leg = findLeg(process.env, group, [command]);
  const answer = await askWhatToRepeat(asker, { leg });
  const repetition = keepDivision(keepRunnable(answer, format, settings.root, name), commandLine.operands);
  return { repetition, args: repetition.repeat === 'tests' ? format(repetition.tests, settings.root) : [] };
}

/** Returns the reason if nobody can be asked. */
function readSettings(commandLine: CommandLine): Settings | string {
  const [url, project, key, ciBuildId] = ['url', 'project', 'key', 'ci-build-id'].map(commandLine.text);
  try {
    return readReporterSettings({ url, project, key, ciBuildId }) ?? 'The address, the project or the key is missing';
  } catch (error) {
    return getErrorMessage(error);
  }
}

/**
 * A runner that divides what it is told would leave a part of it to shards that do not run again. All tests of this shard
 * are those of the try before.
 */
function keepDivision(repetition: Repetition, command: readonly string[]): Repetition {
  const option = command.flatMap((part) => part.split(/\s+/)).find((word) => DIVIDING_OPTION.test(word));
  if (repetition.repeat === 'everything') return repetition;
  const stop = findStoppingOption(command.flatMap((part) => part.split(/\s+/)));
  if (stop !== undefined)
    return repeatEverything(`With ${stop}, tests after the first failures did not run in the try before this one`);
  if (option === undefined) return repetition;
  return repeatEverything(`The command divides its tests by ${option}, so it cannot be told which of them failed`);
}

/** What the runner cannot be told, or does not find, it would leave out. */
function keepRunnable(repetition: Repetition, format: Format, root: string, name: string): Repetition {
  if (repetition.repeat !== 'tests') return repetition;
  const isNamed = ({ spec, title }: TestToRepeat) =>
    spec !== '' && title.length > 0 && !spec.startsWith('-') && (name !== 'pytest' || spec.endsWith('.py'));
  if (!repetition.tests.every(isNamed)) return repeatEverything(`Not every failed test has a name that ${name} knows`);
  // Jest gets whole paths. The others look for relative ones in the folder in which they start.
  const folder = name === 'jest' ? root : process.cwd();
  const missingSpec = listSpecs(repetition.tests).find((spec) => !existsSync(resolve(folder, spec)));
  if (missingSpec !== undefined)
    return repeatEverything(`${missingSpec}, which failed in the try before this one, is not in ${folder}`);
  const length = format(repetition.tests, root).join(' ').length;
  return length > LONGEST_ARGUMENTS ? repeatEverything('Too many tests failed in the try before this one') : repetition;
}
