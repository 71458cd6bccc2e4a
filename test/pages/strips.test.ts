import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

/**
 * Records runs of one test, which fails in the last run. On the page of that run, the strip of the test has four
 * executions.
 */
async function stage() {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const states = [passed(), failed(), passed(), failed()];
  let path = '';
  for (const [build, state] of states.entries()) {
    clock.advance(1000);
    const { runId } = await uploadRun(here, { 'cart.spec.ts > sums': state }, { ciBuildId: `build ${build}` });
    path = `/${here.organizationId}/${here.projectId}/runs/${runId}`;
  }
  return { origin: here.origin, guest, path, now: Date.now() };
}

let shared: ReturnType<typeof stage> | undefined;
const sharedStage = () => (shared ??= stage());

async function openRun(settings: { readonly javaScriptEnabled: boolean }): Promise<Page> {
  const { origin, guest, path, now } = await sharedStage();
  clock.set(now);
  const page = await (await profile(origin, guest, settings)).newPage();
  await page.goto(path);
  return page;
}

const focused = (page: Page) => page.locator(':focus').textContent();
const labels = (page: Page) => page.locator('.strip a').evaluateAll((links) => links.map((link) => link.textContent));

/** All elements that the Tab key might reach. */
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Presses the Tab key repeatedly. Returns the labels of the links in strips that got the focus. */
async function stopsIn(page: Page): Promise<string[]> {
  const stops = new Set<string>();
  // The number of presses is one more than the number of elements, because the focus returns to the top of the page
  // after the last element.
  const most = (await page.locator(STOPS).count()) + 1;
  for (let tab = 0; tab < most; tab += 1) {
    await page.keyboard.press('Tab');
    for (const label of await page
      .locator('.strip :focus')
      .evaluateAll((links) => links.map((link) => link.textContent)))
      stops.add(label ?? '');
  }
  return [...stops];
}

describeInChromium('A strip of executions', () => {
  test.each([true, false])(
    'A strip of executions is a single tab stop, at its newest execution (JavaScript enabled: %s)',
    async (javaScriptEnabled) => {
      const page = await openRun({ javaScriptEnabled });
      const all = await labels(page);
      expect(all).toHaveLength(4);
      expect(await stopsIn(page)).toEqual(all.slice(-1));
    },
  );

  test('The page of a run does not scroll sideways on a phone if a strip has 50 executions', async () => {
    const page = await openRun({ javaScriptEnabled: true });
    await page.setViewportSize({ width: 390, height: 900 });
    const strip = page.locator('.strip').first();
    await strip.evaluate((list) => {
      for (let count = list.children.length; count < 50; count += 1)
        list.append(list.children[0]?.cloneNode(true) ?? '');
    });
    expect(await strip.locator('a').count()).toBe(50);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  test('A strip of executions can be navigated with the arrow keys, Home and End, and remembers the execution that had the focus', async () => {
    const page = await openRun({ javaScriptEnabled: true });
    const all = await labels(page);
    await page.locator('.strip a').last().focus();
    for (const [key, place] of [
      ['ArrowLeft', 2],
      ['Home', 0],
      ['ArrowLeft', 0],
      ['ArrowRight', 1],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused(page), key).toBe(all[place]);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe(all[1]);
    await page.keyboard.press('End');
    expect(await focused(page)).toBe(all[3]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/test\?test_id=/);
  });
});
