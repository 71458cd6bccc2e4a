/** What announcements of files say about a file, and the messages that S3 sends when it was uploaded. */

import * as z from 'zod';
import { Rounds } from '#shared/fair-shares/with-slot.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { ANY_CONTENT } from '#shared/model/results/artifact.ts';
import { RECORDING_LIMITS } from './limits.ts';

export const fileName = z
  .string()
  .transform((name) => name.slice(0, RECORDING_LIMITS.fileNameCharacters).toWellFormed());

/** The media type and its parameters, such as `charset`. */
const CONTENT_TYPE = /^([\w.+-]+\/[\w.+-]+)(;.*)?$/s;
const VISIBLE = /^[\u0020-\u007e]*$/;

/**
 * Downloads send the content type in a header, which may contain visible ASCII characters only. If a parameter contains
 * others, for example in a file name, all are dropped. An invalid content type becomes `application/octet-stream`.
 */
export const contentType = z
  .string()
  .regex(CONTENT_TYPE)
  .transform((value) => (VISIBLE.test(value) ? value : value.replace(CONTENT_TYPE, '$1')))
  .pipe(z.string().max(MODEL_LIMITS.idCharacters))
  .catch(ANY_CONTENT);

export const ArtifactType = z
  .enum(['attachment', 'coverage', 'screenshot', 'stdout', 'trace', 'video'])
  .catch('attachment');

/** S3 encodes keys as in a query string: spaces as `+`, and other special characters percent-encoded. */
const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

/** The message that S3 sends to the queue. S3 also sends a test message, which has no records. */
export const ObjectCreated = z.object({
  Records: z
    .array(z.object({ s3: z.object({ object: z.object({ key: z.string().transform(decodeKey) }) }) }))
    .default([]),
  rounds: Rounds,
});

/** In the format of S3. If the organization has no free slot, the function sends itself this message, to try later. */
export const makeObjectMessage = (key: string, rounds: number) => ({
  Records: [{ s3: { object: { key: encodeURIComponent(key) } } }],
  rounds,
});
export type ObjectMessage = ReturnType<typeof makeObjectMessage>;
