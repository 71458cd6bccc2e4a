/** §8 Cursors: opaque, authenticated, and bound to the list and the filters they were made for. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidCursor } from '../errors.ts';
import { LIMITS } from '../limits.ts';

const VERSION = '1';
const TAG_BYTES = 12;

/** What a cursor is bound to beside the secret of its organization. */
export interface CursorScope {
  readonly list: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

export interface Cursors {
  readonly seal: (position: string) => string;
  /** The position, or 400. */
  readonly open: (cursor: string) => string;
}

export function cursorsFor(secret: Uint8Array, { list, filters }: CursorScope): Cursors {
  const scope = JSON.stringify([VERSION, list, canonical(filters)]);
  const tag = (position: string) =>
    createHmac('sha256', secret).update(scope).update('\n').update(position).digest().subarray(0, TAG_BYTES);
  const seal = (position: string) => Buffer.concat([tag(position), Buffer.from(position)]).toString('base64url');
  return {
    seal,
    open: (cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (cursor.length > LIMITS.cursorCharacters || bytes.length <= TAG_BYTES) throw invalidCursor();
      const position = bytes.subarray(TAG_BYTES).toString('utf8');
      // A second spelling of the same bytes would be a second cursor for one item.
      if (!timingSafeEqual(tag(position), bytes.subarray(0, TAG_BYTES)) || seal(position) !== cursor)
        throw invalidCursor();
      return position;
    },
  };
}

/** The same filters in another order, or with a value twice, ask for the same list. */
const canonical = (filters: CursorScope['filters']) =>
  Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name,
      Array.isArray(value) ? [...new Set(value.map((one) => JSON.stringify(one)))].sort() : value,
    ])
    .sort();
