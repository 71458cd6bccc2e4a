/** Query strings: bracket arrays, the un-bracketed repetitions clients send, deprecated spellings, and text turned into declared types. */
import * as z from 'zod';
import { invalidRequest } from '../errors.ts';

/** Deprecated spellings of an array parameter, without brackets. */
export const aliases = z.registry<{ readonly deprecated: readonly string[] }>();

export type QuerySchema = z.ZodObject<Record<string, z.ZodType>>;
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>;

/** What a parameter holds once optional, default and checks are taken off. */
export function kindOf(schema: unknown): 'array' | 'boolean' | 'number' | 'text' {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return kindOf(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return kindOf(schema.in);
  if (schema instanceof z.ZodArray) return 'array';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodNumber) return 'number';
  return 'text';
}

export const deprecatedSpellings = (schema: z.ZodType): readonly string[] => aliases.get(schema)?.deprecated ?? [];

/** The values by declared name, and the deprecated spellings that were used. Undeclared parameters are ignored. */
export function readQuery(schema: QuerySchema, sent: MultiValues): { values: unknown; deprecated: string[] } {
  const values: Record<string, unknown> = {};
  const deprecated: string[] = [];
  for (const [name, parameter] of Object.entries(schema.shape)) {
    const old = deprecatedSpellings(parameter).filter((spelling) => given(sent, spelling).length > 0);
    deprecated.push(...old);
    const texts = [name, ...old].flatMap((spelling) => given(sent, spelling));
    const kind = kindOf(parameter);
    if (texts.length > 0) values[name] = kind === 'array' ? texts : single(name, texts, kind);
  }
  return { values, deprecated };
}

/** `tags[]=a`, as some clients write it `tags[0]=a`, and without brackets. */
const given = (sent: MultiValues, name: string): readonly string[] =>
  Object.entries(sent).flatMap(([key, texts]) => (key.replace(INDEX, '') === name ? (texts ?? []) : []));

const INDEX = /\[\d{0,4}\]$/;

function single(name: string, texts: readonly string[], kind: 'boolean' | 'number' | 'text'): unknown {
  const [text = ''] = texts;
  if (texts.some((other) => other !== text))
    throw invalidRequest(`\`${name}\` is given more than once. Send one value`);
  if (kind === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
