/** The static files of the pages: one style sheet, one script, the icon and the trace viewer. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { TRACE_VIEWER_FOLDER, traceViewerFiles } from './trace-viewer.ts';

const FOLDER = join(import.meta.dirname, '../../shared/pages/assets');
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

/** Our own static files. The style sheets are concatenated in the order of their names. */
function ownFiles(): OwnFile[] {
  const names = readdirSync(FOLDER).sort();
  const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
  const style = names.filter((name) => name.endsWith('.css')).map(read);
  return [
    fileOf('rundown.css', transformSync(style.join('\n'), { loader: 'css', minify: true }).code),
    ...SCRIPTS.map((name) =>
      fileOf(name, transformSync(read(name), { loader: 'js', format: 'esm', minify: true }).code),
    ),
    fileOf('icon.svg', read('icon.svg')),
  ];
}

function fileOf(name: string, text: string): OwnFile {
  const ending = extname(name);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
  return { name, path: `${name.slice(0, -ending.length)}-${digest}${ending}`, text };
}

/** The public paths of our own files and of the trace viewer's page, by name. */
export const assetPaths = (): Record<string, string> => ({
  ...Object.fromEntries(ownFiles().map(({ name, path }) => [name, `/assets/${path}`])),
  'trace-viewer': `/assets/${TRACE_VIEWER_FOLDER}/index.html`,
});

/** All files by their path below `/assets/`. */
export const assets = (): Record<string, Asset> =>
  Object.fromEntries([
    ...ownFiles().map(({ path, text }) => [path, assetOf(path, text, false)]),
    ...traceViewerFiles().map(([path, content]) => [`${TRACE_VIEWER_FOLDER}/${path}`, assetOf(path, content, true)]),
  ]);

function assetOf(path: string, file: string | Buffer, isOfTraceViewer: boolean): Asset {
  const contentType = TYPES[extname(path)];
  if (contentType === undefined) throw new Error(`${path} has an unknown extension: add its content type to assets.ts`);
  return { contentType, content: gzipSync(file, { level: 9 }).toString('base64'), isOfTraceViewer };
}
