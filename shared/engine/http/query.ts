/** Parses query strings. Supports arrays with brackets or repeated names, deprecated spellings, and declared types. */
import * as z from 'zod';
import { invalidRequest, joinedList, unknownParameter } from '#shared/engine/errors.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';

/** The deprecated spellings of a parameter, without the brackets of an array parameter. */
export const aliases = z.registry<{ readonly deprecated: readonly string[] }>();

export type QuerySchema = z.ZodObject<Record<string, z.ZodType>>;
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>;

/** Ignores optional, default and checks. */
export function getParameterKind(schema: unknown): 'array' | 'boolean' | 'number' | 'text' {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return getParameterKind(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return getParameterKind(schema.in);
  if (schema instanceof z.ZodArray) return 'array';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodNumber) return 'number';
  return 'text';
}

export const getDeprecatedSpellings = (schema: z.ZodType): readonly string[] => aliases.get(schema)?.deprecated ?? [];

/** Returns the names of the parameters to ignore, depending on which were sent. */
export type Ignores = (isSent: (name: string) => boolean) => readonly string[];

/** Returns the values by declared parameter name, and the deprecated spellings that were used. */
export function readQuery(
  schema: QuerySchema,
  sentValues: MultiValues,
  ignores: Ignores = () => [],
): { values: unknown; deprecated: string[] } {
  refuseUndeclared(schema, sentValues);
  const values: Record<string, unknown> = {};
  const usedSpellings: string[] = [];
  const ignoredNames = new Set(ignores((name) => listSentTexts(sentValues, name).length > 0));
  for (const [name, parameter] of Object.entries(schema.shape)) {
    if (ignoredNames.has(name)) continue;
    const oldSpellings = getDeprecatedSpellings(parameter).filter(
      (spelling) => listSentTexts(sentValues, spelling).length > 0,
    );
    usedSpellings.push(...oldSpellings);
    const kind = getParameterKind(parameter);
    const read = kind === 'array' ? listSentElements : listSentTexts;
    const texts = [name, ...oldSpellings]
      .flatMap((spelling) => read(sentValues, spelling))
      .map(replaceInvalidCharacters);
    if (texts.length > 0) values[name] = kind === 'array' ? texts : parseSingleValue(name, texts, kind);
  }
  return { values, deprecated: usedSpellings };
}

/**
 * Throws 400 for undeclared parameters, because an undeclared parameter may be the rest of a filter value: API Gateway
 * splits values at `;`, and no function sees the original query. Operations without query parameters have no filters,
 * so they accept any parameter.
 */
function refuseUndeclared({ shape }: QuerySchema, sentValues: MultiValues): void {
  const declaredNames = Object.entries(shape).flatMap(([name, parameter]) => [
    name,
    ...getDeprecatedSpellings(parameter),
  ]);
  if (declaredNames.length === 0) return;
  const unknown = Object.keys(sentValues).find((key) => !declaredNames.includes(key.replace(INDEX, '')));
  if (unknown !== undefined) throw unknownParameter(unknown, Object.keys(shape));
}

/**
 * Throws 400 for values of a list that are joined by commas. With brackets, a comma is part of the value. Links and
 * forms of pages send single values without brackets, so this is for the API only.
 */
export function refuseJoinedLists({ shape }: QuerySchema, sentValues: MultiValues): void {
  for (const [name, parameter] of Object.entries(shape)) {
    const texts = getParameterKind(parameter) === 'array' ? (sentValues[name] ?? []) : [];
    const [only = '', ...more] = texts;
    if (more.length === 0 && /,(?! )/.test(only)) throw joinedList(name, only);
  }
}

/** The path as the request spells it, such as `tag[0]` if it has `tag[]` instead of `tags[]`. */
export function findSentPath(
  schema: QuerySchema,
  sentValues: MultiValues,
  path: readonly PropertyKey[],
): readonly PropertyKey[] {
  const [name = '', index] = path.map((part) => (typeof part === 'number' ? part : String(part)));
  const oldSpellings = getDeprecatedSpellings(schema.shape[name] ?? z.unknown());
  const places = [String(name), ...oldSpellings].flatMap((spelling) =>
    listSentElements(sentValues, spelling).map((_, place) => [spelling, place] as const),
  );
  if (typeof index === 'number') return places[index] ?? path;
  const spellings = new Set(places.map(([spelling]) => spelling));
  return spellings.size === 1 ? [...spellings] : path;
}

/** A parameter may be sent as `tags[]=a`, `tags[0]=a` or `tags=a`. */
const listSentTexts = (sentValues: MultiValues, name: string): readonly string[] =>
  Object.entries(sentValues).flatMap(([key, texts]) => (key.replace(INDEX, '') === name ? (texts ?? []) : []));

/** `@currents/mcp` 2.1.1 sends all values of a list as one value: `tags=a%26tags%5B%5D%3Db`. */
const listSentElements = (sentValues: MultiValues, name: string): readonly string[] =>
  listSentTexts(sentValues, name).flatMap((text) => text.split(`&${name}[]=`));

const INDEX = /\[\d{0,4}\]$/;

function parseSingleValue(name: string, texts: readonly string[], kind: 'boolean' | 'number' | 'text'): unknown {
  const [text = ''] = texts;
  if (texts.some((other) => other !== text))
    throw invalidRequest(`\`${name}\` is given more than once. Send one value`, [name]);
  if (kind === 'number') return /^-?\d{1,16}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
