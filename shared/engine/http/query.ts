/** Parses query strings. Supports arrays with brackets or repeated names, deprecated spellings, and declared types. */
import * as z from 'zod';
import { invalidRequest, unknownParameter } from '#shared/engine/errors.ts';
import { queueable } from '#shared/engine/queueable.ts';

/** The deprecated spellings of a parameter, without the brackets of an array parameter. */
export const aliases = z.registry<{ readonly deprecated: readonly string[] }>();

export type QuerySchema = z.ZodObject<Record<string, z.ZodType>>;
export type MultiValues = Readonly<Record<string, readonly string[] | undefined>>;

/** The basic type of a parameter, ignoring optional, default and checks. */
export function parameterKind(schema: unknown): 'array' | 'boolean' | 'number' | 'text' {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return parameterKind(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return parameterKind(schema.in);
  if (schema instanceof z.ZodArray) return 'array';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodNumber) return 'number';
  return 'text';
}

export const deprecatedSpellings = (schema: z.ZodType): readonly string[] => aliases.get(schema)?.deprecated ?? [];

/** Returns the names of the parameters to ignore, depending on which parameters were sent. */
export type Ignores = (isSent: (name: string) => boolean) => readonly string[];

/** Returns the values by declared parameter name, and the deprecated spellings that were used. */
export function readQuery(
  schema: QuerySchema,
  sent: MultiValues,
  ignores: Ignores = () => [],
): { values: unknown; deprecated: string[] } {
  refuseUndeclared(schema, sent);
  const values: Record<string, unknown> = {};
  const deprecated: string[] = [];
  const ignored = new Set(ignores((name) => given(sent, name).length > 0));
  for (const [name, parameter] of Object.entries(schema.shape)) {
    if (ignored.has(name)) continue;
    const old = deprecatedSpellings(parameter).filter((spelling) => given(sent, spelling).length > 0);
    deprecated.push(...old);
    const kind = parameterKind(parameter);
    const read = kind === 'array' ? listed : given;
    const texts = [name, ...old].flatMap((spelling) => read(sent, spelling)).map(queueable);
    if (texts.length > 0) values[name] = kind === 'array' ? texts : single(name, texts, kind);
  }
  return { values, deprecated };
}

/**
 * Throws 400 for undeclared parameters, because an undeclared parameter may be the rest of a filter value: API Gateway
 * splits values at `;`, and no function sees the original query. Operations without query parameters have no filters,
 * so they accept any parameter.
 */
function refuseUndeclared({ shape }: QuerySchema, sent: MultiValues): void {
  const declared = Object.entries(shape).flatMap(([name, parameter]) => [name, ...deprecatedSpellings(parameter)]);
  if (declared.length === 0) return;
  const unknown = Object.keys(sent).find((key) => !declared.includes(key.replace(INDEX, '')));
  if (unknown !== undefined) throw unknownParameter(unknown, Object.keys(shape));
}

/** The path of a value as the request spells it, such as `tag[0]` if the request has `tag[]` instead of `tags[]`. */
export function asSent(schema: QuerySchema, sent: MultiValues, path: readonly PropertyKey[]): readonly PropertyKey[] {
  const [name = '', index] = path.map((part) => (typeof part === 'number' ? part : String(part)));
  const old = deprecatedSpellings(schema.shape[name] ?? z.unknown());
  const places = [String(name), ...old].flatMap((spelling) =>
    listed(sent, spelling).map((_, place) => [spelling, place] as const),
  );
  if (typeof index === 'number') return places[index] ?? path;
  const spellings = new Set(places.map(([spelling]) => spelling));
  return spellings.size === 1 ? [...spellings] : path;
}

/** Returns the values of a parameter, which may be sent as `tags[]=a`, `tags[0]=a` or `tags=a`. */
const given = (sent: MultiValues, name: string): readonly string[] =>
  Object.entries(sent).flatMap(([key, texts]) => (key.replace(INDEX, '') === name ? (texts ?? []) : []));

/** The values of a list. `@currents/mcp` 2.1.1 sends all values of a list as one value: `tags=a%26tags%5B%5D%3Db`. */
const listed = (sent: MultiValues, name: string): readonly string[] =>
  given(sent, name).flatMap((text) => text.split(`&${name}[]=`));

const INDEX = /\[\d{0,4}\]$/;

function single(name: string, texts: readonly string[], kind: 'boolean' | 'number' | 'text'): unknown {
  const [text = ''] = texts;
  if (texts.some((other) => other !== text))
    throw invalidRequest(`\`${name}\` is given more than once. Send one value`, [name]);
  if (kind === 'number') return /^-?\d{1,16}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
