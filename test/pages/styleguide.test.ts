/**
 * Compares screenshots of the style guide with recorded ones. After an intended change, run this file with
 * `RECORD_PICTURES=yes`, and look at the new screenshots.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { buildAssets } from '#infra/build/assets.ts';
import { listen } from '#infra/local/host/http-server.ts';
import { serveStyleguide } from '#infra/local/styleguide/serve-styleguide.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { asSettings, FINE, LOOKS, see } from './seen.ts';

const FOLDER = join(import.meta.dirname, '../samples/styleguide');
const RECORDS = process.env['RECORD_PICTURES'] === 'yes';
const WIDTH = 900;
/**
 * The maximum fraction of pixels that may differ. It is not zero, because different processors draw curves slightly
 * differently.
 */
const MOST_DIFFERENT = 0.0005;

beforeEach(() => {
  vi.useRealTimers();
});

/** Serves the style guide and its style sheet as `npm start` does. */
async function served(): Promise<string> {
  const server = await listen(0);
  onTestFinished(() => server.close());
  const files = buildAssets();
  server.serve((request, response) => {
    if (request.url?.startsWith('/styleguide')) return serveStyleguide(request, response);
    const file = files[(request.url ?? '').replace('/assets/', '')];
    if (!file) return response.writeHead(404).end();
    return response
      .writeHead(200, { 'content-type': file.contentType })
      .end(gunzipSync(Buffer.from(file.content, 'base64')));
  });
  return server.origin;
}

/** A style sheet that replaces system fonts with a font that is the same on every machine. */
async function fonts(): Promise<string> {
  const folder = join(createRequire(import.meta.url).resolve('@fontsource/inter/package.json'), '../files');
  const faces = await Promise.all(
    [400, 600].map(async (weight) => {
      const font = await readFile(join(folder, `inter-latin-${weight}-normal.woff2`), 'base64');
      return `@font-face { font-family: Pictures; font-weight: ${weight}; src: url(data:font/woff2;base64,${font}); }`;
    }),
  );
  return `${faces.join('\n')} * { font-family: Pictures !important; caret-color: transparent !important; }`;
}

describeInChromium('The style guide', () => {
  test.each(['light', 'dark'] as const)(
    'The style guide matches its recorded screenshot in the %s theme',
    async (theme) => {
      const origin = await served();
      const context = await profile(origin, undefined, { viewport: { width: WIDTH, height: 800 }, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(`/styleguide?theme=${theme}`);
      await page.addStyleTag({ content: await fonts() });
      await page.evaluate('document.fonts.ready');
      const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
      const path = join(FOLDER, `${theme}.png`);
      if (RECORDS) await writeFile(path, picture);
      const [seen, recorded] = [PNG.sync.read(picture), PNG.sync.read(await readFile(path))];
      expect([seen.width, seen.height]).toEqual([recorded.width, recorded.height]);
      const { width, height } = seen;
      const different = pixelmatch(seen.data, recorded.data, undefined, width, height, { threshold: 0.2 });
      expect(different / (width * height)).toBeLessThanOrEqual(MOST_DIFFERENT);
    },
  );

  test.each(LOOKS)(
    'The style guide has no accessibility violations in the $theme theme at a width of $width pixels',
    async (look) => {
      const origin = await served();
      const context = await profile(origin, undefined, asSettings(look));
      expect(await see(context, `/styleguide?theme=${look.theme}`, origin)).toEqual({ ...FINE, status: 200 });
    },
  );
});
