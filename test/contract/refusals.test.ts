import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadDeclarations, PROJECT } from '#infra/build/declarations.ts';
import { readOpenApi } from '#test/harness/stage.ts';
import { readDocument } from './document.ts';

const endpoints = await loadDeclarations();
const api = readDocument(await readOpenApi());

/** Status codes that come only from the code of an operation, and not from the gateway. */
const OWN = ['404', '409', '422'];

/** The code of each function after tree shaking, by operation id. */
const reachable = new Map<string, string>();

beforeAll(async () => {
  const { outputFiles } = await build({
    absWorkingDir: PROJECT,
    entryPoints: endpoints.map(({ file, declaration }) => ({ in: file, out: declaration.operationId })),
    outdir: '/nowhere',
    write: false,
    bundle: true,
    platform: 'node',
    packages: 'external',
    format: 'esm',
    define: { BUILT_OPENAPI: '""' },
  });
  for (const { path, text } of outputFiles) reachable.set(path.replace(/^.*[\\/]|\.js$/g, ''), text);
});

describe('the OpenAPI document', () => {
  test.each(api.operations.map((operation) => [operation.operationId, operation] as const))(
    'lists for %s exactly those of the errors 404, 409 and 422 that its code can return',
    (operationId, { responses }) => {
      const code = reachable.get(operationId) ?? '';
      const made = new Set([...code.matchAll(/new ApiError\(\s*(\d{3})/g)].map(([, status]) => status));
      const described = Object.keys(responses).filter((status) => OWN.includes(status));
      expect(described).toEqual(OWN.filter((status) => made.has(status)));
      const recording = responses[422]?.pointer.endsWith('/RunTakesNoMore') ?? false;
      expect(recording).toBe(code.includes('recordingRefusal('));
    },
  );

  test('lists the errors of the gateway for every operation', () => {
    for (const { operationId, responses } of api.operations) {
      const described = Object.keys(responses);
      expect({ operationId, described }).toEqual({
        operationId,
        described: expect.arrayContaining(['400', '413', '414', '429', '431', '500', '502', '503', '504']),
      });
    }
  });
});
