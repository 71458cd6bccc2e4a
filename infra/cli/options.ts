/** Options of commands: their value and their description. */
import * as z from 'zod';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { splitTags } from '#shared/organizations/name-inputs.ts';

const option = <Schema extends z.ZodType>(schema: Schema, takes: string, means: string) =>
  schema.meta({ title: takes, description: means });

export const textOption = (takes: string, means: string) => option(z.string().trim().min(1), takes, means);

/** The value is a list with commas between its entries. */
export const labelsOption = (takes: string, means: string) =>
  option(z.string().trim().min(1).transform(splitTags), takes, means);

export const choiceOption = <const Value extends string>(values: readonly Value[], means: string) =>
  option(z.enum(values), values.join('|'), means);

export const booleanOption = (means: string) =>
  option(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'true|false',
    means,
  );

export const flagOption = (means: string) => option(z.boolean().default(false), '', means);

export const isFlag = (schema: z.core.$ZodType): boolean => z.globalRegistry.get(schema)?.title === '';

const number = z.string().regex(/^\d+$/, 'must be a number').transform(Number);

export const numberOption = (means: string) => option(number, '<number>', means);

/** An option whose value is a number, or `default` for the value of the environment. */
export const limitOption = (means: string) =>
  option(
    z.union([z.literal('default'), number], { error: 'must be a number, or the word default' }),
    '<number>|default',
    means,
  );

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600 };

/** The value is converted to seconds. */
export const durationOption = (means: string) =>
  option(
    z
      .string()
      .regex(/^\d+[smh]?$/, 'must be a number of seconds, or a duration such as 30m or 12h')
      .transform((text) => Number.parseInt(text, 10) * (SECONDS[text.slice(-1)] ?? 1)),
    '<time>',
    means,
  );

export const dayOption = (means: string) => option(z.iso.date('must be a day such as 2026-11-27'), '<day>', means);

/** The value `forever` becomes `null`. */
export const retentionOption = (means: string) =>
  option(
    z.union([z.literal('default'), z.literal('forever').transform(() => null), number], {
      error: 'must be a number of days, forever or default',
    }),
    '<days>|forever|default',
    means,
  );

export const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().meta({ ...schema.meta() });

export const organization = textOption('<id>', 'id from "organizations list"');
export const project = textOption('<id>', 'id from "projects list"');
export const email = (means: string) => textOption('<address>', means);
export const role = choiceOption(ROLES, 'role in the organization');
