/** Gives each test file one real Chromium. */
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, describe, onTestFinished } from 'vitest';
import { launchChromium, NO_CHROMIUM } from './launch-chromium.ts';
import type { Visitor } from './visitor.ts';

if (NO_CHROMIUM) console.warn(`SKIPPED: tests in a browser. ${NO_CHROMIUM}`);

/**
 * Use this function instead of `describe` for tests in a browser. On machines without a Chromium, it skips the tests
 * and says so.
 */
export const describeInChromium = describe.skipIf(NO_CHROMIUM);

let running: Promise<Browser> | undefined;

/** The Chromium of this test file. It starts when the first profile is opened. */
const chromium = (): Promise<Browser> => (running ??= launchChromium());

afterAll(async () => (await running)?.close());

type Settings = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Opens a new browser profile for one test. If a visitor is given, the profile is signed in as this person. */
export async function profile(...as: Parameters<typeof lastingProfile>): Promise<BrowserContext> {
  const context = await lastingProfile(...as);
  onTestFinished(() => context.close());
  return context;
}

/** Opens a browser profile that stays open until the end of the test file. */
export async function lastingProfile(
  origin: string,
  { cookie }: Pick<Visitor, 'cookie'> = { cookie: '' },
  settings: Settings = {},
): Promise<BrowserContext> {
  const context = await (await chromium()).newContext({ baseURL: origin, ...settings });
  const [name = '', value = ''] = cookie.split('=');
  // Chromium accepts a secure cookie from a loopback address over http, but Playwright sets a secure cookie only for
  // https.
  const url = origin.replace(/^http:/, 'https:');
  if (name) await context.addCookies([{ name, value, url, httpOnly: true, secure: true, sameSite: 'Lax' }]);
  return context;
}
