/** §8 Cursors: opaque, authenticated with an HMAC, and bound to their list and its filters. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { invalidCursor } from '#shared/engine/errors.ts';

const VERSION = '1';
const TAG_BYTES = 12;

/** Lets each cursor begin with `A`. A cursor that begins with `-` would get an apostrophe in a CSV file. */
const FIRST = Buffer.from([0]);

/** What a cursor is bound to, besides the secret of its organization. */
export interface CursorScope {
  readonly list: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

export interface Cursors {
  readonly seal: (position: string) => string;
  /** Returns the position in a cursor, or throws 400. */
  readonly open: (cursor: string) => string;
}

export function makeCursors(secret: KeyObject, { list, filters }: CursorScope): Cursors {
  const scope = JSON.stringify([VERSION, list, normalizeFilters(filters)]);
  const tag = (position: string) =>
    createHmac('sha256', secret).update(scope).update('\n').update(position).digest().subarray(0, TAG_BYTES);
  const seal = (position: string) => Buffer.concat([FIRST, tag(position), Buffer.from(position)]).toString('base64url');
  return {
    seal,
    open: (cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      const position = bytes.subarray(FIRST.length + TAG_BYTES).toString('utf8');
      // Compares the cursors as text, so that only one spelling of each cursor is valid.
      if (!isEqual(seal(position), cursor)) throw invalidCursor();
      return position;
    },
  };
}

function isEqual(expectedCursor: string, cursor: string): boolean {
  const expectedBytes = Buffer.from(expectedCursor);
  const bytes = Buffer.from(cursor);
  return expectedBytes.length === bytes.length && timingSafeEqual(expectedBytes, bytes);
}

/** Another order of filters or values, and repeated values, give the same list, so they give the same form. */
const normalizeFilters = (filters: CursorScope['filters']) =>
  Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name,
      Array.isArray(value) ? [...new Set(value.map((one) => JSON.stringify(one)))].sort() : value,
    ])
    .sort();
