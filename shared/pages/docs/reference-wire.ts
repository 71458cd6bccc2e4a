/** The API reference: what the pages show of the OpenAPI document. */
import * as z from 'zod';

const Schema = z.record(z.string(), z.unknown());
type Schema = z.infer<typeof Schema>;

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  deprecated: z.boolean().default(false),
  description: z.string().optional(),
  schema: Schema.default({}),
});

const Media = z.object({ schema: Schema.default({}), example: z.unknown().optional() });
const Content = z.record(z.string(), Media);
const Answer = z.object({
  description: z.string().default(''),
  content: Content.default({}),
  $ref: z.string().optional(),
});

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().default(''),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Answer),
  servers: z.array(z.object({ url: z.string() })).optional(),
  /** The credentials that the operation accepts. Absent if it accepts every kind, and empty if it needs none. */
  security: z.array(z.record(z.string(), z.unknown())).optional(),
});

const Document = z.object({
  servers: z.tuple([z.object({ url: z.string() })], z.unknown()),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema), responses: z.record(z.string(), Answer) }),
});

export interface ReferenceOperation extends z.output<typeof Operation> {
  readonly method: string;
  readonly path: string;
  /** The absolute URL, with the path parameters in braces. */
  readonly url: string;
}

export interface Reference {
  /** The operations by the first segment of their path, such as `runs`, in alphabetical order of the segments. */
  readonly areas: ReadonlyMap<string, readonly ReferenceOperation[]>;
  readonly schemaOf: (schema: Schema) => Schema;
  readonly answerOf: (answer: z.output<typeof Answer>) => z.output<typeof Answer>;
}

/** The references by document. A deployment has only one document. */
const references = new WeakMap<object, Reference>();

export function getReference(openApi: object): Reference {
  const reference = references.get(openApi) ?? readReference(openApi);
  references.set(openApi, reference);
  return reference;
}

function readReference(openApi: object): Reference {
  const { servers, paths, components } = Document.parse(openApi);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): ReferenceOperation => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        url: `${operation.servers?.[0]?.url ?? servers[0].url}${path}`,
      }),
    ),
  );
  return {
    areas: new Map([...Map.groupBy(operations, getArea)].sort(([one], [other]) => (one < other ? -1 : 1))),
    schemaOf: (schema) => components.schemas[parseReferenceName(schema['$ref'])] ?? schema,
    answerOf: (answer) => components.responses[parseReferenceName(answer.$ref)] ?? answer,
  };
}

const getArea = ({ path }: Pick<ReferenceOperation, 'path'>): string => path.split('/')[1] ?? '';

const parseReferenceName = (reference: unknown): string =>
  typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : '';

/** A member of a JSON document, as a row of a table. */
export interface Member {
  /** The path to the member, such as `groups[].name`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

// What a JSON schema may lack. Each is parsed for every member of every operation.
const Texts = z.array(z.string()).catch([]);
const Text = z.string().catch('');
const Properties = z.record(z.string(), Schema).catch({});
const Alternatives = z.array(Schema).catch([]);
const Values = z.array(z.union([z.string(), z.number()]));

/** Nested members are listed to this depth. Deeper ones appear only in examples. */
const DEPTH = 3;

export function listSchemaMembers(reference: Reference, schema: Schema, path = '', depth = DEPTH): Member[] {
  const { object, suffix } = resolveObject(reference, schema);
  if (!object || depth === 0) return [];
  const requiredNames = new Set(Texts.parse(object['required']));
  const properties = Properties.parse(object['properties']);
  const start = path === '' ? '' : `${path}${suffix}.`;
  return Object.entries(properties).flatMap(([name, memberSchema]) => [
    {
      name: start + name,
      type: formatSchemaType(reference, memberSchema),
      isRequired: requiredNames.has(name),
      description: Text.parse(memberSchema['description'] ?? reference.schemaOf(memberSchema)['description']),
    },
    ...listSchemaMembers(reference, memberSchema, start + name, depth - 1),
  ]);
}

/** The object that a schema describes, or the object that its list contains. `suffix` is `[]` for a list. */
function resolveObject(
  reference: Reference,
  schema: Schema,
): { readonly object: Schema | undefined; readonly suffix: string } {
  const resolvedSchema = reference.schemaOf(schema);
  if (resolvedSchema['properties'] !== undefined) return { object: resolvedSchema, suffix: '' };
  const items = Schema.safeParse(resolvedSchema['items']);
  if (items.success) {
    const { object, suffix } = resolveObject(reference, items.data);
    return { object, suffix: `[]${suffix}` };
  }
  const first = listAlternatives(resolvedSchema).find((one) => one['type'] !== 'null');
  return first ? resolveObject(reference, first) : { object: undefined, suffix: '' };
}

const listAlternatives = (schema: Schema): Schema[] => Alternatives.parse(schema['anyOf'] ?? schema['oneOf']);

/** The type of a value, such as `text, at most 256 characters`. */
export function formatSchemaType(reference: Reference, schema: Schema): string {
  const resolvedSchema = reference.schemaOf(schema);
  const alternatives = listAlternatives(resolvedSchema);
  if (alternatives.length > 0)
    return [...new Set(alternatives.map((one) => formatSchemaType(reference, one)))].join(' or ');
  if (resolvedSchema['const'] !== undefined) return JSON.stringify(resolvedSchema['const']);
  const values = Values.safeParse(resolvedSchema['enum']);
  if (values.success) return values.data.join(' | ');
  const types = Texts.parse([resolvedSchema['type']].flat());
  const items = Schema.safeParse(resolvedSchema['items']);
  const typeNames = types.map((type) => {
    if (type === 'array') return items.success ? `list of ${formatSchemaType(reference, items.data)}` : 'list';
    return type === 'string' ? 'text' : type;
  });
  return [typeNames.join(' or ') || 'any value', ...listSchemaLimits(resolvedSchema)].join(', ');
}

function listSchemaLimits(schema: Schema): string[] {
  const { format, minimum, maximum, maxLength, maxItems, default: usual } = schema;
  return [
    format,
    typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER && `at least ${minimum}`,
    typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    typeof maxLength === 'number' && `at most ${maxLength} characters`,
    typeof maxItems === 'number' && `at most ${maxItems} elements`,
    usual !== undefined && usual !== null && `default ${JSON.stringify(usual)}`,
  ].filter((text) => typeof text === 'string');
}
