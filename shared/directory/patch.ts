/**
 * Requests that change a resource of SCIM: a whole resource (POST, PUT), or operations of PATCH as Okta and Entra send
 * them. Both become changes of single attributes. Attribute names of a request only ever choose a setter from a map, and
 * are never the name of a member.
 */
import { immutable, invalidPath, invalidSyntax, invalidValue, noTarget, tooMany } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { type AttributePath, parsePath } from './paths.ts';

export interface AttributeChange {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: AttributePath;
  readonly value: unknown;
}

type JsonObject = { readonly [name: string]: unknown };
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function requireObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw invalidSyntax('The body must be a JSON object');
}

/** The value of the member with this name in any case. */
export function findMember(object: JsonObject, name: string): unknown {
  const lowerCaseName = name.toLowerCase();
  return Object.entries(object).find(([key]) => key.toLowerCase() === lowerCaseName)?.[1];
}

/** A whole resource replaces each attribute that it has. */
export const listResourceChanges = (body: unknown): AttributeChange[] =>
  listMemberChanges('replace', requireObject(body));

/** Names in a value may have a dot or the prefix of their schema, as in `name.givenName`. */
const listMemberChanges = (op: AttributeChange['op'], value: JsonObject): AttributeChange[] =>
  Object.entries(value).flatMap(([name, memberValue]) => {
    // Members of other schemas, such as that of enterprises, are ignored.
    if (name.toLowerCase().startsWith('urn:') && isObject(memberValue)) return [];
    return [{ op, path: parsePath(name), value: memberValue }];
  });

export function listPatchChanges(body: unknown): AttributeChange[] {
  const operations = findMember(requireObject(body), 'Operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax('The body of a PATCH needs "Operations", a list with at least one operation');
  if (operations.length > DIRECTORY_LIMITS.operations)
    throw tooMany(`A PATCH can have at most ${DIRECTORY_LIMITS.operations} operations`);
  return operations.flatMap(listOperationChanges);
}

function listOperationChanges(operation: unknown): AttributeChange[] {
  const members = requireObject(operation);
  const name = findMember(members, 'op');
  const op = OPERATIONS.get(typeof name === 'string' ? name.toLowerCase() : '');
  if (!op) throw invalidSyntax('The "op" of an operation must be "add", "replace" or "remove"');
  const path = findMember(members, 'path');
  const value = findMember(members, 'value');
  if (path !== undefined && path !== null && typeof path !== 'string') throw invalidPath(String(path));
  if (typeof path === 'string' && path !== '') return [{ op, path: parsePath(path), value }];
  if (op === 'remove') throw noTarget();
  if (!isObject(value)) throw invalidValue('An operation without a path needs an object as its value');
  return listMemberChanges(op, value);
}

const OPERATIONS: ReadonlyMap<string, AttributeChange['op']> = new Map([
  ['add', 'add'],
  ['replace', 'replace'],
  ['remove', 'remove'],
]);

export function parseText(attribute: string, value: unknown): string {
  const { textCharacters: most } = DIRECTORY_LIMITS;
  if (typeof value !== 'string' || value.length > most || !value.isWellFormed())
    throw invalidValue(`${attribute} must be a text of at most ${most} characters`);
  return value.trim();
}

/** Absent if it is removed, `null` or empty. */
export const parseOptionalText = (attribute: string, { op, value }: AttributeChange): string | undefined =>
  op === 'remove' || value === null ? undefined : parseText(attribute, value) || undefined;

export function parseRequiredText(attribute: string, { op, value }: AttributeChange): string {
  if (op === 'remove') throw immutable(attribute);
  const text = parseText(attribute, value);
  if (text === '') throw invalidValue(`${attribute} must not be empty`);
  return text;
}

/** Entra sends texts such as `"False"`. */
export function parseFlag(attribute: string, { op, value }: AttributeChange): boolean {
  if (op === 'remove') throw immutable(attribute);
  if (typeof value === 'boolean') return value;
  const flag = typeof value === 'string' ? FLAGS.get(value.toLowerCase()) : undefined;
  if (flag !== undefined) return flag;
  throw invalidValue(`${attribute} must be true or false`);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
