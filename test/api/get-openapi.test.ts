import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { service } from '#test/harness/service.ts';

describe('GET /docs/openapi.json', () => {
  test('The OpenAPI document is public, describes every operation, and lists the origin that serves the document as a server', async () => {
    const { anonymous, origin } = await service();
    const { status, body } = await anonymous.get('/docs/openapi.json');
    expect({ status, openapi: body.openapi, servers: body.servers }).toEqual({
      status: 200,
      openapi: '3.1.0',
      servers: [
        { url: `${origin}/v1`, description: 'This deployment' },
        { url: 'http://localhost:4000/v1', description: 'npm start' },
      ],
    });
    const described = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    const declared = (await loadDeclarations()).map(
      ({ declaration: { operationId, method, path } }) => `${operationId} ${method} ${path.replace(/^\/v1/, '')}`,
    );
    expect(described.sort()).toEqual(declared.sort());
  });
});
