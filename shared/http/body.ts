/** Request bodies: what the gateway hands over is base64, perhaps gzip, and never trusted to be small or shallow. */
import { gunzipSync } from 'node:zlib';
import { badEncoding, bodyTooDeep, bodyTooLarge } from '../errors.ts';
import { LIMITS } from '../limits.ts';

export interface EncodedBody {
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
  readonly contentEncoding: string | undefined;
}

/** The body as text, `undefined` where there is none. */
export function decodeBody({ body, isBase64Encoded, contentEncoding }: EncodedBody): string | undefined {
  if (typeof body !== 'string' || body === '') return undefined;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > LIMITS.bodyBytes) throw bodyTooLarge(LIMITS.bodyBytes);
  const encoding = contentEncoding?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return bytes.toString('utf8');
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw badEncoding();
  return gunzip(bytes).toString('utf8');
}

function gunzip(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: LIMITS.bodyBytes });
  } catch (error) {
    throw error instanceof RangeError ? bodyTooLarge(LIMITS.bodyBytes) : badEncoding();
  }
}

/** Walks with a list of its own: recursion is what a deep document attacks. */
export function refuseDeep(document: unknown): void {
  let level = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.bodyDepth) throw bodyTooDeep(LIMITS.bodyDepth);
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}
