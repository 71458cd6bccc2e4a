/** Declares a command. The usage text, the parsing of options and the error messages follow from it. */
import * as z from 'zod';
import type { Actor } from '#shared/access/actor.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Store } from './store.ts';
import type { Terminal } from './terminal/terminal.ts';
import { UsageError } from './terminal/usage-error.ts';

export type CommandRow = Readonly<Record<string, string | number | boolean>>;
/** A row with its values as text, as people and scripts read it. */
export type ShownRow = Readonly<Record<string, string>>;

/** The result of a command, if it is not a table. */
export interface Report {
  /** What --json prints. */
  readonly document: unknown;
  readonly lines: readonly string[];
  /** 0 by default. */
  readonly exitCode?: number;
}

export interface CommandContext extends Pick<Store, 'environment' | 'isDeployed'> {
  readonly services: CoreServices;
  readonly actor: Actor;
  /** Progress goes to its standard error, because a script may read standard output. */
  readonly terminal: Terminal;
  /** Whether the command prints one JSON document, so that nothing else may go to standard output. */
  readonly json: boolean;
}

interface Declaration<Options extends z.ZodRawShape> {
  /** A noun and a verb, such as `keys create`. */
  readonly name: string;
  /** An imperative sentence that starts with a lowercase letter and does not end with a period. */
  readonly does: string;
  readonly options: Options;
  readonly run: (
    context: CommandContext,
    given: z.infer<z.ZodObject<Options>>,
  ) => Promise<readonly CommandRow[] | Report>;
  readonly advice?: (rows: readonly ShownRow[]) => string | undefined;
}

export interface Command extends Pick<Declaration<z.ZodRawShape>, 'name' | 'does' | 'options'> {
  readonly advice: (rows: readonly ShownRow[]) => string | undefined;
  /** Validates the options before the table is read. */
  readonly prepare: (
    given: Readonly<Record<string, unknown>>,
  ) => (context: CommandContext) => Promise<readonly ShownRow[] | Report>;
}

export function command<const Options extends z.ZodRawShape>(declaration: Declaration<Options>): Command {
  const { name, does, options, run, advice = () => undefined } = declaration;
  const schema = z.strictObject(options);
  return {
    name,
    does,
    options,
    advice,
    prepare: (values) => {
      const { data, error } = schema.safeParse(values, { error: describeIssue });
      if (error) throw new UsageError(error.issues.map((issue) => formatIssue(issue, name)).join('. '));
      return async (context) => {
        const result = await run(context, data);
        return 'lines' in result ? result : result.map(toShownRow);
      };
    },
  };
}

const toShownRow = (row: CommandRow): ShownRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));

const MISSING = 'is missing';

function formatIssue(issue: z.core.$ZodIssue, name: string): string {
  if (issue.code === 'unrecognized_keys')
    return `"${name}" does not take ${issue.keys.map((key) => `--${key}`).join(', ')}`;
  const option = `--${issue.path.join('.')}`;
  return issue.message === MISSING ? `Missing ${option}` : `${option} ${issue.message}`;
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined || issue.input === '' || issue.code === 'too_small') return MISSING;
  return issue.code === 'invalid_value' ? `must be ${ALTERNATIVES.format(issue.values.map(String))}` : undefined;
}

const ALTERNATIVES = new Intl.ListFormat('en', { type: 'disjunction' });
