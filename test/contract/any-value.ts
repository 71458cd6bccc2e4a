/** Generates values that a JSON schema of the OpenAPI document allows, and nearly valid values. */
import fc from 'fast-check';
import * as z from 'zod';
import { hostileText } from '#test/engine/http/hostile.ts';
import { anyCharacter } from '#test/harness/any-character.ts';

const Schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
  minLength: z.number().default(0),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().default(Number.MAX_SAFE_INTEGER),
  items: z.unknown().optional(),
  minItems: z.number().default(0),
  maxItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
  propertyNames: z
    .object({ pattern: z.string(), not: z.object({ pattern: z.string() }) })
    .partial()
    .optional(),
  additionalProperties: z.unknown().optional(),
});
type Schema = z.infer<typeof Schema>;

/** Most generated values stay small, because large values would test size limits instead of schemas. */
const MANY = 4;
const LONG = 40;

/** Values of stored data by parameter name, so that generated requests refer to existing data. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

export function valuesOf(
  schema: unknown,
  known: Known,
  resolve: (reference: string) => unknown,
): fc.Arbitrary<unknown> {
  const read = Schema.parse(schema ?? {});
  const inner = (one: unknown) => valuesOf(one, known, resolve);
  if (read.$ref !== undefined) return inner(resolve(read.$ref));
  if (read.const !== undefined) return fc.constant(read.const);
  if (read.enum) return fc.constantFrom(...read.enum);
  const alternatives = read.anyOf ?? read.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map(inner));
  const types = [read.type ?? 'anything'].flat();
  return fc.oneof(...types.map((type) => ofType(type, read, known, inner)));
}

function ofType(
  type: string,
  schema: Schema,
  known: Known,
  inner: (schema: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return textOf(schema);
  if (type === 'array') {
    return fc.array(inner(schema.items), { minLength: schema.minItems, maxLength: Math.max(schema.minItems, MANY) });
  }
  if (type === 'object') return objectOf(schema, known, inner);
  if (type === 'anything') return fc.jsonValue({ maxDepth: 2 });
  const min = schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1;
  const numbers = fc.integer({ min, max: schema.maximum });
  return type === 'integer' ? numbers : fc.oneof(numbers, fc.double({ min, max: schema.maximum, noNaN: true }));
}

function textOf({ pattern, format, minLength, maxLength = LONG }: Schema): fc.Arbitrary<string> {
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  if (format === 'date-time') {
    const noInvalidDate = true;
    return fc
      .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate })
      .map((at) => at.toISOString());
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: 'small' }).filter(fits);
  const most = Math.min(maxLength, Math.max(LONG, minLength));
  const plain = fc.string({ minLength, maxLength: most });
  const any = fc.string({ unit: anyCharacter, minLength, maxLength: most }).filter(fits);
  return fc.oneof(plain, any, fc.constant('x'.repeat(maxLength > 10_000 ? most : maxLength)));
}

function objectOf(
  { properties, required, propertyNames, additionalProperties }: Schema,
  known: Known,
  inner: (schema: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const values = known[name];
    const any = inner(schema);
    return [name, values ? fc.oneof({ weight: 4, arbitrary: values }, { weight: 1, arbitrary: any }) : any] as const;
  });
  const described = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return described;
  const no = new RegExp(propertyNames?.not?.pattern ?? '^(?!)');
  const names = fc.stringMatching(new RegExp(propertyNames?.pattern ?? '^.{1,9}$'), { size: 'small' });
  const allowed = names.filter((name) => !no.test(name) && name !== '__proto__');
  const selector = (key: string) => key.toLowerCase();
  const more = fc.uniqueArray(fc.tuple(allowed, inner(additionalProperties)), {
    maxLength: MANY,
    selector: ([name]) => selector(name),
  });
  return fc.tuple(described, more).map(([value, entries]) => ({ ...Object.fromEntries(entries), ...value }));
}

const HOSTILE = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, -1, 0.5, 1e300, true, [], {}, [[[]]], { __proto__: 1 }, 'x'.repeat(3000), ['', null]),
);

/** Generates variants of a value with one change at any depth: a member is removed, added or replaced. */
export function almost(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return HOSTILE;
  const names = Object.keys(value);
  const changed = (name: string, member: unknown) =>
    Array.isArray(value) ? value.map((one, at) => (String(at) === name ? member : one)) : { ...value, [name]: member };
  const without = (name: string) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
  return fc.oneof(
    { weight: 1, arbitrary: HOSTILE },
    { weight: 2, arbitrary: fc.constantFrom(...names).map(without) },
    { weight: 2, arbitrary: HOSTILE.map((member) => ({ ...value, surplus: member })) },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(...Object.entries(value))
        .chain(([name, member]) => almost(member).map((other) => changed(name, other))),
    },
  );
}
