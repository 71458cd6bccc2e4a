/**
 * Finds one member of a JSON object in a request that is not authenticated yet. A compressed body is inflated in parts,
 * which are not kept in memory, and only up to a limit.
 */

import { createGunzip } from 'node:zlib';
import { isZlibError } from '#shared/engine/zlib-error.ts';
import { type EncodedBody, getSentBytes, parseContentCoding } from './body.ts';
import { JsonScan, type Text, type Visitor } from './json-scan.ts';
import { BODY_LIMITS } from './limits.ts';

/** Stops at the first top-level member with the name, whatever the type of its value. */
class Finder implements Visitor {
  done = false;
  found: string | undefined;
  readonly #wanted: string;
  #isNext = false;

  constructor(memberName: string) {
    this.#wanted = memberName;
  }

  open(depth: number, isObject: boolean): void {
    const isNoObject = depth === 1 && !isObject;
    if (this.#isNext || isNoObject || depth > BODY_LIMITS.depth) this.done = true;
  }

  name(depth: number, name: Text): void {
    this.#isNext = depth === 1 && name.spelled() === this.#wanted;
  }

  text(_: number, text: Text): void {
    if (!this.#isNext) return;
    this.done = true;
    this.found = text.spelled();
  }

  next(): void {
    if (this.#isNext) this.done = true;
  }
}

/**
 * Returns the text of a top-level member. Returns `undefined` if the member is missing, too long or not a string, if it
 * is beyond the inflation limit, or if the body before it cannot be decoded.
 */
export async function readTopLevelText(body: EncodedBody, name: string): Promise<string | undefined> {
  const finder = new Finder(name);
  const scan = new JsonScan(finder);
  const bytes = getSentBytes(body);
  switch (parseContentCoding(body)) {
    case 'identity':
      scan.push(bytes);
      return finder.found;
    case 'gzip':
      await scanCompressed(bytes, scan, finder);
      return finder.found;
    case undefined:
      return undefined;
  }
}

/** Stops where the member is found, where the bytes are no gzip, or at the inflation limit. */
async function scanCompressed(bytes: Uint8Array, scan: JsonScan, finder: Finder): Promise<void> {
  try {
    for await (const part of decompressParts(bytes)) {
      scan.push(part);
      if (finder.done) return;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
  }
}

async function* decompressParts(bytes: Uint8Array): AsyncGenerator<Buffer, void> {
  const { fromBytes, times } = BODY_LIMITS.unauthenticatedInflation;
  let left = Math.min(Math.max(fromBytes, bytes.length * times), BODY_LIMITS.bytes);
  const stream = createGunzip({ chunkSize: PART_BYTES });
  stream.end(bytes);
  for await (const part of stream) {
    left -= part.length;
    if (left < 0) return;
    yield part;
  }
}

const PART_BYTES = 64 * 1024;
