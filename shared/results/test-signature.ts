/** Computes the signature of a test from its project, spec file and title. */
import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { signatureOf } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, spec, title } from '#shared/model/names.ts';
import { projects } from '#shared/model/project.ts';
import type { Services } from '#shared/services.ts';

const SEPARATOR = ' > ';

/** A list of parts, or one text with its parts joined by ` > `. */
const TestTitle = z.union(
  [
    title,
    z
      .string()
      .transform((text) => text.split(SEPARATOR).map((part) => part.trim()))
      .pipe(title),
  ],
  {
    error: ({ input }) =>
      input === undefined
        ? undefined
        : `must be an array of 1 to ${MODEL_LIMITS.titleParts} strings, or one string with its parts joined by "${SEPARATOR}"`,
  },
);

export const TestSignatureBody = z.object({ projectId: id, specFilePath: spec, testTitle: TestTitle });
export const TestSignature = z.object({ signature: z.string() });

export async function testSignature(
  { table }: Services,
  { organizationId, body }: { organizationId: string; body: z.output<typeof TestSignatureBody> },
): Promise<z.infer<typeof TestSignature>> {
  const { projectId, specFilePath, testTitle } = body;
  if (!(await table.get(projects, { organizationId, projectId }))) throw notFound('Project');
  return { signature: signatureOf({ organizationId, projectId, spec: specFilePath, title: testTitle }) };
}
