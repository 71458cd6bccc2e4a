/**
 * Finds the incompatible changes of an interface since a release. An addition is compatible, unless clients are
 * required to send it. So is a request whose limits are gone.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Properties that contain texts for people or details of a single deployment. They may change at any time. */
const TEXTS = new Set(['description', 'summary', 'title', 'example', 'examples', 'servers', 'info', 'tags']);

/** Lists whose order has no meaning. */
const SETS = new Set(['required', 'enum', 'anyOf', 'oneOf', 'allOf', 'parameters', 'type']);

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The key by which an element of an unordered list is compared: parameters are identified by location and name,
 * alternatives by their type if no other alternative has it, and other elements by their content.
 */
function nameIn(member: Json, all: readonly Json[]): string {
  if (!isObject(member)) return JSON.stringify(member);
  if (typeof member.name === 'string' && typeof member.in === 'string') return `${member.in} ${member.name}`;
  const { type } = member;
  const isOnly = typeof type === 'string' && all.filter((other) => isObject(other) && other.type === type).length === 1;
  return isOnly ? type : JSON.stringify(member);
}

/** Returns the interface without texts for people and without extensions (`x-...`). */
export function withoutTexts(value: Json, name = ''): Json {
  if (Array.isArray(value)) return value.map((member) => withoutTexts(member));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([member]) => name === 'properties' || !(TEXTS.has(member) || member.startsWith('x-')),
  );
  // The scopes of an OAuth flow have their meaning in words as value.
  const kept = (member: string, own: Json) => (name === 'scopes' ? null : withoutTexts(own, member));
  return withAlternatives(Object.fromEntries(members.map(([member, own]) => [member, kept(member, own)])));
}

/**
 * A list of types means the same as an alternative for each of them. The alternatives of an alternative are alternatives
 * as well, and whether two of them may match tells clients nothing.
 */
function withAlternatives({ type, anyOf, oneOf, discriminator, ...rest }: { readonly [name: string]: Json }): Json {
  const alternatives = anyOf ?? oneOf;
  if (isList(alternatives)) return { ...rest, anyOf: alternatives.flatMap(listInner) };
  if (isList(type)) return { anyOf: type.map((one) => ({ ...rest, type: one })) };
  return type === undefined ? rest : { ...rest, type };
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

function listInner(alternative: Json): readonly Json[] {
  if (!isObject(alternative)) return [alternative];
  const { anyOf, ...rest } = alternative;
  return isList(anyOf) && Object.keys(rest).length === 0 ? anyOf : [alternative];
}

const SCHEMA = '#/components/schemas/';

/** Puts the schemas that the other interface does not name in the places that refer to them. */
function withoutNames(value: Json, own: ReadonlyMap<string, Json>, isKnown: (name: string) => boolean): Json {
  if (Array.isArray(value)) return value.map((member) => withoutNames(member, own, isKnown));
  if (!isObject(value)) return value;
  const name = typeof value['$ref'] === 'string' ? value['$ref'].slice(SCHEMA.length) : '';
  const schema = own.get(name);
  if (schema !== undefined && !isKnown(name)) return withoutNames(schema, own, isKnown);
  return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, withoutNames(part, own, isKnown)]));
}

function listSchemas(value: Json): ReadonlyMap<string, Json> {
  let schemas: Json | undefined = value;
  for (const name of ['openapi', 'components', 'schemas']) {
    schemas = schemas !== undefined && isObject(schemas) ? schemas[name] : undefined;
  }
  return new Map(schemas !== undefined && isObject(schemas) ? Object.entries(schemas) : []);
}

/** All leaf values by path, such as `openapi › paths › /runs/{runId} › get › operationId`. */
function leavesOf(value: Json, path: readonly string[] = []): Map<string, string> {
  const last = path.at(-1) ?? '';
  const members: (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((member, index) => [SETS.has(last) ? nameIn(member, value) : String(index), member] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (members.length === 0) return new Map([[path.join(SEPARATOR), JSON.stringify(value)]]);
  return new Map(members.flatMap(([name, member]) => [...leavesOf(member, [...path, name])]));
}

const SEPARATOR = ' › ';

/**
 * Paths of entries that make a property or parameter required. Existing clients do not send this property or parameter,
 * so their requests would be refused.
 */
const IS_OBLIGATION = /› required › |› parameters › .* › required$/;
const IN_REQUEST = /› (requestBody|parameters) ›/;
const IS_LIMIT = / › (maxLength|minLength|maxItems|minItems|maximum|minimum)$/;
/** Limits of a request, and the defaults `null` and `[]`, which say no more than that a value may be missing. */
const mayDisappear = (path: string, value: string): boolean =>
  IS_LIMIT.test(path) || (path.endsWith(' › default') && (value === 'null' || value === '[]'));

/** Returns one line for each difference that may break a client. */
export function brokenSince(before: Json, after: Json): string[] {
  const [oldSchemas, newSchemas] = [listSchemas(before), listSchemas(after)];
  const old = leavesOf(withoutTexts(withoutNames(before, oldSchemas, (name) => newSchemas.has(name))));
  const now = leavesOf(withoutTexts(withoutNames(after, newSchemas, (name) => oldSchemas.has(name))));
  const isRenamed = (path: string): boolean => {
    const [, , section, name = ''] = path.split(SEPARATOR);
    return section === 'schemas' && !newSchemas.has(name);
  };
  const lost = [...old]
    .filter(([path, value]) => now.get(path) !== value && !isRenamed(path))
    .filter(([path, value]) => now.has(path) || !(IN_REQUEST.test(path) && mayDisappear(path, value)))
    .map(([path, value]) => `${path}: was ${value}, is ${now.get(path) ?? 'gone'}`);
  const obligations = [...now]
    .filter(([path, value]) => !old.has(path) && IS_OBLIGATION.test(path) && IN_REQUEST.test(path) && value !== 'false')
    .filter(([path]) => isKnownPlace(path, old))
    .map(([path]) => `${path}: is new and required`);
  return [...lost, ...obligations];
}

/**
 * Whether the operation at this path, and the object with the required property, existed in the old interface. A new
 * operation may have any required parameters, and a new optional object any required properties.
 */
function isKnownPlace(path: string, old: ReadonlyMap<string, string>): boolean {
  const [interfaceName, ...place] = path.split(SEPARATOR);
  const operation = [interfaceName, ...place.slice(0, 3)].join(SEPARATOR);
  const [object = path, property] = path.split(`${SEPARATOR}required${SEPARATOR}`);
  const known = property === undefined ? operation : object + SEPARATOR;
  return [...old.keys()].some((one) => one.startsWith(known));
}

/**
 * The name that the changelog has to mention: an operation such as `GET /runs/{runId}`, the name of a schema, or the
 * name of another interface.
 */
export function subjectOf(difference: string): string {
  const [interfaceName = '', section, name = '', method = ''] = difference.split(/ › |: was |: is /);
  if (interfaceName !== 'openapi') return interfaceName;
  return section === 'paths' ? `${method.toUpperCase()} ${name}` : method;
}
