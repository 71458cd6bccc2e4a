import { ok, single } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { testSignature } from '#shared/results/test-signature.ts';
import { TestSignature, TestSignatureBody } from '#shared/results/test-signature-wire.ts';

/**
 * The specification does not name this operation. Clients compute signatures with it. A Read Only key may call this
 * POST: it changes nothing.
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
      'Use it when you know a test from its source code and want its history. Needs `projectId` from list_projects. Path and title must be those that runs report, with all describe blocks.',
    next: 'get_test_results with `signature`. An empty history means that path or title differ from those of runs.',
  },
  async handle({ actor: { organizationId }, body }, services) {
    return ok({ data: await testSignature(services, { organizationId, body }) });
  },
});
