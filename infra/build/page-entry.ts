/** The generated entry file of each function that serves pages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { PROJECT } from './declarations.ts';
import { keepExports } from './keep-exports.ts';
import { type DeclaredPage, listPagesOfForms, type PageFunction } from './page-functions.ts';

/** Prefix of the names of generated entry files, also in esbuild's metafile. */
export const PAGES_ENTRY = 'pages:';

/** Generates the entry file of each page function, which passes the pages to `servePages`. */
export const makePageEntryPlugin = (pageFunctions: readonly PageFunction[]): Plugin => ({
  name: 'page entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^pages:/ }, ({ path }) => ({ path: path.slice(PAGES_ENTRY.length), namespace: 'pages' }));
    onLoad({ filter: /.*/, namespace: 'pages' }, ({ path }) => {
      return { contents: generatePageEntry(pageFunctions, path), resolveDir: PROJECT, loader: 'ts' };
    });
    // A function gets its own copy of a file of pages, so that it bundles nothing that only other functions need.
    onResolve({ filter: /^\.\/functions\/pages\// }, ({ path, importer, namespace }) =>
      namespace === 'pages' ? { path: join(PROJECT, path), suffix: `?${importer}` } : undefined,
    );
    onLoad({ filter: /\/functions\/pages\/[^/]+\.tsx$/ }, async ({ path, suffix }) => {
      const pages = listBundledPages(pageFunctions, suffix.slice(1));
      const servedIds = pages.map(({ declaration }) => declaration.operationId);
      return { contents: keepExports(path, await readFile(path, 'utf8'), new Set(servedIds)), loader: 'tsx' };
    });
  },
});

export function generatePageEntry(pageFunctions: readonly PageFunction[], name: string): string {
  const ownPages = findPages(pageFunctions, name);
  const otherPages = listPagesOfForms(pageFunctions, ownPages);
  const imports = [...ownPages, ...otherPages].map(
    ({ file, declaration: { operationId } }) => `import { ${operationId} } from './${file}';`,
  );
  const list = (pages: readonly DeclaredPage[]) => `[${pages.map(({ declaration }) => declaration.operationId)}]`;
  return [
    ...imports,
    "import { servePages } from '#shared/platform/serve-pages.ts';",
    `export const handler = servePages(${list(ownPages)}, ${list(otherPages)});`,
  ].join('\n');
}

const findPages = (pageFunctions: readonly PageFunction[], name: string): readonly DeclaredPage[] =>
  pageFunctions.find((one) => one.name === name)?.pages ?? [];

function listBundledPages(pageFunctions: readonly PageFunction[], name: string): DeclaredPage[] {
  const ownPages = findPages(pageFunctions, name);
  return [...ownPages, ...listPagesOfForms(pageFunctions, ownPages)];
}
