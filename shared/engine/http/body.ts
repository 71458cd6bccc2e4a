/** Decodes request bodies: base64 from API Gateway, optionally gzip. Bodies are untrusted input. */

import { gunzipSync } from 'node:zlib';
import { badEncoding, bodyTooLarge } from '#shared/engine/errors.ts';
import { type ProxyEvent, readHeader } from './event.ts';
import { refuseIntricate } from './json-cost.ts';
import { BODY_LIMITS } from './limits.ts';

export interface EncodedBody {
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
  readonly contentEncoding: string | undefined;
}

export const getEncodedBody = (
  event: Pick<ProxyEvent, 'body' | 'isBase64Encoded' | 'multiValueHeaders'>,
): EncodedBody => ({
  body: event.body,
  isBase64Encoded: event.isBase64Encoded,
  contentEncoding: readHeader(event, 'content-encoding'),
});

/** Returns text that is safe to parse as JSON, or `undefined` for an empty body. */
export function decodeBody(body: EncodedBody): string | undefined {
  const bytes = dropByteOrderMark(decodeBytes(body, BODY_LIMITS.bytes));
  if (bytes.length === 0) return undefined;
  refuseIntricate(bytes);
  const text = bytes.toString('utf8');
  releaseMemory(bytes);
  return text;
}

/** PowerShell writes one before JSON, which has none (RFC 8259). */
export const dropByteOrderMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Frees memory that parsing needs. Small buffers share memory with other buffers and are skipped. */
function releaseMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength > RELEASED_BYTES) buffer.transfer(0);
}
const RELEASED_BYTES = 1024 * 1024;

/** Removes the content coding. Throws `tooLarge()`, a 413, if more than `maxBytes` result. */
export function decodeBytes(body: EncodedBody, maxBytes: number, tooLarge = () => bodyTooLarge(maxBytes)): Buffer {
  const bytes = getSentBytes(body);
  const coding = parseContentCoding(body);
  if (coding === undefined) throw badEncoding();
  if (bytes.length > maxBytes) throw tooLarge();
  return coding === 'gzip' && bytes.length > 0 ? decompressGzip(bytes, maxBytes, tooLarge) : bytes;
}

/** Possibly compressed. */
export const getSentBytes = ({ body, isBase64Encoded }: EncodedBody): Buffer =>
  Buffer.from(typeof body === 'string' ? body : '', isBase64Encoded ? 'base64' : 'utf8');

/** Returns `undefined` for an unsupported coding. */
export function parseContentCoding({ contentEncoding = 'identity' }: EncodedBody): 'identity' | 'gzip' | undefined {
  const name = contentEncoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return 'identity';
  return name === 'gzip' || name === 'x-gzip' ? 'gzip' : undefined;
}

function decompressGzip(bytes: Buffer, maxBytes: number, tooLarge: () => Error): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes, chunkSize: computeChunkSize(bytes) });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : badEncoding();
  }
}

/**
 * The chunk size for gunzip: the size that the gzip trailer states, so that the result is a single chunk. Joining
 * several chunks would take twice the memory. A wrong size is harmless: memory that is not written to costs nothing,
 * and gunzip uses several chunks if the size is too small.
 */
function computeChunkSize(bytes: Buffer): number {
  const statedSize = bytes.length < TRAILER_BYTES ? 0 : bytes.readUInt32LE(bytes.length - TRAILER_BYTES);
  return Math.min(Math.max(statedSize + 1, SMALLEST_CHUNK), BODY_LIMITS.bytes);
}
const TRAILER_BYTES = 4;
const SMALLEST_CHUNK = 64 * 1024;
