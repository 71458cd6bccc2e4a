/** The usage text of `npm run admin`, and the help of each command. */
import * as z from 'zod';
import type { Command } from './command.ts';

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
