/** Corrects the JSON schemas that zod generates for the OpenAPI document, and writes them as generators of clients need them. */
import * as z from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { describedBy } from '#shared/engine/http/described.ts';

/** Responses lose the bounds of safe integers, of no use there. Requests keep them: clients must respect them. */
export const adjustSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  applyDescription(zodSchema, jsonSchema);
  if (io === 'input') return requireWhatIsRequired(zodSchema, jsonSchema);
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** zod treats all preprocessed properties as optional, even those that reject `undefined`. */
export function requireWhatIsRequired(schema: unknown, jsonSchema: { required?: string[] }): void {
  if (!(schema instanceof z.ZodObject)) return;
  const members: [string, z.ZodType][] = Object.entries(schema.shape);
  const requiredNames = members.filter(([, member]) => !member.safeParse(undefined).success).map(([name]) => name);
  if (requiredNames.length > 0) jsonSchema.required = requiredNames;
  else delete jsonSchema.required;
}

export function applyDescription(schema: object, jsonSchema: object): void {
  const other = describedBy.get(schema);
  if (!other) return;
  // Without `$schema`, so that it can be part of another schema.
  const { $schema: _, ...inputSchema } = z.toJSONSchema(other, {
    io: 'input',
    override: ({ zodSchema, jsonSchema: inner }) => {
      applyDescription(zodSchema, inner);
      requireWhatIsRequired(zodSchema, inner);
    },
  });
  Object.assign(jsonSchema, inputSchema);
}

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSchemaList = (value: unknown): value is Schema[] => Array.isArray(value) && value.every(isSchema);

/**
 * Rewrites the schemas of a finished document without a change of what they allow. Generators that do not compile
 * otherwise: oapi-codegen (several types besides `null`), openapi-generator for Go (defaults of lists and `null`, bounds
 * of the length of times), for Java (`anyOf` with a list) and for Python (nested alternatives).
 */
export function simplifySchemas(document: object): void {
  const schemasByName = valueAt(document, ['components', 'schemas']);
  const visit = (value: unknown, key?: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isSchema(value)) return;
    for (const [name, member] of Object.entries(value))
      if (name !== 'example' && name !== 'examples') visit(member, name);
    if (key !== 'properties') simplifySchema(value, isSchema(schemasByName) ? schemasByName : {});
  };
  visit(document);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  return isSchema(value) ? valueAt(value[key], rest) : undefined;
}

function simplifySchema(schema: Schema, schemasByName: Schema): void {
  if (schema['default'] === null || (Array.isArray(schema['default']) && schema['default'].length === 0)) {
    delete schema['default'];
  }
  if (schema['format'] === 'date-time') delete schema['maxLength'];
  splitTypes(schema);
  const alternatives = listAlternatives(schema);
  if (!alternatives) return;
  const isNullable = alternatives.filter(({ type }) => type !== 'null').length < 2;
  const isExclusive = schema['oneOf'] !== undefined || (!isNullable && areDisjoint(alternatives, schemasByName));
  delete schema['oneOf'];
  delete schema['anyOf'];
  schema[isExclusive ? 'oneOf' : 'anyOf'] = alternatives;
}

/** `type: [number, string]` becomes two alternatives. `type: [string, null]` stays, because every generator knows it. */
function splitTypes(schema: Schema): void {
  const { type, description, default: preset, ...rest } = schema;
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return;
  delete schema['type'];
  for (const name of Object.keys(rest)) delete schema[name];
  schema['anyOf'] = type.map((one) => (one === 'null' ? { type: one } : { type: one, ...rest }));
}

const OF_ALTERNATIVES = new Set(['anyOf', 'oneOf', 'type', 'description', 'discriminator']);

/** With the alternatives of an alternative that is nothing else. */
function listAlternatives(schema: Schema): Schema[] | undefined {
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (!isSchemaList(alternatives)) return undefined;
  return alternatives.flatMap((alternative) => {
    const inner = alternative['anyOf'] ?? alternative['oneOf'];
    const isNothingElse = Object.keys(alternative).every((name) => OF_ALTERNATIVES.has(name));
    return isSchemaList(inner) && isNothingElse ? inner : [alternative];
  });
}

/** Whether no value can match two of these schemas, because they have other types. */
function areDisjoint(schemas: readonly Schema[], schemasByName: Schema): boolean {
  const types = schemas.map((schema) => listTypes(schema, schemasByName));
  if (types.some((one) => one.length === 0)) return false;
  const all = types.flat().map((type) => (type === 'integer' ? 'number' : type));
  return new Set(all).size === all.length;
}

/** No types: they are unknown. */
function listTypes(schema: Schema, schemasByName: Schema): unknown[] {
  if (typeof schema['$ref'] === 'string') {
    const target = schemasByName[schema['$ref'].slice('#/components/schemas/'.length)];
    return isSchema(target) ? listTypes(target, schemasByName) : [];
  }
  if (schema['type'] !== undefined) return [schema['type']].flat();
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (!isSchemaList(alternatives)) return [];
  const types = alternatives.map((alternative) => listTypes(alternative, schemasByName));
  return types.some((one) => one.length === 0) ? [] : [...new Set(types.flat())];
}
