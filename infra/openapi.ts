/** The OpenAPI 3.1 document, derived from the declarations (and real answers as examples). */
import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Declaration } from '#shared/declaration.ts';
import { ErrorResponse } from '#shared/envelope.ts';
import { deprecatedSpellings, kindOf } from '#shared/http/query.ts';
import examples from './openapi-examples.json' with { type: 'json' };

const EXAMPLES: Readonly<Record<string, unknown>> = examples;
/** Replaced by the deployment's own origin when the document is served. */
const EXAMPLE_SERVER = 'https://rundown.example.com/v1';

export function openApiDocument(declarations: readonly Declaration[]): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const declaration of declarations) {
    const path = pathOf(declaration);
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: operation(declaration) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Rundown',
      version: '1.0.0',
      summary: 'A self-hosted, serverless home for test results',
      description:
        'Every success body has `status` equal to `OK`, every failure body `FAILED` with what to do about it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: EXAMPLE_SERVER }],
    tags: [
      { name: 'results', description: 'Reading what was recorded' },
      { name: 'recording', description: "The reporters' protocols: API keys only" },
      { name: 'service', description: 'The service itself; no credential' },
    ],
    security: [{ apiKey: [] }],
    paths: paths satisfies ZodOpenApiPathsObject,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An organization API key: `Authorization: Bearer rdn_key_...`',
        },
        recordKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-currents-key',
          description: 'An organization API key with Read & Write, as reporters send it',
        },
      },
    },
  });
}

/** Paths under `/v1` are relative to the server; those beside it name their own server, the origin. */
const isAtOrigin = ({ path }: Declaration): boolean => !path.startsWith('/v1/');
const pathOf = (declaration: Declaration): string =>
  isAtOrigin(declaration) ? declaration.path : declaration.path.slice('/v1'.length);

function operation(declaration: Declaration): ZodOpenApiOperationObject {
  const { operationId, summary, description, body, pathParameters, success, credential } = declaration;
  const example = EXAMPLES[operationId];
  return {
    operationId,
    summary,
    ...(description ? { description } : {}),
    tags: [credential === 'none' ? 'service' : declaration.permission === 'record' ? 'recording' : 'results'],
    ...(isAtOrigin(declaration) ? { servers: [{ url: EXAMPLE_SERVER.slice(0, -'/v1'.length) }] } : {}),
    security: securityOf(declaration),
    requestParams: { path: pathParameters, query: bracketed(declaration) },
    parameters: aliasesOf(declaration),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      [success]: {
        description: 'Success',
        content: {
          'application/json': { schema: declaration.response, ...(example === undefined ? {} : { example }) },
        },
      },
      ...refusalsOf(declaration),
    },
  };
}

function securityOf({ credential, permission }: Declaration): Record<string, string[]>[] {
  if (credential !== 'header') return [];
  return permission === 'record' ? [{ recordKey: [] }, { apiKey: [] }] : [{ apiKey: [] }];
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

const REFUSALS: Readonly<Record<string, string>> = {
  '400': 'Invalid request parameters',
  '401': 'Authentication failed',
  '403': 'Authenticated but not permitted',
  '404': 'Resource not found',
  '413': 'Too large: send `Accept-Encoding: gzip`, or ask for less',
  '422': 'The run takes no more results; `code` says why',
  '429': 'Too many requests: wait for `Retry-After` seconds',
};

function refusalsOf({ credential, permission, operationId }: Declaration) {
  const statuses = credential === 'none' ? ['429'] : ['400', '401', '403', '404', '413', '429'];
  const all = permission === 'record' ? [...statuses, '422'] : statuses;
  const answers = all.map((status) => [
    status,
    { description: REFUSALS[status] ?? operationId, content: { 'application/json': { schema: ErrorResponse } } },
  ]);
  return Object.fromEntries(answers);
}
