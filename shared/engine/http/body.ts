/** Decodes request bodies: base64 from API Gateway, optionally gzip. Bodies are untrusted input. */

import { gunzipSync } from 'node:zlib';
import { badEncoding, bodyTooLarge } from '#shared/engine/errors.ts';
import { header, type ProxyEvent } from './event.ts';
import { refuseIntricate } from './json-cost.ts';
import { BODY_LIMITS } from './limits.ts';

export interface EncodedBody {
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
  readonly contentEncoding: string | undefined;
}

/** The body of a request with everything that is needed to decode it. */
export const encodedBody = (
  event: Pick<ProxyEvent, 'body' | 'isBase64Encoded' | 'multiValueHeaders'>,
): EncodedBody => ({
  body: event.body,
  isBase64Encoded: event.isBase64Encoded,
  contentEncoding: header(event, 'content-encoding'),
});

/** Returns text that is safe to parse as JSON. Returns `undefined` for an empty body. */
export function decodeBody(encoded: EncodedBody): string | undefined {
  const bytes = decodedBytes(encoded, BODY_LIMITS.bytes);
  if (bytes.length === 0) return undefined;
  refuseIntricate(bytes);
  const text = bytes.toString('utf8');
  release(bytes);
  return text;
}

/**
 * Frees the memory of a buffer immediately, because parsing needs the memory. Skips small buffers, because they share
 * memory with other buffers.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength > RELEASED_BYTES) buffer.transfer(0);
}
const RELEASED_BYTES = 1024 * 1024;

/** Returns the body without its content coding. Throws `tooLarge()`, a 413, if it has more than `maxBytes`. */
export function decodedBytes(encoded: EncodedBody, maxBytes: number, tooLarge = () => bodyTooLarge(maxBytes)): Buffer {
  const bytes = sentBytes(encoded);
  const coding = codingOf(encoded);
  if (coding === undefined) throw badEncoding();
  if (bytes.length > maxBytes) throw tooLarge();
  return coding === 'gzip' && bytes.length > 0 ? gunzip(bytes, maxBytes, tooLarge) : bytes;
}

/** The body as the client sent it, possibly compressed. */
export const sentBytes = ({ body, isBase64Encoded }: EncodedBody): Buffer =>
  Buffer.from(typeof body === 'string' ? body : '', isBase64Encoded ? 'base64' : 'utf8');

/** The content coding of a body. Returns `undefined` for an unsupported coding. */
export function codingOf({ contentEncoding = 'identity' }: EncodedBody): 'identity' | 'gzip' | undefined {
  const name = contentEncoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return 'identity';
  return name === 'gzip' || name === 'x-gzip' ? 'gzip' : undefined;
}

function gunzip(bytes: Buffer, maxBytes: number, tooLarge: () => Error): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes, chunkSize: chunkFor(bytes) });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : badEncoding();
  }
}

/**
 * The chunk size for gunzip: the size that the gzip trailer states, so that the result is a single chunk. Joining
 * several chunks would take twice the memory. A wrong size is harmless: memory that is not written to costs nothing,
 * and gunzip uses several chunks if the size is too small.
 */
function chunkFor(bytes: Buffer): number {
  const stated = bytes.length < TRAILER_BYTES ? 0 : bytes.readUInt32LE(bytes.length - TRAILER_BYTES);
  return Math.min(Math.max(stated + 1, SMALLEST_CHUNK), BODY_LIMITS.bytes);
}
const TRAILER_BYTES = 4;
const SMALLEST_CHUNK = 64 * 1024;
