/** The wire shapes of announced and uploaded files. */
import * as z from 'zod';
import { Rounds } from '#shared/fair-shares/with-slot.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id } from '#shared/model/names.ts';
import { ANY_CONTENT } from '#shared/model/tests/artifact.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { sentIds } from './sent-ids.ts';

const fileName = z.string().transform((name) => name.slice(0, RECORDING_LIMITS.fileNameCharacters).toWellFormed());

/** The media type and its parameters, such as `charset`. */
const CONTENT_TYPE = /^([\w.+-]+\/[\w.+-]+)(;.*)?$/s;
const VISIBLE = /^[\u0020-\u007e]*$/;

/**
 * The stored form of a content type. Links to files carry it in a header, which takes visible ASCII only. Reporters of
 * existing suites send other parameters too, for example file names, so those are dropped and the file is kept.
 */
export const contentType = z
  .string()
  .regex(CONTENT_TYPE)
  .transform((sent) => (VISIBLE.test(sent) ? sent : sent.replace(CONTENT_TYPE, '$1')))
  .pipe(z.string().max(MODEL_LIMITS.idCharacters))
  .catch(ANY_CONTENT);

export const ArtifactType = z
  .enum(['attachment', 'coverage', 'screenshot', 'stdout', 'trace', 'video'])
  .catch('attachment');

export const TestArtifactBody = z.object({
  type: ArtifactType,
  name: fileName,
  filename: fileName.nullish(),
  artifactId: id,
  attemptId: z.int().nonnegative().catch(0),
  contentType,
  ...sentIds,
});

const { testId, ...sentWithInstance } = sentIds;

export const InstanceArtifactBody = z.object({ type: ArtifactType, name: fileName, contentType, ...sentWithInstance });

export const ArtifactAnswer = z.object({ uploadUrl: z.string() });

/** Decodes an object key. S3 encodes keys as in a query string: blanks as `+`, the rest percent-encoded. */
const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

/** The message that S3 sends to the queue. S3 also sends a test message, which has no records. */
export const ObjectCreated = z.object({
  Records: z
    .array(z.object({ s3: z.object({ object: z.object({ key: z.string().transform(decodeKey) }) }) }))
    .default([]),
  rounds: Rounds,
});

/** The message about one object, as S3 writes it. A function sends it to wait for a free slot. */
export const objectCreated = (key: string, rounds: number) => ({
  Records: [{ s3: { object: { key: encodeURIComponent(key) } } }],
  rounds,
});
export type ObjectMessage = ReturnType<typeof objectCreated>;
