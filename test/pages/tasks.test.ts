/**
 * The main tasks of users: how many clicks each one takes, and whether its targets are visible without scrolling. A
 * change that adds a click or a scroll fails these tests.
 */
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { batch } from '#test/harness/comparisons.ts';
import { recordRun } from '#test/harness/recording.ts';
import { attempt, COMMIT, error, failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const TEST = 'payment.spec.ts > payment > shows why the bank declined a card';
const MESSAGE =
  'Error: expect(locator).toHaveText(expected) failed\n\nLocator:  getByRole("alert")\nExpected: "The bank declined this card"\nReceived: "Something went wrong"\nTimeout:  5000ms';
const FAILURE = failed({ attempts: [attempt('failed', { errors: [error(MESSAGE)] })] });

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Opens a page of the project. `clicks` returns the number of clicks since then. */
async function stage(here: TestService & Tenant, path: string, viewport: { width: number; height: number }) {
  const context = await profile(here.origin, await signedIn(here, 'admin'), { viewport });
  const page = await context.newPage();
  await page.goto(`/${here.organizationId}/${here.projectId}${path}`);
  let clicks = 0;
  const click = async (role: 'link' | 'button', name: string) => {
    const target = page.getByRole(role, { name }).first();
    // The target must be visible without scrolling. This is checked before the click, because Playwright scrolls to the
    // target when it clicks.
    expect(await isInWindow(page, `${role} ${name}`, await target.boundingBox(), viewport)).toBe(true);
    await target.click();
    await page.waitForLoadState();
    clicks += 1;
  };
  return { page, click, clicks: () => clicks };
}

type Box = Awaited<ReturnType<ReturnType<Page['locator']>['boundingBox']>>;

/** Throws unless the box is within the height of the window, above the navigation bar at the bottom of phones. */
async function isInWindow(page: Page, what: string, box: Box, { height }: { height: number }): Promise<boolean> {
  const tabs = await page.locator('nav.phone').boundingBox();
  const end = tabs && tabs.y > 0 ? tabs.y : height;
  if (!box || box.y < 0 || box.y + box.height > end)
    throw new Error(`${what} is not in the window: ${JSON.stringify(box)}`);
  return true;
}

describeInChromium('A person', () => {
  test.each([DESKTOP, PHONE])(
    'A person sees the received value of a failure on the page of its run without scrolling (window in pixels: %o)',
    async (viewport) => {
      const here = await service();
      await batch(here, 'base', { [TEST]: passed() });
      const { runId } = await batch(here, 'run', { [TEST]: FAILURE });
      const { page } = await stage(here, `/runs/${runId}`, viewport);
      const values = page.locator('.received');
      expect(await values.textContent()).toContain('Something went wrong');
      expect(await isInWindow(page, 'The received value', await values.boundingBox(), viewport)).toBe(true);
    },
  );

  test('A person opens the trace of a failure with one click on the page of its run', async () => {
    vi.useRealTimers();
    const here = await service();
    const { runId, records } = await recordRun(here, { retail: { tests: { [TEST]: FAILURE } } });
    const path = `@/artifacts/test-record/${records[`retail ${TEST}`]}`;
    const trace = { type: 'trace', name: 'trace', contentType: 'application/zip', attemptId: 0 };
    const { uploadUrl } = (await here.api.post(path, { ...trace, artifactId: crypto.randomUUID() })).body;
    await fetch(uploadUrl, { method: 'PUT', body: 'PK', headers: { 'content-type': 'application/zip' } });
    const { page, click, clicks } = await stage(here, `/runs/${runId}`, DESKTOP);
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole('link', { name: 'Open trace' }).count();
      })
      .toBe(1);
    await click('link', 'Open trace');
    expect([clicks(), page.url()]).toEqual([1, expect.stringContaining('/trace-viewer')]);
  });

  test('A person finds the tests that took the most time in a month, and their total time, with one click on the page of tests', async () => {
    const here = await service();
    for (let build = 0; build < 6; build += 1) await batch(here, `build ${build}`, { [TEST]: passed() });
    await compileRuns(here);
    const { page, click, clicks } = await stage(here, '/tests', DESKTOP);
    await click('link', 'Most total time');
    const text = await page.getByRole('main').textContent();
    expect(clicks()).toBe(1);
    expect(text).toMatch(/Tests with at least 5 executions, \d.* in total/);
    expect(new URL(page.url()).searchParams.get('date_start')).toBe('2026-10-04');
  });

  test('A person quarantines a flaky test of a run with two clicks and without scrolling', async () => {
    const here = await service();
    for (let build = 0; build < 3; build += 1) {
      clock.advance(60_000);
      await batch(here, `build ${build}`, { [TEST]: flaky() });
    }
    const { runId } = await batch(here, 'last', { [TEST]: flaky() });
    await compileRuns(here);
    const { page, click, clicks } = await stage(here, `/runs/${runId}`, DESKTOP);
    await click('link', 'Quarantine');
    await click('button', 'Create rule');
    expect([clicks(), await page.getByRole('heading', { level: 1 }).textContent()]).toEqual([
      2,
      expect.stringContaining('Quarantine'),
    ]);
  });

  test.each([
    { typed: 'its commit', text: COMMIT.sha.slice(0, 7) },
    { typed: 'its build', text: 'build-77' },
    { typed: 'two words of its title in any order', text: 'declined bank' },
  ])('A person finds a failed test by typing $typed into the search field of another page', async ({ text }) => {
    const here = await service();
    await batch(here, 'build-77', { [TEST]: FAILURE });
    await compileRuns(here);
    const { page } = await stage(here, '/insights', DESKTOP);
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=*');
    await page.locator('main .whole-link, main ul a').first().click();
    await page.waitForURL(/\/(?:runs|tests|instances)\//);
    expect(await page.getByRole('main').textContent()).toContain('shows why the bank declined a card');
  });

  test('A person copies a failure for an AI agent with one click', async () => {
    const here = await service();
    const { runId } = await batch(here, 'run', { [TEST]: FAILURE });
    const { page, click, clicks } = await stage(here, `/runs/${runId}`, DESKTOP);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await click('button', 'Copy for an agent');
    await page.getByRole('status').getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect([clicks(), copied]).toEqual([1, expect.stringContaining('Something went wrong')]);
  });

  test('Each copy button has the same content after two clicks, and says whether the text was copied', async () => {
    const here = await service();
    const { runId } = await batch(here, 'run', { [TEST]: FAILURE });
    const { page } = await stage(here, `/runs/${runId}`, DESKTOP);
    const button = page.getByRole('button', { name: 'Copy for an agent' });
    const content = () => button.evaluate((element) => element.innerHTML);
    const before = await content();
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))');
    await button.click();
    await page.getByRole('status').getByText('Not copied').waitFor();
    await page.evaluate('navigator.clipboard.writeText = () => Promise.resolve()');
    await button.click();
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
    await button.click();
    await expect.poll(() => page.getByRole('status').allTextContents()).not.toContain('Copied');
    expect(await content()).toBe(before);
    expect(await button.getAttribute('data-said')).toBeNull();
  });
});
