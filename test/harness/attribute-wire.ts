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

/** Converts all members of an object, and leaves out members without a value. */
const mapped = (all: object, convert: Convert): object =>
  Object.fromEntries(Object.entries(all).flatMap(([name, one]) => (one === undefined ? [] : [[name, convert(one)]])));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function converted(value: unknown, convert: Convert): unknown {
  if (Array.isArray(value)) return value.map((one) => converted(one, convert));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (!isObject(member)) return [name, member];
    if (MAPS.has(name)) return [name, mapped(member, convert)];
    if (LISTS.has(name) && Array.isArray(member)) return [name, member.map((one) => mapped(one, convert))];
    if (LISTS_OF_TABLES.has(name)) {
      const lists = Object.entries(member).map(([table, rows]) => [
        table,
        rows.map((one: object) => mapped(one, convert)),
      ]);
      return [name, Object.fromEntries(lists)];
    }
    return [name, converted(member, convert)];
  });
  return Object.fromEntries(members);
}

function typed(value: unknown): unknown {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(typed) };
  if (isObject(value)) return { M: mapped(value, typed) };
  throw new Error(`DynamoDB has no attribute type for a ${typeof value}: store another type of value`);
}

function plain(attribute: unknown): unknown {
  if (!isObject(attribute)) throw new Error('An attribute is not an object: check MAPS and LISTS in attribute-wire.ts');
  const [type, value] = Object.entries(attribute)[0] ?? [];
  if (type === 'S' || type === 'BOOL') return value;
  if (type === 'N') return Number(value);
  if (type === 'NULL') return null;
  if (type === 'B') return new Uint8Array(Buffer.from(value, 'base64'));
  if (type === 'L') return value.map(plain);
  if (type === 'M') return mapped(value, plain);
  throw new Error(`Unknown attribute type ${type}: add it to attribute-wire.ts`);
}

export const toWire = (request: object): unknown => converted(request, typed);
export const fromWire = (answer: unknown): unknown => converted(answer, plain);

const Typed = z.record(z.string(), z.custom<AttributeValue>());

/** Converts attributes to the form in which errors of the SDK contain them: with type tags, and with bytes decoded. */
export const typedFromWire = (item: unknown): Record<string, AttributeValue> =>
  Typed.parse(
    JSON.parse(JSON.stringify(item), (name, value) =>
      name === 'B' && typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value,
    ),
  );
