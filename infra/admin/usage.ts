/** Mistakes at the command line, and the text that explains the commands, made of their declarations. */
import * as z from 'zod';
import type { Command } from './command.ts';

/** In words for the person who made it. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Of all commands. */
export const usageOf = (commands: readonly Command[]): string =>
  [
    'Usage: npm run admin -- <noun> <verb> [options]',
    '',
    ...commands.flatMap((command) => wrapped(synopsisOf(command), '  ')),
    '',
    'With --help a command explains its options. Every command takes',
    ...explained(COMMON),
  ].join('\n');

/** Of one, with the meaning of its options. */
export function helpOf(command: Command): string {
  const own = Object.entries(command.options).map(([name, schema]) => {
    const { title = '', description = '' } = metaOf(schema);
    return [`--${name} ${title}`, isOptional(schema) ? `${description} (optional)` : description] as const;
  });
  return [
    ...wrapped(['Usage: npm run admin --', ...synopsisOf(command)], ''),
    '',
    `To ${command.does}.`,
    '',
    ...explained([...own, ...COMMON]),
  ].join('\n');
}

type Explained = readonly (readonly [string, string])[];

const COMMON: Explained = [
  ['--as <address>', 'acts as the account with this e-mail address, instead of as the operator (optional)'],
  ['--table <name>', 'the table of a deployed environment (output TableName), with the credentials and region'],
  ['', 'of the AWS CLI; without it, the service that npm start runs (optional)'],
  ['--json', 'one JSON document for scripts (optional)'],
];

function explained(options: Explained): string[] {
  const width = Math.max(...options.map(([name]) => name.length));
  return options.map(([name, means]) => `  ${name.padEnd(width)}  ${means}`);
}

const synopsisOf = ({ name, options }: Command): string[] => [
  name,
  ...Object.entries(options).map(([option, schema]) => {
    const text = `--${option} ${metaOf(schema).title ?? ''}`;
    return isOptional(schema) ? `[${text}]` : text;
  }),
];

const LINE_CHARACTERS = 118;

/** Lines after the first are indented below it. */
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
