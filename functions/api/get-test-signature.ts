import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { computeTestSignature } from '#shared/results/executions/test-signature.ts';
import { TestSignature, TestSignatureBody } from '#shared/results/executions/test-signature-wire.ts';

/**
 * This operation is not in the specification. Clients compute test signatures with it. Although the method is POST,
 * Read Only keys may call the operation, because it changes nothing.
 */
export const handler = endpoint({
  operationId: 'getTestSignature',
  route: 'POST /signature/test',
  permission: 'signatures:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Compute a test signature from project, spec file and title',
  body: TestSignatureBody,
  response: single(TestSignature),
  refuses: ['notFound'],
  tool: {
    description:
      'Use it when you know a test from its source code and want its history. Needs `projectId` from list_projects. Path and title must match what runs report, including all describe blocks.',
    next: 'get_test_results with `signature`. An empty history means that the path or title does not match what runs report.',
  },
  async handle({ caller, body }, services) {
    return wrapData(await computeTestSignature(services, { ...caller, body }));
  },
});
