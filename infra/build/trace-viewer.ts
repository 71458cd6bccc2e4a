/** The files of Playwright's trace viewer, without its UI mode, and with its licences. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const MANIFEST = createRequire(import.meta.url).resolve('playwright-core/package.json');
const PACKAGE = dirname(MANIFEST);
const VIEWER = join(PACKAGE, 'lib/vite/traceViewer');
const LICENCES = ['LICENSE', 'NOTICE', 'ThirdPartyNotices.txt'];
/** Files of the UI mode, which runs tests. The trace viewer never loads them. */
const OF_UI_MODE = /(^|\/)(uiMode\.|xtermModule)/;

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));

/**
 * The folder of the viewer below `/assets/`. One folder per version, because browsers scope the viewer's service worker
 * by folder.
 */
export const TRACE_VIEWER_FOLDER = `trace-viewer-${version}`;

/** The viewer's files by their path below its folder. */
export function traceViewerFiles(): (readonly [path: string, content: Buffer])[] {
  const all = readdirSync(VIEWER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const own = all.map(({ parentPath, name }) => join(parentPath, name).slice(VIEWER.length + 1));
  return [
    ...own.filter((path) => !OF_UI_MODE.test(path)).map((path) => [path, readFileSync(join(VIEWER, path))] as const),
    ...LICENCES.map((path) => [path, readFileSync(join(PACKAGE, path))] as const),
  ];
}
