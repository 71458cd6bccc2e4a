/** Groups the pages and forms of `functions/pages/` by the Lambda function that serves them. */

import { sessions } from '#shared/model/sign-in/session.ts';
import type { Access } from '#shared/platform/access.ts';
import { joinAccess } from '#shared/platform/joined-access.ts';
import type { Form, PageDeclaration, PageLambda, PageView } from '#shared/platform/page.ts';

export interface DeclaredPage {
  /** The path from the project's root, for example `functions/pages/runs.tsx`. */
  readonly file: string;
  readonly declaration: PageDeclaration;
}

export interface PageFunction {
  /** The name of the Lambda function in camel case, for example `signIn`. */
  readonly name: string;
  /** The folder of its bundle. */
  readonly folder: PageLambda;
  readonly pages: readonly DeclaredPage[];
}

/** Does not check the content of `declaration`: only `page()` and `form()` create a declaration with a `kind`. */
export const isPage = (handler: unknown): handler is PageView | Form =>
  typeof handler === 'object' &&
  handler !== null &&
  'declaration' in handler &&
  typeof handler.declaration === 'object' &&
  handler.declaration !== null &&
  'kind' in handler.declaration;

export const groupPages = (all: readonly DeclaredPage[]): PageFunction[] =>
  [...Map.groupBy(all, ({ declaration }) => declaration.lambda)].sort().map(([folder, pages]) => ({
    name: RENAMED[folder] ?? folder.replaceAll(/-(.)/g, (_, first: string) => first.toUpperCase()),
    folder,
    pages,
  }));

/**
 * The functions of the greedy routes. Release 0.2.0 has functions that are named like the folders, which do not know
 * these routes. With the same names, a roll back would give the routes the earlier code minutes before it changes them.
 */
const RENAMED: Readonly<Partial<Record<PageLambda, string>>> = {
  pages: 'showPages',
  settings: 'showSettings',
  forms: 'receiveForms',
};

/** Pages of other functions with forms of this one. The bundle needs them: a refused form renders its page again. */
export function listPagesOfForms(all: readonly PageFunction[], ownPages: readonly DeclaredPage[]): DeclaredPage[] {
  const pageById = new Map(all.flatMap(({ pages }) => pages).map((page) => [page.declaration.operationId, page]));
  const pages = ownPages.flatMap(({ file, declaration: { page } }) => {
    if (page === undefined) return [];
    const formPage = pageById.get(page);
    if (formPage?.declaration.kind !== 'page')
      throw new Error(`${file} refers to ${page}, but no file declares a page with this operationId: correct the id`);
    return ownPages.includes(formPage) ? [] : [formPage];
  });
  return [...new Set(pages)];
}

/** Access to the session. Every request may update its session row. */
const OWN_SESSION: Access = { table: 'readUpdate', writes: [sessions], artifacts: 'none' };

export function derivePageAccess({ pages }: PageFunction): Access {
  const pageAccess = pages.map(({ declaration }) => declaration.access);
  const isPublic = pages.every(({ declaration }) => declaration.needs === 'public');
  return joinAccess(isPublic ? pageAccess : [OWN_SESSION, ...pageAccess]);
}
