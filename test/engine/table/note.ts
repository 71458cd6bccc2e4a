/** A table entity for tests, whose items may have any content. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';

export interface Note {
  readonly book: string;
  readonly page: string;
  readonly [attribute: string]: unknown;
}

export const notes: Entity<Pick<Note, 'book' | 'page'>, Note> = {
  type: 'note',
  guarded: false,
  removal: 'apart',
  patterns: [],
  key: ({ book, page }) => ({ pk: composeKey('BOOK', book), sk: composeKey('NOTE', page) }),
  store: ({ pk, sk, ...note }) => note,
  load: (row) => {
    const { pk, sk, ...note } = loadAttributes<Note>(row);
    return note;
  },
};

export const notesOf = (book: string) => getPrefixSpan(composeKey('BOOK', book), composePrefix('NOTE'));
/** Returns a page name that sorts like its number. */
export const pageNumber = (number: number): string => String(number).padStart(5, '0');
