/** Generates the usage texts from the declarations of the commands. */
import * as z from 'zod';
import type { Command } from './command.ts';

/** Explains all commands. */
export const usageOf = (commands: readonly Command[]): string =>
  [
    'Usage: npm run admin -- <noun> <verb> [options]',
    '',
    ...commands.flatMap((command) => wrapped(synopsisOf(command), '  ')),
    '',
    'Run a command with --help to see its options. All commands accept:',
    ...explained(COMMON),
  ].join('\n');

/** Explains one command and its options. */
export function helpOf(command: Command): string {
  const own = Object.entries(command.options).map(([name, schema]) => {
    const { title = '', description = '' } = metaOf(schema);
    return [`--${name} ${title}`.trim(), isOptional(schema) ? `${description} (optional)` : description] as const;
  });
  return [
    ...wrapped(['Usage: npm run admin --', ...synopsisOf(command)], ''),
    '',
    `${capitalized(command.does)}.`,
    '',
    ...explained([...own, ...COMMON]),
  ].join('\n');
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Explained = readonly (readonly [string, string])[];

const COMMON: Explained = [
  ['--as <address>', 'act as the account with this e-mail address instead of as the operator (optional)'],
  ['--table <name>', 'table of a deployed environment (stack output TableName); uses the credentials and region'],
  ['', 'of the AWS CLI. Default: the local service of npm start. If several run, set'],
  ['', 'RUNDOWN_DATA=<data folder>, as for npm start (optional)'],
  ['--json', 'print one JSON document (optional)'],
];

function explained(options: Explained): string[] {
  const width = Math.max(...options.map(([name]) => name.length));
  return options.map(([name, means]) => `  ${name.padEnd(width)}  ${means}`);
}

const synopsisOf = ({ name, options }: Command): string[] => [
  name,
  ...Object.entries(options).map(([option, schema]) => {
    const text = `--${option} ${metaOf(schema).title ?? ''}`.trim();
    return isOptional(schema) ? `[${text}]` : text;
  }),
];

const LINE_CHARACTERS = 118;

/** Joins words to lines, and indents all lines after the first. */
function wrapped(parts: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(`${indent}${part}`);
    else if (last.length + part.length < LINE_CHARACTERS) lines.splice(-1, 1, `${last} ${part}`);
    else lines.push(`${indent}    ${part}`);
  }
  return lines;
}

const metaOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema) ?? {};
const isOptional = (schema: z.core.$ZodType): boolean => z.safeParse(schema, undefined).success;
