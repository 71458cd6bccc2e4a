/** The API reference: what the pages show of the OpenAPI document. */
import * as z from 'zod';

export const Schema = z.record(z.string(), z.unknown());

export type Schema = z.infer<typeof Schema>;

// What a JSON schema may lack. Each is parsed for every member of every operation.
export const Texts = z.array(z.string()).catch([]);
export const Text = z.string().catch('');
export const Properties = z.record(z.string(), Schema).catch({});
export const Alternatives = z.array(Schema).catch([]);
export const EnumValues = z.array(z.union([z.string(), z.number()]));

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

const Response = z.object({
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
  responses: z.record(z.string(), Response),
  servers: z.array(z.object({ url: z.string() })).optional(),
  /** The credentials that the operation accepts. Absent if it accepts every kind, and empty if it needs none. */
  security: z.array(z.record(z.string(), z.unknown())).optional(),
});

const Document = z.object({
  servers: z.tuple([z.object({ url: z.string() })], z.unknown()),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema), responses: z.record(z.string(), Response) }),
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
  /** These return what a reference leads to. Anything else is returned as it is. */
  readonly schemaOf: (schema: Schema) => Schema;
  readonly responseOf: (response: z.output<typeof Response>) => z.output<typeof Response>;
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
    responseOf: (response) => components.responses[parseReferenceName(response.$ref)] ?? response,
  };
}

const getArea = ({ path }: Pick<ReferenceOperation, 'path'>): string => path.split('/')[1] ?? '';

const parseReferenceName = (reference: unknown): string =>
  typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : '';
