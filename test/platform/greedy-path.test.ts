import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { openApiDocument } from '#infra/build/openapi.ts';
import { buildApiDefinition } from '#infra/constructs/api-definition.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { serveEndpoints } from '#test/harness/served-endpoints.ts';

const Found = z.object({ found: z.string() });
const PUBLIC = {
  at: 'origin',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Of a test',
  response: Found,
} as const;

const asset = endpoint({
  ...PUBLIC,
  operationId: 'getAsset',
  route: 'GET /assets/{version}/{path+}',
  path: { version: z.string(), path: z.string() },
  handle: ({ path }) => ({ found: `${path.version}: ${path.path}` }),
});
const icons = endpoint({
  ...PUBLIC,
  operationId: 'getIcons',
  route: 'GET /assets/{version}/icons/all',
  path: { version: z.string() },
  handle: ({ path }) => ({ found: `icons of ${path.version}` }),
});

async function found(path: string, method = 'GET') {
  const { origin } = await serveEndpoints(asset, icons);
  const answer = await fetch(`${origin}${path}`, { method });
  return answer.status === 200 ? Found.parse(await answer.json()).found : answer.status;
}

describe('A greedy path parameter', () => {
  test.each([
    ['/assets/1/a.css', '1: a.css'],
    ['/assets/1/deep/down/a.css', '1: deep/down/a.css'],
    ['/assets/1/a%20b/%C3%BC.css?x=1', '1: a b/ü.css'],
    ['/assets/1/a//b', '1: a//b'],
    ['/assets/1/icons/all', 'icons of 1'],
    ['/assets/1/icons/one', '1: icons/one'],
    ['/assets/1/icons/all/more', '1: icons/all/more'],
  ])('matches the rest of %s unless a literal path matches', async (path, expected) => {
    expect(await found(path)).toBe(expected);
  });

  test.each(['/assets/1', '/assets/1/', '/assets', '/assets//a'])(
    'A request is refused with 403 if a path parameter is missing or empty: %s',
    async (path) => {
      expect(await found(path)).toBe(403);
    },
  );

  test('A route with a greedy path parameter accepts only the method of its declaration', async () => {
    expect(await found('/assets/1/a.css', 'DELETE')).toBe(403);
  });

  test('stays greedy in the API Gateway definition, but is an ordinary parameter in the OpenAPI document, because OpenAPI has no greedy parameters', () => {
    const route = {
      ...asset.declaration,
      functionName: asset.declaration.operationId,
      isGuarded: false,
      isRecording: false,
    };
    expect(buildApiDefinition(ENVIRONMENTS.dev, [route])).toHaveProperty(['paths', '/assets/{version}/{path+}', 'get']);
    expect(openApiDocument([{ area: 'pages', declaration: asset.declaration }])).toHaveProperty(
      ['paths', '/assets/{version}/{path}', 'get', 'parameters', 1],
      expect.objectContaining({ in: 'path', name: 'path' }),
    );
  });
});
