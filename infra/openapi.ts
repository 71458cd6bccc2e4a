/** The OpenAPI 3.1 document, derived from the declarations, with real answers as examples (test/examples). */
import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiOverride } from 'zod-openapi';
import type { Declaration } from '#shared/declaration.ts';
import { deprecatedSpellings, kindOf } from '#shared/http/query.ts';
import examples from './openapi-examples.json' with { type: 'json' };
import { refusalComponents, refusalsOf } from './openapi-refusals.ts';
import { ANY_CREDENTIAL, SECURITY_SCHEMES, securityOf } from './openapi-security.ts';

/** Stands for the deployment's own origin, which replaces it wherever it stands in the document that is served. */
export const EXAMPLE_ORIGIN = 'https://rundown.example.com';
const BASE_PATH = '/v1';

interface Example {
  readonly request?: unknown;
  readonly response: unknown;
}
const EXAMPLES: Readonly<Record<string, Example>> = examples.operations;

const DESCRIPTION = `Success bodies have \`status\` equal to \`OK\`, but for those that reporters expect otherwise; failure bodies have \
\`FAILED\` and say what to do about it.

Array parameters are written \`name[]=a&name[]=b\`; \`name=a&name=b\` is read the same way. Times are ISO 8601. Members of a \
request body that are not described are ignored.`;

export function openApiDocument(declarations: readonly Declaration[]): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const declaration of declarations) {
    const path = pathOf(declaration);
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: operation(declaration) };
  }
  const document = {
    openapi: '3.1.0' as const,
    info: {
      title: 'Rundown',
      version: '1.0.0',
      summary: 'A self-hosted, serverless home for test results',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: EXAMPLE_ORIGIN + BASE_PATH }],
    tags: [
      { name: 'results', description: 'Reading what was recorded' },
      { name: 'webhooks', description: 'Where the events of runs are sent, and what became of them' },
      { name: 'recording', description: "The reporters' protocols: API keys only" },
      { name: 'service', description: 'The service itself; no credential' },
    ],
    security: ANY_CREDENTIAL,
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, responses: refusalComponents(examples.refusals) },
  };
  return createDocument(document, { override });
}

/** The bounds of exact integers say nothing to a reader. */
const override: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Paths under `/v1` are relative to the server; those beside it name their own server, the origin. */
const isAtOrigin = ({ path }: Declaration): boolean => !path.startsWith(`${BASE_PATH}/`);
const pathOf = (declaration: Declaration): string =>
  isAtOrigin(declaration) ? declaration.path : declaration.path.slice(BASE_PATH.length);

function operation(declaration: Declaration): ZodOpenApiOperationObject {
  const { operationId, summary, success } = declaration;
  const example = EXAMPLES[operationId];
  return {
    operationId,
    summary,
    description: [declaration.description ?? [], permissionOf(declaration)].flat().join('\n\n'),
    tags: [tagOf(declaration)],
    ...(isAtOrigin(declaration) ? { servers: [{ url: EXAMPLE_ORIGIN }] } : {}),
    security: securityOf(declaration),
    requestParams: { path: described(declaration), query: bracketed(declaration) },
    parameters: aliasesOf(declaration),
    ...requestBodyOf(declaration, example),
    responses: {
      [success]: {
        description: 'Success',
        headers: headersOf(declaration),
        content: {
          'application/json': { schema: declaration.response, ...exampleOf(example?.response) },
          ...(declaration.markdown ? { 'text/markdown': { schema: { type: 'string' as const } } } : {}),
        },
      },
      ...refusalsOf(declaration),
    },
  };
}

function tagOf({ credential, permission }: Declaration): string {
  if (credential === 'none') return 'service';
  if (permission === 'record') return 'recording';
  return permission.startsWith('webhooks:') ? 'webhooks' : 'results';
}

const header = (description: string) => ({ description, schema: { type: 'string' as const } });
const REQUEST_ID = { 'x-request-id': header('Names the line of the service log about this request') };
const DEPRECATION = {
  Deprecation: header('RFC 9745; only where the request used a deprecated parameter'),
  Link: header('Where deprecations are described; only together with `Deprecation`'),
};

const headersOf = (declaration: Declaration) => ({
  ...REQUEST_ID,
  ...(aliasesOf(declaration).length > 0 ? DEPRECATION : {}),
});

const exampleOf = (example: unknown) => (example === undefined ? {} : { example });

function requestBodyOf({ body, credential }: Declaration, example: Example | undefined) {
  if (!body) return {};
  const schema = credential === 'body' && body instanceof z.ZodObject ? body.extend({ recordKey: RecordKey }) : body;
  return {
    requestBody: { required: true, content: { 'application/json': { schema, ...exampleOf(example?.request) } } },
  };
}

/** Read before the body is, so it stands in no declared one. */
const RecordKey = z.string().meta({ description: 'An organization API key with Read & Write' });

function permissionOf({ permission, credential }: Declaration): string {
  if (permission === 'public') return 'Needs no credential.';
  if (permission === 'anyCredential') return 'Needs any valid credential.';
  if (permission !== 'record') return `Permission: \`${permission}\`.`;
  const where = credential === 'body' ? ', sent in the body as `recordKey`' : '';
  return `Needs an API key with Read & Write${where}.`;
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  deliveryId: 'Id of a delivery to this webhook',
  hookId: 'Id of a webhook',
  instanceId: 'Id of an instance: one spec file of one group of a run',
  projectId: 'Id of a project',
  recordId: 'Id of a test record, from the answer to its first message',
  runId: 'Id of a run',
  signature: 'Signature of a test, from `POST /signature/test` or from an earlier result',
};

function described({ pathParameters }: Declaration) {
  const named = Object.entries(pathParameters.shape).map(([name, schema]) => {
    const description = schema.meta()?.description ?? PATH_PARAMETERS[name];
    return [name, description === undefined ? schema : schema.meta({ description })];
  });
  return z.object(Object.fromEntries(named));
}

/** Arrays go by `name[]` on the wire. */
function bracketed({ query }: Declaration) {
  const named = Object.entries(query.shape).map(([name, schema]) => [
    kindOf(schema) === 'array' ? `${name}[]` : name,
    schema,
  ]);
  return z.object(Object.fromEntries(named));
}

function aliasesOf({ query }: Declaration) {
  return Object.entries(query.shape).flatMap(([name, schema]) =>
    deprecatedSpellings(schema).map((spelling) => ({
      name: `${spelling}[]`,
      in: 'query' as const,
      deprecated: true,
      description: `Use \`${name}[]\``,
      schema: { type: 'array' as const, items: { type: 'string' as const } },
    })),
  );
}
