/** The files of Playwright's trace viewer, which the pages show. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const MANIFEST = createRequire(import.meta.url).resolve('playwright-core/package.json');
const PACKAGE = dirname(MANIFEST);
const VIEWER = join(PACKAGE, 'lib/vite/traceViewer');
export const TRACE_VIEWER_PACKAGE = 'node_modules/playwright-core';
const LICENCES = ['LICENSE', 'NOTICE', 'ThirdPartyNotices.txt'];
/** Files of the UI mode, which runs tests. The trace viewer never loads them. */
const OF_UI_MODE = /(^|\/)(uiMode\.|xtermModule)/;

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));

/** One folder per version, because browsers scope the viewer's service worker by folder. */
export const TRACE_VIEWER_FOLDER = `trace-viewer-${version}`;

export function readTraceViewerFiles(): (readonly [path: string, content: Buffer])[] {
  const all = readdirSync(VIEWER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = all.map(({ parentPath, name }) => join(parentPath, name).slice(VIEWER.length + 1));
  return [
    ...paths.filter((path) => !OF_UI_MODE.test(path)).map((path) => [path, readFileSync(join(VIEWER, path))] as const),
    ...LICENCES.map((path) => [path, readFileSync(join(PACKAGE, path))] as const),
  ];
}
