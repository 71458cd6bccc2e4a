/** Computes the signature of a test from its project, spec file and title. */
import type * as z from 'zod';
import { findProject } from '#shared/find-project.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import type { Services } from '#shared/services.ts';
import type { TestSignature, TestSignatureBody } from './test-signature-wire.ts';

export async function computeTestSignature(
  services: Services,
  { organizationId, body }: { organizationId: string; body: z.output<typeof TestSignatureBody> },
): Promise<z.infer<typeof TestSignature>> {
  const { projectId, specFilePath, testTitle } = body;
  await findProject(services, { organizationId, projectId });
  return { signature: deriveSignature({ organizationId, projectId, spec: specFilePath, title: testTitle }) };
}
