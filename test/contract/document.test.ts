import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';
import { readOpenApi } from '#test/harness/stage.ts';
import { contractOf } from './contract.ts';
import { readDocument, valueAt } from './document.ts';
import { schemasOf } from './schemas.ts';

const document = await readOpenApi();
const api = readDocument(document);

describe('the OpenAPI document', () => {
  test('gives a deprecated parameter the schema of the parameter that replaces it', () => {
    const deprecated = api.operations.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, schema, deprecated, description = '' }) => {
        const successor = parameters.find((other) => description === `Use \`${other.name}\``);
        return deprecated ? [[operationId, name, { ...schema }, { ...successor?.schema }] as const] : [];
      }),
    );
    expect(deprecated).not.toEqual([]);
    for (const [operationId, name, { description: _, ...one }, { description: __, ...other }] of deprecated) {
      expect([operationId, name, one]).toEqual([operationId, name, other]);
    }
  });

  test('In the bodies of three operations, the OpenAPI document marks as required exactly the properties that requests must contain', () => {
    const requiredIn = (operationId: string, ...path: string[]) => {
      const body = api.operations.find((operation) => operation.operationId === operationId)?.body ?? '';
      return valueAt(document, [body, ...path, 'required'].join('/'));
    };
    expect(requiredIn('updateTestRecord')).toEqual(['_t', '_s', '_d', 'attempts']);
    expect(requiredIn('getTestSignature')).toEqual(['projectId', 'specFilePath', 'testTitle']);
    expect(requiredIn('uploadRun')).toEqual(['projectId', 'group']);
    const instances = ['properties', 'instances', 'anyOf', '0', 'items', 'properties'];
    expect(requiredIn('uploadRun', ...instances, 'artifacts', 'anyOf', '0', 'items')).toEqual(['path']);
    expect(requiredIn('uploadRun', ...instances, 'results', 'properties', 'tests', 'items')).toEqual([
      'testId',
      'title',
      'state',
      'attempts',
    ]);
  });

  test('has no tuples, because some client generators cannot read them', () => {
    expect(JSON.stringify(document)).not.toMatch(/"prefixItems"|"items":(false|\[)/);
  });

  test('describes which names and values of webhook headers are allowed, and how many headers', () => {
    const body = api.operations.find(({ operationId }) => operationId === 'createWebhook')?.body ?? '';
    const allows = (headers: unknown) => schemasOf(document)(body)({ url: 'https://a.example', headers }) === undefined;
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'v']));
    for (const good of [null, '{}', {}, { Authorization: 'Bearer a b' }, { 'X-Token': 't' }, many(20)]) {
      expect([good, allows(good)]).toEqual([good, true]);
    }
    const bad = [
      { Host: 'a' },
      { 'WEBHOOK-Id': 'a' },
      { X_Timestamp: 'a' },
      { 'a b': 'c' },
      { a: 'ü' },
      { a: '' },
      { '': 'a' },
    ];
    for (const headers of [...bad, { a: 7 }, many(21)]) expect([headers, allows(headers)]).toEqual([headers, false]);
  });
});

describe('an error about a query parameter', () => {
  test.each([
    ['tag[]=', '`tag[0]`'],
    ['tag=a&tag=', '`tag[1]`'],
    ['tags[]=a&tag[]=b&tag[]=', '`tag[1]`'],
    ['tags[]=a&tags[]=', '`tags[1]`'],
    ['branch[]=a*b', '`branch[0]`'],
    ['git_author[]=', '`git_author[0]`'],
    [Array.from({ length: 51 }, () => 'group=g').join('&'), '`group`'],
    [`groups=g&${Array.from({ length: 50 }, () => 'group=g').join('&')}`, '`groups`'],
  ])('names the parameter as it was sent: %s', async (sent, named) => {
    const { reader } = await service();
    const { status, body } = await reader.get(`/test-results/s?date_start=2026-11-01&date_end=2026-11-30&${sent}`);
    expect({ status, body }).toEqual({ status: 400, body: { status: 'FAILED', error: expect.stringMatching(/^`/) } });
    expect(body.error.split(' ')[0]).toBe(named);
  });
});

describe('the contract checker', () => {
  const contract = contractOf(document);
  const answer = (target: string, status: number, body: unknown, headers: Record<string, string> = {}) =>
    contract({
      method: 'GET',
      target,
      status,
      headers: Object.entries({ 'Content-Type': 'application/json', 'x-request-id': 'r', ...headers }),
      body: Buffer.from(JSON.stringify(body)),
    });
  const failed = { status: 'FAILED', error: 'Because' };

  test('accepts responses that the OpenAPI document allows, and reports wrong statuses, bodies, headers and content types', async () => {
    expect(answer('/health', 200, { status: 'OK', version: '0.1.0' })).toBeUndefined();
    expect(answer('/v1/projects?limit=1', 200, { status: 'OK', has_more: false, data: [] })).toBeUndefined();
    expect(answer('/v1/projects', 429, failed, { 'Retry-After': '2' })).toBeUndefined();
    expect(answer('/nowhere', 404, failed)).toBeUndefined();
    expect(answer('/v1/projects', 413, { message: 'Request Too Long' })).toBeUndefined();

    expect(answer('/v1/projects', 409, failed)).toContain('allows 200, 400');
    expect(answer('/v1/projects', 200, { status: 'OK', data: [] })).toContain("must have required property 'has_more'");
    expect(answer('/v1/projects', 200, { status: 'OK', has_more: false, data: [], more: 1 })).toContain('additional');
    expect(answer('/v1/projects', 429, failed)).toContain('Retry-After is missing');
    expect(answer('/v1/projects', 400, failed, { 'Content-Type': 'text/html' })).toContain('"text/html"');
    expect(answer('/nowhere', 200, { status: 'OK' })).toContain('no operation');
    expect(answer('/nowhere', 404, {})).toContain("required property 'status'");
  });
});
