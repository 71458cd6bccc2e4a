/**
 * `npm run pictures` makes the pictures of the README from the demo that `npm start` recorded. It signs in with the
 * single-use link of the Guest. `npm run pictures -- --all <folder>` takes pictures of the pages that the Admin can
 * reach, in each theme and width, with one overview per theme and width. It signs in with the single-use link of the
 * Admin.
 */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import * as z from 'zod';
import { printError, printLine } from '#infra/cli/terminal/terminal.ts';
import { findDataFolder } from '#infra/local/host/running-services.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { launchChromium } from '#test/harness/launch-chromium.ts';
import { asker, CannotShow, readLocal } from './local-service.ts';
import { takeEveryPage } from './picture-every-page.ts';

const PICTURES = join(import.meta.dirname, 'pictures');
const MOST_BYTES = 150_000;
const SIZE = { width: 1120, height: 880 };

const People = z.object({ people: z.array(z.object({ role: z.string(), signInLink: z.string() })) });
const Runs = z.object({
  data: z.array(
    z.object({
      runId: z.string(),
      status: z.string(),
      meta: z.object({ ciBuildId: z.string() }),
    }),
  ),
});

/** The address of the newest failed run that `npm start` recorded. `npm run demo` may have recorded other runs. */
async function pageOfFailedRun(): Promise<string> {
  const local = await readLocal();
  const [{ projectId }] = local.projects;
  const { data } = await asker(local)(Runs, `/projects/${projectId}/runs?limit=50`);
  const own = data.filter(({ meta }) => meta.ciBuildId.startsWith('shop-'));
  // Skips the newest run, which is in progress, because its page keeps changing.
  const failed = own.slice(1).find(({ status }) => status === 'FAILED');
  if (!failed) throw new CannotShow('There is no failed run. Start with an empty data folder: npm run reset');
  return getRunUrl(local.recordUrl, { organizationId: local.organizationId, projectId, runId: failed.runId });
}

async function signInLink(role: string): Promise<string> {
  const file = join(await findDataFolder(), 'local.json');
  const { people } = People.parse(JSON.parse(await readFile(file, 'utf8')));
  return people.find((one) => one.role === role)?.signInLink ?? '';
}

async function signedIn(browser: Browser, role: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', timezoneId: 'UTC' });
  const page = await context.newPage();
  await page.goto(await signInLink(role));
  await page.click('button[type=submit]');
  await page.waitForLoadState();
  if (new URL(page.url()).pathname.startsWith('/sign-in'))
    throw new CannotShow(`The sign-in link of ${role} was used before. Restart npm start, which makes a new one`);
  return context;
}

async function takeForReadme(browser: Browser, url: string): Promise<void> {
  const page = await (await signedIn(browser, 'guest')).newPage();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Screenshots of the run come from the file storage, and the page is complete before they are.
    await page.goto(url, { waitUntil: 'networkidle' });
    const path = join(PICTURES, `run-${colorScheme}.png`);
    await page.screenshot({ path });
    const { size } = await stat(path);
    if (size > MOST_BYTES) throw new CannotShow(`${path} is too large (${size} bytes). Show less on the page`);
    printLine(`${path}: ${size} bytes`);
  }
}

const { values } = parseArgs({ options: { all: { type: 'string' } } });

async function take(browser: Browser): Promise<void> {
  const folder = values.all ?? PICTURES;
  await mkdir(folder, { recursive: true });
  if (values.all === undefined) return takeForReadme(browser, await pageOfFailedRun());
  const { recordUrl: origin } = await readLocal();
  for (const path of await takeEveryPage(await signedIn(browser, 'admin'), { origin, folder })) printLine(path);
}

try {
  const browser = await launchChromium();
  await take(browser).finally(() => browser.close());
} catch (error) {
  if (!(error instanceof CannotShow)) throw error;
  printError(error.message);
  process.exitCode = 1;
}
