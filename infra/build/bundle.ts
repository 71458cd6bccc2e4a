/** Builds the functions: one folder per function with `index.js`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { loadServedClients } from '#infra/client/served-clients.ts';
import PACKAGE from '../../package.json' with { type: 'json' };
import TSCONFIG from '../../tsconfig.json' with { type: 'json' };
import { buildAssets, buildEmbeddedStyle, listAssetFiles, listAssetPaths } from './assets.ts';
import { type Bundles, listBundles, listFunctionFiles, toFunctionName } from './bundles.ts';
import { type DeclaredFunctions, PROJECT } from './declarations.ts';
import { GUIDE_FILES, parseGuides } from './guides.ts';
import { keepExports } from './keep-exports.ts';
import { openApiDocument } from './openapi.ts';
import { type DeclaredPage, listPagesOfForms, type PageFunction } from './page-functions.ts';
import { buildRouteGuards, readReleasedRoutes } from './route-guards.ts';
import { buildToolActions, buildToolDefinitions } from './tools.ts';
import { makeTrimPlugin } from './trim.ts';

/** Throws if a function does not compile. The functions show `commit` as the commit that was deployed. */
export async function bundleFunctions(
  directory: string,
  functions: DeclaredFunctions,
  commit?: string,
): Promise<Bundles> {
  const { plugins, entryPoints, ...options } = await makeBundleOptions(directory, functions, { commit });
  const trim = makeTrimPlugin();
  for (const group of splitIntoBatches(entryPoints, BUNDLES_AT_ONCE))
    await build({ ...options, entryPoints: group, plugins: [trim.plugin, ...plugins] });
  trim.refuseIdle();
  return listBundles(directory, functions);
}

/**
 * The maximum number of functions that one call of esbuild bundles. esbuild links all entries of a call at the same
 * time, each with its own copy of the modules, which would take 3 GB of memory for all functions. Each call parses the
 * packages again, so groups of this size cost a seventh more CPU time than a single call.
 */
const BUNDLES_AT_ONCE = 16;

export const splitIntoBatches = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

/** Options for esbuild. `file`: name of each output file, without its extension. */
export async function makeBundleOptions(
  directory: string,
  functions: DeclaredFunctions,
  { file = 'index', commit }: { readonly file?: string; readonly commit?: string | undefined } = {},
) {
  const { pageFunctions } = functions;
  return {
    absWorkingDir: PROJECT,
    entryPoints: [
      ...listFunctionFiles(functions).map((path) => ({ in: path, out: `${toFunctionName(path)}/${file}` })),
      ...pageFunctions.map(({ name, folder }) => ({ in: `${PAGES_ENTRY}${name}`, out: `${folder}/${file}` })),
    ],
    outdir: directory,
    bundle: true,
    platform: 'node',
    // Turns `import('node:http')` in the AWS SDK into `require`, which is faster and needs no loader.
    supported: { 'dynamic-import': false },
    target: 'node24',
    // The output is CommonJS, because ESM output would add about 13 ms to each cold start. esbuild reads the ESM
    // sources of packages ("module"), because only these allow tree shaking.
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    logLevel: 'error',
    // Drops imports that only the exports of other functions need. See `keepExports`.
    tsconfigRaw: JSON.stringify({ compilerOptions: { ...TSCONFIG.compilerOptions, verbatimModuleSyntax: false } }),
    define: await buildConstants(functions, commit),
    plugins: [makePageEntryPlugin(pageFunctions)],
  } satisfies BuildOptions;
}

/** Prefix of the names of generated entry files, also in esbuild's metafile. */
export const PAGES_ENTRY = 'pages:';

/** Generates the entry file of each page function, which passes the pages to `servePages`. */
const makePageEntryPlugin = (pageFunctions: readonly PageFunction[]): Plugin => ({
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
      const servedIds = listBundledPages(pageFunctions, suffix.slice(1)).map(
        ({ declaration }) => declaration.operationId,
      );
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

type Constants = Readonly<Record<string, string>>;

async function buildConstants(functions: DeclaredFunctions, commit: string | undefined): Promise<Constants> {
  const { endpoints } = functions;
  const { version, packages } = await loadServedClients();
  const constants = {
    BUILT_API_SEGMENTS: listApiSegments(functions),
    BUILT_FRESH_ACTIONS: listFreshActions(functions),
    BUILT_CLIENT_VERSION: version,
    BUILT_CLIENTS: Object.fromEntries([...packages].map(([version, file]) => [version, file.toString('base64')])),
    BUILT_ROUTES: buildRouteGuards(functions, await readReleasedRoutes()),
    BUILT_TOOLS: buildToolDefinitions(endpoints),
    BUILT_TOOL_ACTIONS: buildToolActions(endpoints),
    BUILT_VERSION: PACKAGE.version,
    BUILT_RELEASE: { version: PACKAGE.version, commit },
    BUILT_OPENAPI: compress(openApiDocument(endpoints)),
  };
  return { ...formatConstants(constants), ...readServedFiles() };
}

/** What a person who needs a recent sign-in is about to do, for each page and form that asks for one. */
const listFreshActions = ({ pageFunctions }: DeclaredFunctions): Record<string, string> =>
  Object.fromEntries(
    pageFunctions.flatMap(({ pages }) =>
      pages.flatMap(({ declaration: { operationId, fresh } }) => (fresh === undefined ? [] : [[operationId, fresh]])),
    ),
  );

/** The files from which `readServedFiles` makes its constants. */
export const listServedFiles = (): string[] => [...listAssetFiles(), ...GUIDE_FILES];

export const readServedFiles = (): Constants =>
  formatConstants({
    BUILT_ASSETS: buildAssets(),
    BUILT_ASSET_PATHS: listAssetPaths(),
    BUILT_STYLE: buildEmbeddedStyle(),
    BUILT_GUIDES: compress(parseGuides()),
  });

const formatConstants = (constants: Readonly<Record<string, unknown>>): Constants =>
  Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]));

const compress = (value: object): string => gzipSync(JSON.stringify(value)).toString('base64');

/** The first path segments of the API and of other protocols, such as `v1`. They never name an organization. */
export function listApiSegments({ endpoints, routeFunctions }: DeclaredFunctions): string[] {
  const paths = [
    ...endpoints.map(({ declaration }) => declaration.path),
    ...routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path)),
  ];
  return [...new Set(paths.map((path) => path.split('/')[1] ?? ''))];
}
