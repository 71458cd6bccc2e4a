/** The schemas of the arguments of MCP tools, without what models do not need. */
import * as z from 'zod';
import { applyDescription, requireWhatIsRequired } from './openapi-schemas.ts';

export type Schema = Readonly<Record<string, unknown>>;

const Part = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

/** The members of an object schema, each with all that it refers to. */
export function parseSchemaMembers(schema: z.ZodType): z.output<typeof Part> {
  const { $defs = {}, ...rootSchema } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      applyDescription(zodSchema, jsonSchema);
      requireWhatIsRequired(zodSchema, jsonSchema);
    },
  });
  return Part.parse(inlineReferences(rootSchema, new Map(Object.entries($defs))));
}

const REFERENCE = '#/$defs/';

/** Inlines every `$ref`, because models handle references badly. */
function inlineReferences(value: unknown, definitions: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => inlineReferences(one, definitions));
  if (!isSchema(value)) return value;
  const { $ref, ...siblings } = value;
  const members = Object.entries(siblings).map(([name, member]) => [name, inlineReferences(member, definitions)]);
  if (typeof $ref !== 'string') return Object.fromEntries(members);
  const definition = inlineReferences(definitions.get($ref.slice(REFERENCE.length)), definitions);
  return { ...Object(definition), ...Object.fromEntries(members) };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Not worth their tokens for models. The service still validates these keywords and explains its errors. */
const UNSAID: ReadonlySet<string> = new Set([
  '$schema',
  'id',
  'minLength',
  'maxLength',
  'pattern',
  'maxItems',
  'minItems',
  'maxProperties',
  'propertyNames',
  'contentMediaType',
  'format',
  'title',
]);
/** The schemas for models omit a `maximum` above this value, because it would not help a model. */
const LARGEST_BOUND = 1000;

export function trimSchema(schema: Schema): Schema {
  const { anyOf, oneOf, items, properties, additionalProperties, ...rest } = schema;
  const keywords = Object.entries(rest).filter(([name, value]) => isWorthSaying(name, value));
  const trimmedSchema: Record<string, unknown> = Object.fromEntries(keywords);
  if (isSchema(items)) trimmedSchema['items'] = omitDescription(trimSchema(items));
  if (isSchema(properties)) trimmedSchema['properties'] = trimProperties(properties);
  if (Array.isArray(oneOf)) trimmedSchema['oneOf'] = oneOf.filter(isSchema).map(trimSchema);
  if (isSchema(additionalProperties)) trimmedSchema['additionalProperties'] = trimSchema(additionalProperties);
  return Array.isArray(anyOf) ? { ...trimmedSchema, ...pickAlternatives(anyOf) } : trimmedSchema;
}

const trimProperties = (properties: Schema): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, isSchema(member) ? trimSchema(member) : member]),
  );

/** Whether a keyword is worth its tokens. */
function isWorthSaying(name: string, value: unknown): boolean {
  if (name === 'default') return value !== null && !(Array.isArray(value) && value.length === 0);
  if (name === 'minimum') return typeof value === 'number' && value > 1;
  if (name === 'maximum') return typeof value === 'number' && value <= LARGEST_BOUND;
  return !UNSAID.has(name);
}

const omitDescription = ({ description: _, ...schema }: Schema): Schema => schema;

/** Drops a `string` beside an `object`, because the string is only the JSON text of the object. */
function pickAlternatives(all: readonly unknown[]): Schema {
  const schemas = all
    .filter(isSchema)
    .flatMap((one) => (Array.isArray(one['anyOf']) ? one['anyOf'].filter(isSchema) : [one]));
  const hasObject = schemas.some(({ type }) => type === 'object');
  const alternatives = schemas.filter(({ type }) => !(hasObject && type === 'string')).map(trimSchema);
  const [only, ...others] = alternatives;
  return only && others.length === 0 ? only : { anyOf: alternatives };
}
