/** The static files of the pages: one style sheet, one script and the icon. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';

const FOLDER = join(import.meta.dirname, '../../shared/pages/assets');
const DIGEST_CHARACTERS = 12;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly contentType: string;
  /** Gzip, as base64. */
  readonly content: string;
}

interface OwnFile {
  readonly name: string;
  /** Below `/assets/`. A changed file gets another path, so browsers may keep each for ever. */
  readonly path: string;
  readonly text: string;
}

/** The style sheets become one, in the order of their names. */
function ownFiles(): OwnFile[] {
  const names = readdirSync(FOLDER).sort();
  const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
  const style = names.filter((name) => name.endsWith('.css')).map(read);
  return [
    fileOf('rundown.css', transformSync(style.join('\n'), { loader: 'css', minify: true }).code),
    fileOf('rundown.js', transformSync(read('rundown.js'), { loader: 'js', format: 'esm', minify: true }).code),
    fileOf('icon.svg', read('icon.svg')),
  ];
}

function fileOf(name: string, text: string): OwnFile {
  const ending = extname(name);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
  return { name, path: `${name.slice(0, -ending.length)}-${digest}${ending}`, text };
}

/** The public paths of our own files, by name. */
export const assetPaths = (): Record<string, string> =>
  Object.fromEntries(ownFiles().map(({ name, path }) => [name, `/assets/${path}`]));

/** All files by their path below `/assets/`. */
export const assets = (): Record<string, Asset> =>
  Object.fromEntries(ownFiles().map(({ path, text }) => [path, assetOf(path, text)]));

function assetOf(path: string, text: string): Asset {
  const contentType = TYPES[extname(path)];
  if (contentType === undefined) throw new Error(`${path} has an unknown ending: add its content type to assets.ts`);
  return { contentType, content: gzipSync(text, { level: 9 }).toString('base64') };
}
