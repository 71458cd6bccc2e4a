/** JSON schemas for language models: without `$ref`, and without limits that only a validator needs. */
import * as z from 'zod';
import { describedBy } from '#shared/engine/http/described.ts';
import { requireWhatIsRequired } from './openapi-schemas.ts';

export type Schema = Readonly<Record<string, unknown>>;

const Part = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

/** The members of a request schema, and the names of those that are required. */
export function schemaMembers(schema: z.ZodType): z.output<typeof Part> {
  const { $defs = {}, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const other = describedBy.get(zodSchema);
      if (other) Object.assign(jsonSchema, z.toJSONSchema(other, { io: 'input' }));
      requireWhatIsRequired(zodSchema, jsonSchema);
    },
  });
  return Part.parse(withoutReferences(described, new Map(Object.entries($defs))));
}

const REFERENCE = '#/$defs/';

/** Inlines every `$ref`, because models handle references badly. */
function withoutReferences(value: unknown, definitions: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutReferences(one, definitions));
  if (!isSchema(value)) return value;
  const { $ref, ...own } = value;
  const members = Object.entries(own).map(([name, member]) => [name, withoutReferences(member, definitions)]);
  if (typeof $ref !== 'string') return Object.fromEntries(members);
  const definition = withoutReferences(definitions.get($ref.slice(REFERENCE.length)), definitions);
  return { ...Object(definition), ...Object.fromEntries(members) };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Schema keywords that models do not get, because they are not worth their tokens. The service still validates them and
 * explains its errors.
 */
const UNSAID: ReadonlySet<string> = new Set([
  '$schema',
  'id',
  'minLength',
  'maxLength',
  'pattern',
  'maxItems',
  'maxProperties',
  'propertyNames',
  'contentMediaType',
  'format',
  'title',
]);
/** The largest bound of a number that models get. Larger bounds tell a model nothing. */
const LARGEST_BOUND = 1000;

export function forModels(schema: Schema): Schema {
  const { anyOf, oneOf, items, properties, additionalProperties, ...rest } = schema;
  const kept = Object.entries(rest).filter(([name, value]) => isSaid(name, value));
  return {
    ...Object.fromEntries(kept),
    ...(isSchema(items) ? { items: withoutDescription(forModels(items)) } : {}),
    ...(isSchema(properties) ? { properties: mapped(properties) } : {}),
    ...(Array.isArray(oneOf) ? { oneOf: oneOf.filter(isSchema).map(forModels) } : {}),
    ...(isSchema(additionalProperties) ? { additionalProperties: forModels(additionalProperties) } : {}),
    ...(Array.isArray(anyOf) ? alternatives(anyOf) : {}),
  };
}

const mapped = (properties: Schema): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, isSchema(member) ? forModels(member) : member]),
  );

function isSaid(name: string, value: unknown): boolean {
  if (name === 'default') return value !== null && !(Array.isArray(value) && value.length === 0);
  if (name === 'maximum') return typeof value === 'number' && value <= LARGEST_BOUND;
  return !UNSAID.has(name);
}

const withoutDescription = ({ description: _, ...schema }: Schema): Schema => schema;

/** Drops a text alternative if there is an object one: both mean the same. */
function alternatives(all: readonly unknown[]): Schema {
  const flat = all
    .filter(isSchema)
    .flatMap((one) => (Array.isArray(one['anyOf']) ? one['anyOf'].filter(isSchema) : [one]));
  const hasObject = flat.some(({ type }) => type === 'object');
  const some = flat.filter(({ type }) => !(hasObject && type === 'string')).map(forModels);
  const [only, ...others] = some;
  return only && others.length === 0 ? only : { anyOf: some };
}
