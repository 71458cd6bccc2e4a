import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { loadDeclarations, PROJECT } from '#infra/build/declarations.ts';
import { openApiDocument } from '#infra/build/openapi.ts';
import recorded from '#infra/build/openapi-examples.json' with { type: 'json' };
import { accessToken } from '#test/harness/access-tokens.ts';
import { client } from '#test/harness/client.ts';
import { startCiJob } from '#test/tools/examples/ci-job.ts';
import { connectJira } from '#test/tools/examples/issue-conversation.ts';
import { service } from './harness/service.ts';
import { converse } from './tools/examples/conversation.ts';

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  description: z.string().optional(),
  deprecated: z.boolean().default(false),
  required: z.boolean().default(false),
});
const Media = z.object({ 'application/json': z.object({ schema: z.unknown(), example: z.unknown().optional() }) });
/** A body is JSON or a file. */
const Body = Media.partial().extend({
  'application/octet-stream': z.object({ schema: z.object({ format: z.literal('binary') }) }).optional(),
});
const Server = z.object({ url: z.string() });
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  servers: z.array(Server).optional(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Body }).optional(),
  responses: z.record(z.string(), z.object({ content: Media.partial().optional(), $ref: z.string().optional() })),
});
const Document = z.looseObject({
  openapi: z.string(),
  servers: z.array(Server),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

const ObjectSchema = z.object({
  properties: z.record(z.string(), z.unknown()),
  additionalProperties: z.unknown().optional(),
});

/** The places of objects in a schema that allow members which the schema does not name. */
function listOpenObjects(schema: unknown, schemas: Readonly<Record<string, unknown>>, at = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('$ref' in schema) return listOpenObjects(schemas[String(schema.$ref).split('/').at(-1) ?? ''], schemas, at);
  const { success, data } = ObjectSchema.safeParse(schema);
  const isOpen = success && data.additionalProperties !== false;
  const inside = Object.entries(schema).flatMap(([name, part]) => listOpenObjects(part, schemas, `${at}.${name}`));
  return isOpen ? [at, ...inside] : inside;
}

async function served() {
  const { anonymous, origin } = await service();
  const answer = await anonymous.get('/docs/openapi.json');
  expect(answer.status).toBe(200);
  const document = Document.parse(answer.body);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  return { body: answer.body, origin, document, operations, schemas: document.components.schemas };
}

const HardSchema = z.object({
  type: z.array(z.string()).optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  maxLength: z.number().optional().catch(undefined),
  default: z.array(z.unknown()).optional().catch(undefined),
  anyOf: z.array(z.unknown()).optional().catch(undefined),
  oneOf: z.array(z.unknown()).optional().catch(undefined),
});
const Alternatives = z.union([z.strictObject({ anyOf: z.unknown() }), z.strictObject({ oneOf: z.unknown() })]);

/** The names of members that have such a schema, one for each reason. */
function listHardSchemas(value: unknown, name = '', parent = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, part]) =>
    key === 'example' || key === 'examples' ? [] : listHardSchemas(part, Array.isArray(value) ? name : key, name),
  );
  if (Array.isArray(value) || name === 'properties') return inside;
  const { type = [], format, maxLength, default: preset, anyOf, oneOf = anyOf ?? [] } = HardSchema.parse(value);
  const reasons = [
    type.filter((one) => one !== 'null').length > 1,
    parent === 'properties' && 'type' in value && value.type === 'null',
    format === 'date-time' && maxLength !== undefined,
    preset?.length === 0,
    oneOf.some((one) => Alternatives.safeParse(one).success),
    name === 'content' && parent === 'requestBody' && Object.keys(value).length > 1,
  ];
  return [...reasons.filter(Boolean).map(() => name), ...inside];
}

const hasMore = /("has_more":)true/;

describe('GET /docs/openapi.json', () => {
  test('The OpenAPI document has version 3.1 and is public', async () => {
    const { document } = await served();
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  test('The OpenAPI document lists every declared operation with the address at which it is served', async () => {
    const { document, operations } = await served();
    const declared = (await loadDeclarations()).map(({ declaration }) => declaration);
    const expected = declared.map(
      // Operations that reporters call without /v1 are described under their alias, which is below the base URL of the
      // API.
      ({ operationId, method, path, alias = path }) =>
        `${operationId}: ${method} ${path.startsWith('/v1/') ? path : alias}`,
    );
    const described = operations.map(({ operationId, method, path, servers = document.servers }) => {
      const { pathname } = new URL(`${servers[0]?.url}${path}`);
      return `${operationId}: ${method} ${decodeURI(pathname)}`;
    });
    expect(described.sort()).toEqual(expected.sort());
  });

  test('The OpenAPI document lists the origin that serves it as the first server, and the local address of npm start as the second', async () => {
    const { body, origin, document, operations } = await served();
    const servers = [document, ...operations].flatMap(({ servers = [] }) => servers.map(({ url }) => url));
    expect([...new Set(servers)]).toEqual([`${origin}/v1`, 'http://localhost:4000/v1', origin]);
    expect(JSON.stringify(body)).not.toContain('rundown.example.com');
  });

  test('The OpenAPI document lists the deployments whose settings name a domain (§1)', async () => {
    const settings = await mkdtemp(join(tmpdir(), 'settings-'));
    onTestFinished(() => rm(settings, { recursive: true }));
    for (const [name, domain] of Object.entries({
      prod: 'results.example.org',
      staging: 'next.example.org',
      dev: undefined,
    }))
      await writeFile(join(settings, `${name}.json`), JSON.stringify({ domain }));
    const { servers } = Document.parse(openApiDocument([], settings));
    expect(servers.slice(1).map(({ url }) => url)).toEqual([
      'https://results.example.org/v1',
      'https://next.example.org/v1',
      'http://localhost:4000/v1',
    ]);
  });

  test('The OpenAPI document names no separate server for operations that reporters call without /v1, because code generators ignore the servers of single operations', async () => {
    const { operations, origin } = await served();
    const own = operations.filter(({ servers }) => servers !== undefined).map(({ operationId }) => operationId);
    expect(own.sort()).toEqual(['getMcpProtectedResource', 'getProtectedResource']);
    expect((await fetch(`${origin}/v1/health`)).status).toBe(200);
  });

  test('The OpenAPI document allows no undocumented members in the body of an operation, except of one that reporters call', async () => {
    const { operations, schemas } = await served();
    const open = operations
      .filter(({ tags }) => !tags.includes('recording') && !tags.includes('imports'))
      .flatMap(({ operationId, requestBody }) =>
        listOpenObjects(requestBody?.content['application/json']?.schema, schemas).map((at) => `${operationId}${at}`),
      );
    expect(open).toEqual([]);
    const recording = operations.find(({ operationId }) => operationId === 'createRun');
    expect(listOpenObjects(recording?.requestBody?.content['application/json']?.schema, schemas)).toContain('');
  });

  test('The OpenAPI document has no schema that stops a generator of clients: several types beside null, alternatives of alternatives, only null, a default that is a list, a bound for the length of a time, or two content types of a body', async () => {
    const { body } = await served();
    expect(listHardSchemas(body)).toEqual([]);
    const hard = {
      requestBody: { content: { 'application/json': {}, 'text/plain': {} } },
      properties: {
        time: { type: 'string', format: 'date-time', maxLength: 40 },
        either: { type: ['number', 'string', 'null'] },
        nothing: { type: 'null' },
        list: { default: [], anyOf: [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'null' }] },
      },
    };
    expect(listHardSchemas(hard)).toEqual(['content', 'time', 'either', 'nothing', 'list', 'list']);
  });

  test('The OpenAPI document describes every parameter', async () => {
    const { operations } = await served();
    const silent = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(({ description = '' }) => description === '').map(({ name }) => `${operationId} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  test('The OpenAPI document deprecates the parameter aliases of test results and names their replacements (§9)', async () => {
    const { operations } = await served();
    const results = operations.find(({ operationId }) => operationId === 'getTestResults');
    const aliases = results?.parameters.filter(({ deprecated }) => deprecated) ?? [];
    expect(aliases.map(({ name, description }) => [name, description]).sort()).toEqual([
      ['branch[]', 'Use `branches[]`'],
      ['git_author[]', 'Use `authors[]`'],
      ['group[]', 'Use `groups[]`'],
      ['tag[]', 'Use `tags[]`'],
    ]);
  });

  test('The OpenAPI document lists the credentials that an operation accepts', async () => {
    const { operations } = await served();
    const security = Object.fromEntries(operations.map(({ operationId, security }) => [operationId, security]));
    expect(security).toMatchObject({
      getHealth: [],
      getOpenapi: [],
      getTestResults: [{ apiKey: [] }, { personalToken: [] }, { accessToken: ['results:read'] }],
      getTestSignature: [{ apiKey: [] }, { personalToken: [] }, { accessToken: [] }],
      createTestRecord: [{ recordKey: [] }, { apiKey: [] }],
    });
    const upload = operations.find(({ operationId }) => operationId === 'uploadRun');
    expect(upload?.requestBody?.content['application/json']?.schema).toMatchObject({
      properties: { recordKey: { type: 'string' } },
      required: expect.not.arrayContaining(['recordKey']),
    });
    expect(security['uploadRun']).toEqual([{ recordKey: [] }, { apiKey: [] }, {}]);
  });

  test('The OpenAPI document has an example for every successful response and every JSON request body', async () => {
    const { operations } = await served();
    const bare = operations.flatMap(({ operationId, requestBody, responses }) => {
      const success = responses['200'] ?? responses['201'];
      const contents = [
        success?.content,
        ...(requestBody && !requestBody.content['application/octet-stream'] ? [requestBody.content] : []),
      ];
      return contents.some((content) => content?.['application/json']?.example === undefined) ? [operationId] : [];
    });
    expect(bare).toEqual([]);
  });

  test('The OpenAPI document passes the linter, and the linter finds an example that violates its schema', async () => {
    const { body } = await served();
    const [path, list] = Object.entries(body.paths).find(([, one]) => hasMore.test(JSON.stringify(one))) ?? [];
    const broken = { ...body, paths: { [`${path}`]: JSON.parse(JSON.stringify(list).replace(hasMore, '$1"true"')) } };
    expect(await lint(body)).toEqual([]);
    expect(await lint(broken)).toContainEqual(expect.objectContaining({ ruleId: 'no-invalid-media-type-examples' }));
  });
});

describe('the recorded examples', () => {
  test('have the shape of current responses. If not, record them again with "npm run examples"', async () => {
    const stage = await service();
    const { api, anonymous, reader, organizationId, projectId, keys, runSchedule } = stage;
    const withSecret = (secret: string) => client(stage.origin, secret);
    // The object store runs in another process, and refuses links that were signed on another day.
    vi.useRealTimers();
    const { api: person } = await accessToken(stage);
    const own = { person, api, anonymous, reader, withSecret, issuer: stage.issuer.issuer };
    const jira = await connectJira(
      { ...stage.services, privateReceivers: 'machine' },
      organizationId,
      stage.environment,
    );
    const identityToken = await startCiJob(stage.services, stage);
    const of = { organizationId, projectId, identityToken, jira };
    const setting = { ...own, ...of, recordKey: keys.readWrite, runSchedule, advance: () => {} };
    expect(shapeOf(recorded)).toEqual(shapeOf(await converse(setting)));
  });

  test('contain no key and no address of the machine that recorded them', () => {
    expect(JSON.stringify(recorded)).not.toMatch(
      /rdn_[a-z]+_[0-9A-Za-z]{2}|whsec_[0-9A-Za-z]|127\.0\.0\.1|localhost|X-Amz-Credential/,
    );
  });
});

/**
 * Returns the paths of all properties. All elements of an array have the same path, and so do all properties whose name
 * is a timestamp.
 */
function shapeOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value)
    ? value.flatMap((element) => shapeOf(element, `${path}[]`))
    : Object.entries(value).flatMap(([name, member]) =>
        shapeOf(member, `${path}.${/^\d{13}$/.test(name) ? '<time>' : name}`),
      );
  return [...new Set([path, ...members])].sort();
}

const SKIPPED = ['no-server-example.com', 'tag-description', 'no-ambiguous-paths'].map((rule) => `--skip-rule=${rule}`);
const Report = z.object({ problems: z.array(z.looseObject({ ruleId: z.string() })) });

/**
 * The problems that Redocly's recommended rules find, except three that are intended: tests run on localhost, a tag is
 * the name of a folder, and published clients call both `/actions/tests/{signature}` and `/actions/{actionId}/tests`.
 */
async function lint(document: unknown): Promise<z.infer<typeof Report>['problems']> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-openapi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  // Disables Redocly's telemetry and update check.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = ['lint', file, '--extends=recommended', '--format=json', ...SKIPPED];
  const { stdout } = await promisify(execFile)(join(PROJECT, 'node_modules/.bin/redocly'), args, { env });
  return Report.parse(JSON.parse(stdout)).problems;
}
