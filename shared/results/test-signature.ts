/** Computes the signature of a test from its project, spec file and title. */
import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { signatureOf } from '#shared/model/ids.ts';
import { projects } from '#shared/model/organizations/project.ts';
import type { Services } from '#shared/services.ts';
import type { TestSignature, TestSignatureBody } from './test-signature-wire.ts';

export async function testSignature(
  { table }: Services,
  { organizationId, body }: { organizationId: string; body: z.output<typeof TestSignatureBody> },
): Promise<z.infer<typeof TestSignature>> {
  const { projectId, specFilePath, testTitle } = body;
  if (!(await table.get(projects, { organizationId, projectId }))) throw notFound('Project');
  return { signature: signatureOf({ organizationId, projectId, spec: specFilePath, title: testTitle }) };
}
