/**
 * Reads the arguments of a tool as models and their clients send them: a single value where a list is declared, a list
 * or number as text, or the address of a page where an id is declared.
 */
import type * as z from 'zod';
import { parseJson } from '#shared/engine/json.ts';

/**
 * The value as the schema declares it. A value that the schema accepts stays as it is. If nothing fits, the result is
 * what the caller most likely meant, so that the refusal names what is wrong in it.
 */
export function adaptArgument(name: string, value: unknown, schema: z.ZodType | undefined): unknown {
  const sentValue = typeof value === 'string' ? readIdFromAddress(name, value) : value;
  if (schema === undefined || schema.safeParse(sentValue).success) return sentValue;
  const readings = [sentValue, ...listReadings(sentValue)];
  return (
    readings.find((reading) => schema.safeParse(reading).success) ??
    readings.find((reading) => hasDeclaredType(reading, schema)) ??
    sentValue
  );
}

/** Whether something else than the type of the value itself is wrong, such as its size or one of its members. */
function hasDeclaredType(value: unknown, schema: z.ZodType): boolean {
  const { error } = schema.safeParse(value);
  const isAboutType = ({ code, path }: z.core.$ZodIssue): boolean =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_union');
  return !error?.issues.some(isAboutType);
}

/** What else the value may mean. Clients send lists as JSON text, and some send an id of digits as a number. */
function listReadings(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [String(value), [value]];
  if (typeof value !== 'string') return [[value]];
  const json = parseJson(value);
  if (isNested(json)) return [json, [json], [value]];
  return json === undefined ? [[value]] : [json, [value], [json]];
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The segment before an id in the path of a page, by argument. */
const SEGMENTS: Readonly<Record<string, RegExp>> = {
  runid: /\/runs\/([^/]+)/,
  instanceid: /\/(?:i|instances)\/([^/]+)/,
  testid: /\/test\/([^/]+)/,
  signature: /\/tests\/([^/]+)/,
  actionid: /\/actions\/([^/]+)/,
  hookid: /\/webhooks\/([^/]+)/,
  projectid: /^\/[^/]+\/([^/]+)/,
};

/** People paste the addresses of pages. An id of another deployment is not found, like any other id. */
function readIdFromAddress(name: string, text: string): string {
  const segment = SEGMENTS[normalizeSpelling(name)];
  if (segment === undefined || !/^https?:\/\//.test(text) || !URL.canParse(text)) return text;
  const { pathname, searchParams } = new URL(text);
  const id = segment.exec(pathname)?.[1];
  if (id !== undefined) return id;
  // The page of a test has the id of the test in its query.
  return normalizeSpelling(name) === 'testid' ? (searchParams.get('test_id') ?? text) : text;
}

/** The same for all spellings of a name, such as `runId` and `run_id`. */
export const normalizeSpelling = (name: string): string => name.replaceAll('_', '').toLowerCase();
