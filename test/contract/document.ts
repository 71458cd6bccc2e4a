/** Reads the OpenAPI document: its operations with their methods, paths and possible responses. */
import * as z from 'zod';

const Media = z.looseObject({ schema: z.unknown() });
const Header = z.object({ required: z.boolean().default(false) });
const Reference = z.object({ $ref: z.string() });
const Response = z.object({
  headers: z.record(z.string(), Header).default({}),
  content: z.record(z.string(), Media),
});
const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  deprecated: z.boolean().default(false),
  description: z.string().optional(),
  schema: z.looseObject({ type: z.string().optional() }),
});
const Operation = z.object({
  operationId: z.string(),
  servers: z.array(z.object({ url: z.url() })).optional(),
  'x-origin-path': z.string().optional(),
  'x-alias-path': z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: z.record(z.string(), Media) }).optional(),
  responses: z.record(z.string(), z.union([Reference, Response])),
});
const Document = z.looseObject({
  servers: z.array(z.object({ url: z.url() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ responses: z.record(z.string(), Response) }),
});

const JSON_TYPE = 'application/json';

export type Parameter = z.infer<typeof Parameter>;

export interface DescribedResponse extends z.infer<typeof Response> {
  /** The JSON pointer of the response in the document. */
  readonly pointer: string;
}

export interface DescribedOperation {
  readonly operationId: string;
  /** The JSON pointer of the operation in the document. */
  readonly pointer: string;
  readonly method: string;
  /** The path from the origin, with `{name}` for parameters. */
  readonly path: string;
  /** The second path of an operation that clients call at two paths. */
  readonly alias: string | undefined;
  readonly security: z.infer<typeof Operation>['security'];
  readonly parameters: readonly Parameter[];
  /** The JSON pointer of the schema of a JSON body. `undefined` if the operation takes no JSON body. */
  readonly body: string | undefined;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface DescribedApi {
  readonly document: object;
  readonly operations: readonly DescribedOperation[];
  /** The possible responses to a request that matches no operation, by status code. */
  readonly elsewhere: Readonly<Record<string, DescribedResponse>>;
}

/** Whether the body can only be JSON. False for an imported report, because the file may have any format. */
const isJson = (content: Readonly<Record<string, unknown>> = {}): boolean =>
  JSON_TYPE in content && !('application/octet-stream' in content);

const ELSEWHERE = { 404: 'NotFound', 413: 'TooLarge', 414: 'UriTooLong', 431: 'HeadersTooLarge' };

export function readDocument(document: object): DescribedApi {
  const read = Document.parse(document);
  const component = (name: string): DescribedResponse => {
    const response = read.components.responses[name];
    if (!response) throw new Error(`The document has no response ${name}`);
    return { ...response, pointer: pointerTo('components', 'responses', name) };
  };
  const operations = Object.entries(read.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => {
      const { pathname } = new URL((operation.servers ?? read.servers)[0]?.url ?? '');
      const pointer = (...more: string[]) => pointerTo('paths', path, method, ...more);
      const responses = Object.entries(operation.responses).map(([status, response]) => [
        status,
        '$ref' in response
          ? component(response.$ref.split('/').at(-1) ?? '')
          : { ...response, pointer: pointer('responses', status) },
      ]);
      return {
        ...operation,
        pointer: pointer(),
        method: method.toUpperCase(),
        path: operation['x-origin-path'] ?? pathname.replace(/\/$/, '') + path,
        alias: operation['x-alias-path'] ?? (operation['x-origin-path'] && pathname.replace(/\/$/, '') + path),
        body: isJson(operation.requestBody?.content)
          ? pointer('requestBody', 'content', JSON_TYPE, 'schema')
          : undefined,
        responses: Object.fromEntries(responses),
      };
    }),
  );
  const elsewhere = Object.entries(ELSEWHERE).map(([status, name]) => [status, component(name)]);
  return { document, operations, elsewhere: Object.fromEntries(elsewhere) };
}

export const pointerTo = (...parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Resolves a JSON pointer. */
export const valueAt = (document: object, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, part) => {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      return Object.entries(Object(value)).find(([known]) => known === name)?.[1];
    }, document);

/**
 * Finds the operation of a request. As in API Gateway, literal path segments take precedence over path parameters among
 * the operations with this method.
 */
export function operationAt(api: DescribedApi, method: string, path: string): DescribedOperation | undefined {
  const segments = path.split('/');
  const fits = (described: string) => {
    const wanted = described.split('/');
    return (
      wanted.length === segments.length &&
      wanted.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''))
    );
  };
  const parameters = ({ path: described }: DescribedOperation) => described.split('{').length;
  const [best] = api.operations
    .filter(({ method: own, path: at, alias = at }) => own === method && (fits(at) || fits(alias)))
    .sort((one, other) => parameters(one) - parameters(other));
  return best;
}
