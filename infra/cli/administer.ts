/** Implements `npm run admin` as a function, which takes the words of the command line as its argument. */

import { parseArgs } from 'node:util';
import * as z from 'zod';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { NotConfirmed } from './confirm.ts';
import { isFlag } from './options.ts';
import { requireAccount } from './rows.ts';
import { show } from './screen.ts';
import { NoStore, openStore } from './store.ts';
import { FLAG, isUsage, printError, printLine, TEXT, type Terminal } from './terminal/terminal.ts';
import { Refused, UsageError } from './terminal/usage-error.ts';

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
    const { as, table, json } = values;
    if (table !== undefined) next = DEPLOYED;
    const help = values.help === true || positionals[0] === 'help';
    const nouns = positionals[0] === 'help' ? positionals.slice(1) : positionals;
    const name = nouns.join(' ');
    const namedCommand = COMMANDS.find((command) => command.name === name);
    const relatedCommands = COMMANDS.filter((command) => command.name.startsWith(`${nouns[0]} `));
    if (namedCommand) usage = formatHelp(namedCommand);
    else if (relatedCommands.length > 0) usage = formatUsage(relatedCommands);
    if (help) {
      printLine(usage, terminal);
      return 0;
    }
    if (!namedCommand) throw new UsageError(name === '' ? 'Missing command' : `Unknown command "${name}"`);
    const commandOptions = Object.entries(values).filter(([option]) => !(option in COMMON_OPTIONS));
    const runCommand = namedCommand.prepare(Object.fromEntries(commandOptions));
    const store = await openStore(table);
    const actor = as === undefined ? OPERATOR : makePerson(await requireAccount(store.services, as));
    const result = await runCommand({ ...store, actor, terminal, json: json ?? false });
    const isReport = 'lines' in result;
    if (json) printLine(JSON.stringify(isReport ? result.document : result), terminal);
    else if (isReport) for (const line of result.lines) printLine(line, terminal);
    else show(result, namedCommand.advice(result), terminal);
    return isReport ? (result.exitCode ?? 0) : 0;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const isRefused = error instanceof ApiError || error instanceof Refused;
    if (isUsage(error)) printError(`${problem}\n\n${usage}`, terminal);
    else if (error instanceof ApiError) printError(explainRefusal(error), terminal);
    else if (isRefused || error instanceof NoStore || error instanceof NotConfirmed) printError(problem, terminal);
    else printError(explainFileError(error) ?? `The command failed: ${problem}. ${next}`, terminal);
    return isUsage(error) || isRefused ? 2 : 1;
  }
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

export const formatUsage = (commands: readonly Command[]): string =>
  [
    'Usage: npm run admin -- <noun> <verb> [options]',
    '',
    ...commands.flatMap((command) => wrapWords(formatSynopsis(command), '  ')),
    '',
    'Run a command with --help to see its options. All commands accept:',
    ...formatOptions(COMMON),
  ].join('\n');

export function formatHelp(command: Command): string {
  const commandOptions = Object.entries(command.options).map(([name, schema]) => {
    const { title = '', description = '' } = getMeta(schema);
    return [`--${name} ${title}`.trim(), isOptional(schema) ? `${description} (optional)` : description] as const;
  });
  return [
    ...wrapWords(['Usage: npm run admin --', ...formatSynopsis(command)], ''),
    '',
    `${command.does.charAt(0).toUpperCase()}${command.does.slice(1)}.`,
    '',
    ...formatOptions([...commandOptions, ...COMMON]),
  ].join('\n');
}

type ExplainedOptions = readonly (readonly [string, string])[];

const COMMON: ExplainedOptions = [
  ['--as <address>', 'act as the account with this email address instead of as the operator (optional)'],
  ['--table <name>', 'table of a deployed environment (stack output TableName); uses the credentials and region'],
  ['', 'of the AWS CLI. Default: the local service of npm start. If several run, set'],
  ['', 'RUNDOWN_DATA=<data folder>, as for npm start (optional)'],
  ['--json', 'print one JSON document (optional)'],
];

function formatOptions(options: ExplainedOptions): string[] {
  const width = Math.max(...options.map(([name]) => name.length));
  return options.map(([name, means]) => `  ${name.padEnd(width)}  ${means}`);
}

const formatSynopsis = ({ name, options }: Command): string[] => [
  name,
  ...Object.entries(options).map(([option, schema]) => {
    const text = `--${option} ${getMeta(schema).title ?? ''}`.trim();
    return isOptional(schema) ? `[${text}]` : text;
  }),
];

const LINE_CHARACTERS = 118;

function wrapWords(parts: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(`${indent}${part}`);
    else if (last.length + part.length < LINE_CHARACTERS) lines.splice(-1, 1, `${last} ${part}`);
    else lines.push(`${indent}    ${part}`);
  }
  return lines;
}

const getMeta = (schema: z.core.$ZodType) => z.globalRegistry.get(schema) ?? {};
const isOptional = (schema: z.core.$ZodType): boolean => z.safeParse(schema, undefined).success;
