/** Finds the pages and forms in `functions/`. The pages of a folder share one Lambda, because people click through many pages. */

import type { RowKind } from '#shared/engine/table/entity.ts';
import { sessions } from '#shared/model/session.ts';
import type { Access } from '#shared/platform/declaration.ts';
import type { Form, Page, PageDeclaration } from '#shared/platform/page.ts';

export interface DeclaredPage {
  /** Path from the project's root: `functions/pages/show-run.tsx`. */
  readonly file: string;
  readonly declaration: PageDeclaration;
}

export interface PageFunction {
  /** The folder in camel case: `signIn`. */
  readonly name: string;
  /** The folder below `functions/`: `sign-in`. */
  readonly folder: string;
  readonly pages: readonly DeclaredPage[];
}

/** Trusts the shape below `declaration`: only `page()` and `form()` create one with these kinds. */
export const isPage = (handler: unknown): handler is Page | Form =>
  typeof handler === 'object' &&
  handler !== null &&
  'declaration' in handler &&
  typeof handler.declaration === 'object' &&
  handler.declaration !== null &&
  'kind' in handler.declaration;

export const pageFunctionsOf = (all: readonly (DeclaredPage & { readonly folder: string })[]): PageFunction[] =>
  [...Map.groupBy(all, ({ folder }) => folder)].map(([folder, ofFolder]) => ({
    name: folder.replaceAll(/-(.)/g, (_, first: string) => first.toUpperCase()),
    folder,
    pages: ofFolder.map(({ file, declaration }) => ({ file, declaration })),
  }));

/** The pages of other functions that contain these forms. */
export function pagesOfForms(all: readonly PageFunction[], own: readonly DeclaredPage[]): DeclaredPage[] {
  const known = new Map(all.flatMap(({ pages }) => pages).map((page) => [page.declaration.operationId, page]));
  const pages = own.flatMap(({ file, declaration: { page } }) => {
    if (page === undefined) return [];
    const found = known.get(page);
    if (found?.declaration.kind !== 'page') throw new Error(`${file} names the page ${page}, which no file declares`);
    return own.includes(found) ? [] : [found];
  });
  return [...new Set(pages)];
}

const TABLE = ['readUpdate', 'readWrite'] as const;

/** The permissions of a function: everything that one of its pages needs. A request may also update its session. */
export function accessOf({ name, pages }: PageFunction): Access {
  if (pages.every(({ declaration }) => declaration.needs === 'public')) return { table: 'none', artifacts: 'none' };
  const all = pages.map(({ declaration }) => declaration.access);
  const artifacts = [...new Set(all.map((one) => one.artifacts))].filter((one) => one !== 'none');
  if (artifacts.length > 1) throw new Error(`The pages of ${name} need different access to artifacts: ${artifacts}`);
  const writing = all.filter(({ table }) => table === 'readWrite');
  const named: readonly RowKind[] = [
    sessions,
    ...all.flatMap(({ writes = [], alsoWrites = [] }) => [...writes, ...alsoWrites]),
  ];
  const isKeeper = all.some(({ secrets }) => secrets === 'write');
  const isLimited = writing.every(({ writes }) => writes !== undefined);
  return {
    table: TABLE[writing.length === 0 ? 0 : 1],
    artifacts: artifacts[0] ?? 'none',
    ...(isKeeper ? { secrets: 'write' } : {}),
    ...(isLimited ? { writes: named } : { alsoWrites: named }),
  };
}
