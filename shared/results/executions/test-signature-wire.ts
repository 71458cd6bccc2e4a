/** The wire shapes of test signatures. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, spec, title } from '#shared/model/names.ts';

const SEPARATOR = ' > ';

/** A list of parts, or one string with its parts joined by ` > `. */
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

export const TestSignatureBody = z.strictObject({ projectId: id, specFilePath: spec, testTitle: TestTitle });

export const TestSignature = z.object({ signature: z.string() });
