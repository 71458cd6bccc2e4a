import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { TestSignature, TestSignatureBody, testSignature } from '#shared/results/test-signature.ts';

/** Not in the specification; clients compute signatures with it. A POST that changes nothing, so a Read Only key may. */
export const handler = endpoint({
  operationId: 'getTestSignature',
  route: 'POST /signature/test',
  permission: 'anyCredential',
  access: { table: 'read', artifacts: 'none' },
  summary: 'The signature of a test from its project, spec file and title',
  body: TestSignatureBody,
  response: single(TestSignature),
  async handle({ caller: { organizationId }, body }, services) {
    return ok({ data: await testSignature(services, { organizationId, body }) });
  },
});
