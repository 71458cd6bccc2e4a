/** Converts DynamoDB requests and responses between plain values and the JSON format of DynamoDB. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';

/**
 * Members of requests and responses that are maps of attributes. `LISTS` names the members that are lists of such maps.
 */
const MAPS = new Set([
  'Key',
  'Item',
  'Attributes',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
]);
const LISTS = new Set(['Keys', 'Items']);
/** Members that contain lists of attribute maps by table name. */
const LISTS_OF_TABLES = new Set(['Responses']);

type Convert = (attribute: unknown) => unknown;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/**
 * Converts all members of an object, and leaves out members without a value. It runs for each attribute of each call, so
 * it is a loop, and makes no entries.
 */
function convertMembers(all: Members, convert: (value: unknown, name: string) => unknown): Members {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(all)) {
    const value = all[name];
    if (value === undefined) continue;
    // An assignment to this name would replace the prototype.
    if (name === '__proto__') Object.defineProperty(members, name, { value: convert(value, name), enumerable: true });
    else members[name] = convert(value, name);
  }
  return members;
}

const convertMap = (map: unknown, convert: Convert): unknown =>
  isObject(map) ? convertMembers(map, (attribute) => convert(attribute)) : map;

const convertMaps = (maps: unknown, convert: Convert): unknown =>
  Array.isArray(maps) ? maps.map((one) => convertMap(one, convert)) : maps;

function convertMessage(value: unknown, convert: Convert): unknown {
  if (Array.isArray(value)) return value.map((one) => convertMessage(one, convert));
  if (!isObject(value)) return value;
  return convertMembers(value, (member, name) => {
    if (!isObject(member)) return member;
    if (MAPS.has(name)) return convertMap(member, convert);
    if (LISTS.has(name)) return convertMaps(member, convert);
    if (LISTS_OF_TABLES.has(name)) return convertMembers(member, (maps) => convertMaps(maps, convert));
    return convertMessage(member, convert);
  });
}

/** Refuses the values that the AWS SDK refuses, because a deployment could not store them. */
function toAttribute(value: unknown): object {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: formatNumber(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array)
    return { B: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(toAttribute) };
  if (isObject(value) && isPlain(value)) return { M: convertMap(value, toAttribute) };
  throw new Error(`DynamoDB has no attribute type for a ${typeof value}: store another type of value`);
}

function formatNumber(value: number): string {
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  throw new Error(`${value} cannot be stored exactly: store a smaller number, or text`);
}

/** Bundles run in this realm, so their objects have the same prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function toValue(attribute: unknown): unknown {
  if (!isObject(attribute)) throw new Error('An attribute is not an object: check MAPS and LISTS in attribute-wire.ts');
  const [type = ''] = Object.keys(attribute);
  const value = attribute[type];
  if (type === 'S' || type === 'BOOL') return value;
  if (type === 'N') return Number(value);
  if (type === 'NULL') return null;
  if (type === 'B' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
  if (type === 'L' && Array.isArray(value)) return value.map(toValue);
  if (type === 'M') return convertMap(value, toValue);
  throw new Error(`Unknown attribute type ${type}: add it to attribute-wire.ts`);
}

export const toWire = (request: object): unknown => convertMessage(request, toAttribute);
export const fromWire = (answer: unknown): unknown => convertMessage(answer, toValue);

const AttributeMap = z.record(z.string(), z.custom<AttributeValue>());

/** Converts attributes to the form in which errors of the SDK contain them: with type tags, and with bytes decoded. */
export const typedFromWire = (item: unknown): Record<string, AttributeValue> =>
  AttributeMap.parse(
    JSON.parse(JSON.stringify(item), (name, value) =>
      name === 'B' && typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value,
    ),
  );
