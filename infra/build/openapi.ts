/** The OpenAPI 3.1 document, generated from the declarations. Its examples are real responses (test/tools/examples). */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { ContentKind } from '#shared/engine/http/content.ts';
import { FORM_TYPE } from '#shared/engine/http/form.ts';
import { BASE_PATH, type Declaration } from '#shared/platform/declaration.ts';
import { IDEMPOTENCY_KEY } from '#shared/platform/idempotency-key.ts';
import { IDEMPOTENCY_LIMITS } from '#shared/platform/limits.ts';
import type { DeclaredEndpoint } from './declarations.ts';
import examples from './openapi-examples.json' with { type: 'json' };
import { buildPathSchema, buildQuerySchema, listQueryAliases } from './openapi-parameters.ts';
import { buildRefusalComponents, listRefusals } from './openapi-refusals.ts';
import { adjustSchema, simplifySchemas } from './openapi-schemas.ts';
import { ANY_CREDENTIAL, buildSecurity, describePermission, SECURITY_SCHEMES } from './openapi-security.ts';

/** A placeholder. The served document contains the deployment's origin instead. */
export const EXAMPLE_ORIGIN = 'https://rundown.example.com';

const SETTINGS = join(import.meta.dirname, '../environments');
const Settings = z.object({ domain: z.string().optional() });

/** §1 The servers of all deployments whose settings name a domain, and the local server of `npm start`. */
function listOtherServers(settings: string) {
  const deployments = ['prod', 'staging', 'dev'].flatMap((name) => {
    const { domain } = Settings.parse(JSON.parse(readFileSync(join(settings, `${name}.json`), 'utf8')));
    return domain === undefined ? [] : [{ url: `https://${domain}${BASE_PATH}`, description: name }];
  });
  return [...deployments, { url: `http://localhost:4000${BASE_PATH}`, description: 'npm start' }];
}

interface Example {
  readonly request?: unknown;
  readonly response: unknown;
}
type Endpoint = Pick<DeclaredEndpoint, 'area' | 'declaration'>;

const EXAMPLES: Readonly<Record<string, Example>> = examples.operations;

const DESCRIPTION = `Success bodies have \`status\` set to \`OK\`, except where reporters expect another body; error bodies have \
\`FAILED\` and say what to do.

Array parameters are written \`name[]=a&name[]=b\`; \`name=a&name=b\` works as well. Times are ISO 8601. Undocumented members of a \
request body are refused, except by operations of the tag \`recording\`, which ignore them. No member may be named \`__proto__\`. \
Lengths of texts count UTF-16 code units.

Operations of the tag \`recording\` implement the reporters' protocols and accept API keys only. The ids of one \
request belong together: send those that the service returned together.`;

/** `settings`: the folder with the settings files of the environments. */
export function openApiDocument(endpoints: readonly Endpoint[], settings = SETTINGS): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const { declaration } = endpoint;
    const path = toDocumentPath(declaration);
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: buildOperation(endpoint) };
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
    servers: [{ url: EXAMPLE_ORIGIN + BASE_PATH, description: 'This deployment' }, ...listOtherServers(settings)],
    tags: [...new Set(endpoints.map(({ area }) => area))].map((name) => ({ name })),
    security: ANY_CREDENTIAL,
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, responses: buildRefusalComponents(examples.refusals) },
  };
  const openApi = createDocument(document, { override: adjustSchema });
  simplifySchemas(openApi);
  return openApi;
}

const IDEMPOTENCY_HEADER = z.object({
  [IDEMPOTENCY_KEY]: z.string().min(1).max(IDEMPOTENCY_LIMITS.keyCharacters).optional().meta({
    description:
      'A random text, such as a UUID. The same request with the same key and credential within a day creates nothing again and gets the first answer. Another request with the key gets 422',
  }),
});

const isBelowBase = (path: string): boolean => path.startsWith(`${BASE_PATH}/`);
const pickPathBelowBase = ({ path, alias = path }: Declaration): string => (isBelowBase(path) ? path : alias);
/** Paths under `/v1` are relative to the server. Other paths name the origin as their server. */
const isAtOrigin = (declaration: Declaration): boolean => !isBelowBase(pickPathBelowBase(declaration));
/** The path of an operation in the document. OpenAPI has no greedy parameters: `{path+}` becomes `{path}`. */
const toDocumentPath = (declaration: Declaration): string =>
  pickPathBelowBase(declaration)
    .slice(isAtOrigin(declaration) ? 0 : BASE_PATH.length)
    .replace('+}', '}');

function describeOtherPath({ alias, path }: Declaration): string | readonly [] {
  if (alias === undefined) return [];
  return isBelowBase(path)
    ? `Also at \`${alias.slice(BASE_PATH.length)}\`, where published clients call it.`
    : `Also at \`${path}\` of the origin, without \`${BASE_PATH}\`, where reporters call it.`;
}

/** The second path is an extension, for tools that compare requests with the document. */
function buildPathExtension({ path, alias }: Declaration) {
  if (alias === undefined) return {};
  return isBelowBase(path) ? { 'x-alias-path': alias } : { 'x-origin-path': path.replace('+}', '}') };
}

function buildOperation({ area, declaration }: Endpoint): ZodOpenApiOperationObject {
  const { operationId, summary } = declaration;
  const example = EXAMPLES[operationId];
  return {
    operationId,
    summary,
    description: [declaration.description ?? [], describeOtherPath(declaration), describePermission(declaration)]
      .flat()
      .join('\n\n'),
    tags: [area],
    ...buildPathExtension(declaration),
    ...(isAtOrigin(declaration) ? { servers: [{ url: EXAMPLE_ORIGIN }] } : {}),
    security: buildSecurity(declaration),
    requestParams: {
      path: buildPathSchema(declaration),
      query: buildQuerySchema(declaration),
      ...(declaration.isRepeatable ? { header: IDEMPOTENCY_HEADER } : {}),
    },
    ...buildRequestBody(declaration, example),
    responses: {
      ...buildSuccessResponses(declaration, example),
      ...listRefusals(declaration),
    },
  };
}

const makeHeader = (description: string) => ({ description, schema: { type: 'string' as const } });
const REQUEST_ID = {
  'x-request-id': { ...makeHeader('Request id, by which the operator finds this request in the log'), required: true },
};
const DEPRECATION = {
  Deprecation: makeHeader('RFC 9745; only if the request used a deprecated parameter'),
  Link: makeHeader('Documentation of the deprecation; only together with `Deprecation`'),
};

const ETAG = {
  ETag: { ...makeHeader('Send it in `If-None-Match` to get 304 if nothing has changed'), required: true },
};

const includeExample = (example: unknown) => (example === undefined ? {} : { example });

const TEXT = { type: 'string' } as const;
const MEDIA: Readonly<Record<Exclude<ContentKind, 'redirect'>, ZodOpenApiContentObject>> = {
  markdown: { 'text/markdown': { schema: TEXT } },
  html: { 'text/html': { schema: TEXT } },
  csv: { 'text/csv': { schema: TEXT } },
  text: { 'text/plain': { schema: TEXT } },
  bytes: { '*/*': { schema: { ...TEXT, format: 'binary' } } },
};
/** Any content type is accepted, `multipart/form-data` included. With more than one, generated clients do not compile. */
const FILES: ZodOpenApiContentObject = {
  'application/octet-stream': { schema: { ...TEXT, format: 'binary' } },
};
const LOCATION = { Location: { ...makeHeader('The URL to request instead'), required: true } };

function buildSuccessResponses(declaration: Declaration, example: Example | undefined): ZodOpenApiResponsesObject {
  const { answers, response, success } = declaration;
  const json = response ? { 'application/json': { schema: response, ...includeExample(example?.response) } } : {};
  const others = answers.map((kind) => (kind === 'json' || kind === 'redirect' ? {} : MEDIA[kind]));
  const headers = {
    ...REQUEST_ID,
    ...(declaration.revalidates ? ETAG : {}),
    ...(Object.keys(listQueryAliases(declaration)).length > 0 ? DEPRECATION : {}),
  };
  const content = Object.assign({}, json, ...others);
  return {
    ...(answers.some((kind) => kind !== 'redirect') ? { [success]: { description: 'Success', headers, content } } : {}),
    ...(answers.includes('redirect')
      ? { 303: { description: 'See other', headers: { ...headers, ...LOCATION } } }
      : {}),
    ...(declaration.revalidates ? { 304: { description: 'Not modified', headers, content: {} } } : {}),
  };
}

function buildRequestBody({ body, bodyFormat, credential }: Declaration, example: Example | undefined) {
  if (!body) return {};
  if (bodyFormat === 'bytes') return { requestBody: { required: true, content: FILES } };
  const type = bodyFormat === 'form' ? FORM_TYPE : 'application/json';
  const schema = credential === 'body' && body instanceof z.ZodObject ? body.extend({ recordKey: RecordKey }) : body;
  return {
    requestBody: { required: true, content: { [type]: { schema, ...includeExample(example?.request) } } },
  };
}

/** The record key is read before the body is validated, so no declared schema contains it. */
const RecordKey = z
  .string()
  .optional()
  .meta({ description: 'An organization API key with Read & Write, unless a header contains one' });
