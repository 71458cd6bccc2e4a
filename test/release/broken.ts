/**
 * Finds the incompatible changes of an interface since a release. An addition is compatible, unless it makes the service
 * refuse what it accepted, or answer with a kind of value that clients do not expect. So is a request whose limits are
 * gone.
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
  const isNamedByUs = name === 'properties' || name === 'headers';
  const members = Object.entries(value).filter(
    ([member]) => isNamedByUs || !(TEXTS.has(member) || member.startsWith('x-')),
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

const IS_LIMIT = / › (maxLength|minLength|maxItems|minItems|maximum|minimum)$/;
/** Limits of a request, and the defaults `null` and `[]`, which say no more than that a value may be missing. */
const mayDisappear = (path: string, value: string): boolean =>
  IS_LIMIT.test(path) || (path.endsWith(' › default') && (value === 'null' || value === '[]'));

/** Members of a schema or parameter that refuse values which it accepts without them. */
const RESTRICTIONS = new Set([
  ...[
    'const',
    'contains',
    'dependentRequired',
    'enum',
    'exclusiveMaximum',
    'exclusiveMinimum',
    'explode',
    'format',
    'maximum',
  ],
  ...['maxContains', 'maxItems', 'maxLength', 'maxProperties', 'minContains', 'minimum', 'minItems', 'minLength'],
  ...['minProperties', 'multipleOf', 'not', 'pattern', 'propertyNames', 'style', 'uniqueItems'],
]);

type Direction = 'request' | 'response';

/** Returns one line for each difference that may break a client. */
export function brokenSince(before: Json, after: Json): string[] {
  const [oldSchemas, newSchemas] = [listSchemas(before), listSchemas(after)];
  const old = leavesOf(withoutTexts(withoutNames(before, oldSchemas, (name) => newSchemas.has(name))));
  const now = leavesOf(withoutTexts(withoutNames(after, newSchemas, (name) => oldSchemas.has(name))));
  const isRenamed = (path: string): boolean => {
    const [, , section, name = ''] = path.split(SEPARATOR);
    return section === 'schemas' && !newSchemas.has(name);
  };
  const listDirections = makeDirections([...old, ...now]);
  const isOnlyRequest = (path: string): boolean => listDirections(path).join() === 'request';
  const lost = [...old]
    .filter(([path, value]) => now.get(path) !== value && !isRenamed(path) && !isEmptyList(path, value))
    .filter(([path, value]) => now.has(path) || !(isOnlyRequest(path) && mayDisappear(path, value)))
    .map(([path, value]) => `${path}: was ${value}, is ${now.get(path) ?? 'gone'}`);
  const places = new Set([...old.keys()].flatMap(listPlaces));
  const added = [...now]
    .filter(([path]) => !places.has(path))
    .filter(([path, value]) => listDirections(path).some((one) => isBreaking(one, findNews(path, places), path, value)))
    .map(([path, value]) => `${path}: is new, and is ${value}`);
  return [...lost, ...added];
}

/** The stored interfaces of the first release have no headers that begin with `x-`. */
const isEmptyList = (path: string, value: string): boolean => path.endsWith(' › headers') && value === '{}';

/** The path and those of all objects around it. */
function listPlaces(path: string): readonly string[] {
  const segments = path.split(SEPARATOR);
  return segments.map((_, index) => segments.slice(0, index + 1).join(SEPARATOR));
}

interface News {
  /** The last name of the innermost place that existed before. */
  readonly within: string;
  /** The name that it did not have. */
  readonly name: string;
}

function findNews(path: string, places: ReadonlySet<string>): News {
  const segments = path.split(SEPARATOR);
  const known = listPlaces(path).filter((place) => places.has(place)).length;
  return { within: segments[known - 1] ?? '', name: segments[known] ?? '' };
}

function isBreaking(direction: Direction, { within, name }: News, path: string, value: string): boolean {
  if (direction === 'response') return within === 'anyOf' || within === 'enum';
  if (path.includes(' › security › ')) return /^\d+$/.test(name) && within !== 'security';
  const isDemanded = path.endsWith(' › required') && value === 'true';
  if (within === 'parameters' || name === 'requestBody') return isDemanded;
  if (name === 'required' || within === 'required') return value !== 'false';
  return RESTRICTIONS.has(name) || (name === 'additionalProperties' && value === 'false');
}

/** Whether a path belongs to what clients send, to what they get, or, like a schema for both, to both. */
function makeDirections(leaves: readonly (readonly [string, string])[]): (path: string) => readonly Direction[] {
  const places = new Map<string, Set<string>>();
  for (const [path, value] of leaves) {
    const name = value.startsWith(`"${SCHEMA}`) ? value.slice(SCHEMA.length + 1, -1) : undefined;
    if (name !== undefined) places.set(name, (places.get(name) ?? new Set()).add(path));
  }
  const listOfSchema = (name: string, via: readonly string[] = []): readonly Direction[] =>
    [...(places.get(name) ?? [])].flatMap((path) => {
      const user = findSchemaName(path);
      if (user === undefined) return listOwnDirections(path);
      return user === name || via.includes(user) ? [] : listOfSchema(user, [...via, name]);
    });
  const known = new Map([...places.keys()].map((name) => [name, [...new Set(listOfSchema(name))]]));
  return (path) => {
    const schema = findSchemaName(path);
    return schema === undefined ? listOwnDirections(path) : (known.get(schema) ?? ['response']);
  };
}

function findSchemaName(path: string): string | undefined {
  const [, section, kind, name] = path.split(SEPARATOR);
  return section === 'components' && kind === 'schemas' ? name : undefined;
}

function listOwnDirections(path: string): readonly Direction[] {
  const [, section, , , part = ''] = path.split(SEPARATOR);
  return section === 'paths' && ['parameters', 'requestBody', 'security'].includes(part) ? ['request'] : ['response'];
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
