/** Implements `npm run admin` as a function, which takes the words of the command line as its argument. */

import { parseArgs } from 'node:util';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { requireAccount } from './account-lookup.ts';
import { COMMANDS } from './commands.ts';
import { NotConfirmed } from './confirm.ts';
import { isFlag } from './options.ts';
import { show } from './screen.ts';
import { NoStore, openStore } from './store.ts';
import { FLAG, isUsage, printError, printLine, TEXT, type Terminal } from './terminal/terminal.ts';
import { Refused, UsageError } from './terminal/usage-error.ts';
import { formatHelp, formatUsage } from './usage.ts';

const COMMON_OPTIONS = {
  as: TEXT,
  table: TEXT,
  json: FLAG,
  help: FLAG,
};

/** The options of all commands, for `parseArgs`. Each command then rejects the options that it does not support. */
const OPTIONS = {
  ...Object.fromEntries(
    COMMANDS.flatMap(({ options }) => Object.entries(options)).map(([name, schema]) => [
      name,
      { type: isFlag(schema) ? 'boolean' : 'string' } as const,
    ]),
  ),
  ...COMMON_OPTIONS,
};

const DEPLOYED = 'Check --table, the AWS credentials and the region';
const LOCAL = 'Check the output of "npm start", and restart the service if needed';

/** Returns the exit code. */
export async function runAdmin(words: readonly string[], terminal: Terminal): Promise<number> {
  let usage = formatUsage(COMMANDS);
  let next = LOCAL;
  try {
    const { positionals, values } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
    const { as, table, json = false } = values;
    if (table !== undefined) next = DEPLOYED;
    const isHelp = values.help === true || positionals[0] === 'help';
    const nameWords = positionals[0] === 'help' ? positionals.slice(1) : positionals;
    const name = nameWords.join(' ');
    const command = COMMANDS.find((one) => one.name === name);
    usage = command ? formatHelp(command) : formatUsageOfNoun(nameWords[0]);
    if (isHelp) {
      printLine(usage, terminal);
      return 0;
    }
    if (!command) throw new UsageError(name === '' ? 'Missing command' : `Unknown command "${name}"`);
    const commandOptions = Object.entries(values).filter(([option]) => !(option in COMMON_OPTIONS));
    const runCommand = command.prepare(Object.fromEntries(commandOptions));
    const store = await openStore(table);
    const actor = as === undefined ? OPERATOR : makePerson(await requireAccount(store.services, as));
    const result = await runCommand({ ...store, actor, terminal, json });
    if ('lines' in result) {
      for (const line of json ? [JSON.stringify(result.document)] : result.lines) printLine(line, terminal);
      return result.exitCode ?? 0;
    }
    if (json) printLine(JSON.stringify(result), terminal);
    else show(result, command.advice(result), terminal);
    return 0;
  } catch (error) {
    printError(explainError(error, usage, next), terminal);
    const isRefused = error instanceof ApiError || error instanceof Refused;
    return isUsage(error) || isRefused ? 2 : 1;
  }
}

/** The commands of a noun, or all commands if there are none. */
function formatUsageOfNoun(noun: string | undefined): string {
  const commands = COMMANDS.filter((command) => command.name.startsWith(`${noun} `));
  return formatUsage(commands.length > 0 ? commands : COMMANDS);
}

/** `next` says what to check after an error that the commands do not explain themselves. */
function explainError(error: unknown, usage: string, next: string): string {
  const problem = error instanceof Error ? error.message : String(error);
  if (isUsage(error)) return `${problem}\n\n${usage}`;
  if (error instanceof ApiError) return explainRefusal(error);
  if (error instanceof Refused || error instanceof NoStore || error instanceof NotConfirmed) return problem;
  return explainFileError(error) ?? `The command failed: ${problem}. ${next}`;
}

function explainFileError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error && 'syscall' in error)) return undefined;
  const { code, path, syscall } = error;
  const reason = syscall === 'open' ? FILE_PROBLEMS.get(String(code)) : undefined;
  return reason === undefined ? undefined : `The file ${String(path)} ${reason}`;
}

const FILE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist. Check its name, which is relative to the working folder'],
  ['EACCES', 'cannot be opened, because its permissions do not allow it'],
]);

function explainRefusal({ message, details: { missing } }: ApiError): string {
  const noun = NOUNS.get(missing ?? '');
  return noun === undefined ? message : `${message}. Run "${noun} list" to see the existing ones`;
}

/** For each kind of thing that a command may not find, the noun of the command that lists the existing ones. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['API key', 'keys'],
  ['Application', 'grants'],
  ['Invitation', 'invitations'],
  ['Membership', 'members'],
  ['Notification', 'notifications'],
  ['Organization', 'organizations'],
  ['Project', 'projects'],
  ['Token', 'tokens'],
]);
