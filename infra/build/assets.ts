/** The static files of the pages: the style sheet, the scripts, the icon, the notices and the trace viewer. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { readTraceViewerFiles, TRACE_VIEWER_FOLDER } from './trace-viewer.ts';

const FOLDER = join(import.meta.dirname, '../../shared/pages/assets');
/** The licenses of the packages in the bundles. `npm run notices` writes this file. */
export const NOTICES = join(import.meta.dirname, '../release/THIRD-PARTY-NOTICES');
const SCRIPTS = ['rundown.js', 'passkey.js', 'import.js'];
const DIGEST_CHARACTERS = 12;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  // LICENSE and NOTICE
  '': 'text/plain; charset=utf-8',
};

interface Asset {
  readonly contentType: string;
  /** The content, compressed with gzip, as base64. */
  readonly content: string;
  /** Whether the file belongs to the trace viewer, which has its own content security policy. */
  readonly isOfTraceViewer: boolean;
}

interface OwnFile {
  readonly name: string;
  /** Path below `/assets/`. A changed file gets a new path, so browsers may cache each file forever. */
  readonly path: string;
  readonly text: string;
}

/** The parts of the style sheet that every page loads. The other style sheets are loaded by the pages that use them. */
const PART_OF_MAIN_SHEET = /^\d-/;
const MAIN_SHEET = 'rundown.css';

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

function buildStyleSheets(): OwnFile[] {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.css'))
    .sort();
  const build = (name: string, parts: readonly string[]) =>
    makeOwnFile(name, transformSync(parts.map(read).join('\n'), { loader: 'css', minify: true }).code);
  const [parts, others] = [true, false].map((isPart) =>
    names.filter((name) => PART_OF_MAIN_SHEET.test(name) === isPart),
  );
  return [build(MAIN_SHEET, parts ?? []), ...(others ?? []).map((name) => build(name, [name]))];
}

function buildOwnFiles(): OwnFile[] {
  return [
    ...buildStyleSheets(),
    ...SCRIPTS.map((name) =>
      makeOwnFile(name, transformSync(read(name), { loader: 'js', format: 'esm', minify: true }).code),
    ),
    makeOwnFile('icon.svg', read('icon.svg')),
    makeOwnFile('third-party-notices.txt', readFileSync(NOTICES, 'utf8')),
  ];
}

const listClasses = (style: string): Set<string> =>
  new Set([...style.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name));

/**
 * The style sheets for pages that embed them, and their hashes for the Content-Security-Policy. `classes` are those
 * that only this style sheet knows: a page that has one of them needs it. Every page needs the first one.
 */
export function describeStyleSheets(): {
  readonly path: string;
  readonly hash: string;
  readonly content: string;
  readonly classes: readonly string[];
}[] {
  const sheets = buildStyleSheets();
  const ofMain = listClasses(sheets.find(({ name }) => name === MAIN_SHEET)?.text ?? '');
  return sheets.map(({ name, path, text }) => ({
    path: `/assets/${path}`,
    hash: `sha256-${createHash('sha256').update(text).digest('base64')}`,
    content: brotliCompressSync(text).toString('base64'),
    classes: name === MAIN_SHEET ? [] : [...listClasses(text)].filter((one) => !ofMain.has(one)),
  }));
}

function makeOwnFile(name: string, text: string): OwnFile {
  const ending = extname(name);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
  return { name, path: `${name.slice(0, -ending.length)}-${digest}${ending}`, text };
}

/** The public paths of our own files and of the trace viewer's page, by name, such as `rundown.css`. */
export const listAssetPaths = (): Record<string, string> => ({
  ...Object.fromEntries(buildOwnFiles().map(({ name, path }) => [name, `/assets/${path}`])),
  'trace-viewer': `/assets/${TRACE_VIEWER_FOLDER}/index.html`,
});

export const buildAssets = (): Record<string, Asset> =>
  Object.fromEntries([
    ...buildOwnFiles().map(({ path, text }) => [path, compressAsset(path, text, false)] as const),
    ...buildTraceViewerAssets(),
  ]);

/** Compressed once per process, because they take most of the time and change only with their package. */
const buildTraceViewerAssets = makeLazy(() =>
  readTraceViewerFiles().map(
    ([path, content]) => [`${TRACE_VIEWER_FOLDER}/${path}`, compressAsset(path, content, true)] as const,
  ),
);

function makeLazy<Result>(make: () => Result): () => Result {
  let result: Result | undefined;
  return () => {
    result ??= make();
    return result;
  };
}

export const listAssetFiles = (): string[] => [...readdirSync(FOLDER).map((name) => join(FOLDER, name)), NOTICES];

function compressAsset(path: string, file: string | Buffer, isOfTraceViewer: boolean): Asset {
  const contentType = TYPES[extname(path)];
  if (contentType === undefined)
    throw new Error(`${path} has an unknown extension: add its content type to infra/build/assets.ts`);
  return { contentType, content: gzipSync(file, { level: 9 }).toString('base64'), isOfTraceViewer };
}
