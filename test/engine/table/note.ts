/** A table entity for tests, whose items may have any content. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';

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
  key: ({ book, page }) => ({ pk: composed('BOOK', book), sk: composed('NOTE', page) }),
  store: ({ pk, sk, ...note }) => note,
  load: (row) => {
    const { pk, sk, ...note } = stored<Note>(row);
    return note;
  },
};

export const notesOf = (book: string) => beginningWith(composed('BOOK', book), prefix('NOTE'));
/** Returns a page name that sorts like its number. */
export const pageNumber = (number: number): string => String(number).padStart(5, '0');
