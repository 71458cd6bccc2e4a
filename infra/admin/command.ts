/** What a command is. Its declaration says everything: usage text, parsing and refusals follow from it. */
import * as z from 'zod';
import type { Actor } from '#shared/organizations/actor.ts';
import type { Administration } from '#shared/services.ts';
import { UsageError } from './usage.ts';

export type Row = Readonly<Record<string, string>>;

export interface Context {
  readonly services: Administration;
  readonly actor: Actor;
}

interface Declaration<Options extends z.ZodRawShape> {
  /** Noun and verb. */
  readonly name: string;
  /** In words that go on after "to". */
  readonly does: string;
  readonly options: Options;
  readonly run: (context: Context, given: z.infer<z.ZodObject<Options>>) => Promise<readonly Row[]>;
  /** What a person should know of the rows, if anything. */
  readonly advice?: (rows: readonly Row[]) => string | undefined;
}

export interface Command extends Pick<Declaration<z.ZodRawShape>, 'name' | 'does' | 'options'> {
  readonly advice: (rows: readonly Row[]) => string | undefined;
  /** Refuses what is missing or wrong before anything is asked of the table. */
  readonly prepare: (given: Readonly<Record<string, unknown>>) => (context: Context) => Promise<readonly Row[]>;
}

export function command<const Options extends z.ZodRawShape>(declaration: Declaration<Options>): Command {
  const { name, does, options, run, advice = () => undefined } = declaration;
  const schema = z.strictObject(options);
  return {
    name,
    does,
    options,
    advice,
    prepare: (given) => {
      const { data, error } = schema.safeParse(given, { error: problemOf });
      if (error) throw new UsageError(error.issues.map((issue) => problemIn(issue, name)).join('. '));
      return (context) => run(context, data);
    },
  };
}

function problemIn(issue: z.core.$ZodIssue, name: string): string {
  if (issue.code === 'unrecognized_keys') return `"${name}" takes no ${issue.keys.map((key) => `--${key}`).join(', ')}`;
  return `--${issue.path.join('.')} ${issue.message}`;
}

function problemOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined || issue.input === '' || issue.code === 'too_small') return 'is missing';
  return issue.code === 'invalid_value' ? `takes ${ALTERNATIVES.format(issue.values.map(String))}` : undefined;
}

const ALTERNATIVES = new Intl.ListFormat('en', { type: 'disjunction' });
