import { expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { attribute, textOf } from '#test/harness/elements.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { named, sharedStage } from './analytics-stage.ts';

/** The error beside a field, and whether the field has `aria-invalid`. */
const fieldOf = (html: string, name: string) => ({
  message: new RegExp(`id="field-${name}-problem"[^>]*>([^<]*)`).exec(html)?.[1],
  isInvalid: new RegExp(`id="field-${name}"[^>]*aria-invalid="true"`).test(html),
});

test('An invalid filter of a list returns status 400, and the page shows an error beside the field and the unfiltered list', async () => {
  const { open } = await sharedStage();
  const wrong = [
    ['/tests?date_start=yesterday&title=breaks', 'date_start', '“yesterday” is not a date', 'is fine'],
    ['/runs?status[]=RED', 'status--', 'The filter does not take “RED”', 'build-3'],
    ['/errors?date_start=2026-11-09&date_end=2026-11-01', 'date_start', 'The first day is after the last one', 'card'],
    ['/insights?branches[]=', 'branches--', undefined, 'executions'],
  ] as const;
  for (const [page, name, message, row] of wrong) {
    const { status, html, text } = await open(page);
    expect(status, page).toBe(message === undefined ? 200 : 400);
    expect(text, page).toContain(row);
    const field = fieldOf(html, name);
    if (message === undefined) expect(field, page).toEqual({ message: undefined, isInvalid: false });
    else expect(field, page).toEqual({ message: expect.stringContaining(message), isInvalid: true });
  }
  expect((await open('/tests?date_start=yesterday')).html).toContain('value="yesterday"');
});

test('An invalid or unknown parameter without a field returns status 400, and the page says above the list that all filters were ignored', async () => {
  const { open } = await sharedStage();
  for (const page of ['/runs?limit=999', '/runs?starting_after=nothing', '/tests?colour=red', '/tests?order=nope']) {
    const { status, text } = await open(page);
    expect([page, status]).toEqual([page, 400]);
    expect(text).toMatch(/All filters were ignored\.\s?(?:Runs|Tests)/);
  }
});

test('A page that ignores its address says in its own words why, shows no filter as applied, and keeps none in its links', async () => {
  const { open } = await sharedStage();
  const { text, html, links } = await open('/tests?date_start=yesterday&branches[]=change');
  expect(text).toContain('The address has a start date that is not a date: yesterday. All filters were ignored.');
  expect(html).not.toContain('Remove this filter');
  expect(html).not.toContain('class="count"');
  expect(links.filter((link) => /yesterday|change/.test(link))).toEqual([]);
});

describeInChromium('Each menu of filters', () => {
  test.each([1440, 1000, 830, 390])('opens inside a window of %d px, also with an error', async (width) => {
    const here = await sharedStage();
    const context = await profile(here.origin, here.member, { viewport: { width, height: 800 } });
    const page = await context.newPage();
    for (const query of ['', '?date_start=yesterday']) {
      await page.goto(`${here.project}/tests${query}`);
      if (width < 820) await page.getByRole('button', { name: 'Filters' }).click();
      const menus = page.locator('.filter-bar details.menu');
      for (let index = 0; index < (await menus.count()); index += 1) {
        if ((await menus.nth(index).getAttribute('open')) === null) await menus.nth(index).locator('summary').click();
        const box = await menus.nth(index).locator('> div').boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    }
  });
});

test('Each link that removes a filter on the second page of a list opens the first page of the changed list', async () => {
  const here = await service();
  for (const number of [1, 2, 3]) {
    const ghaEventData = { htmlUrl: `https://github.com/example/shop/pull/${number}` };
    const more = { ciBuildId: `build-${number}`, commit: { ...COMMIT, branch: 'change', ghaEventData } };
    await uploadRun(here, { [named('breaks')]: failed() }, more);
    clock.advance(60_000);
  }
  await compileRuns(here);
  const member = await signedIn(here, 'member');
  const project = `/${here.organizationId}/${here.projectId}`;
  const explorer = await member.get(`${project}/tests?min_executions=0`);
  const history = explorer.links.find((link) => /\/tests\/\w+$/.test(link)) ?? 'no link';
  for (const [list, status] of [
    [`${project}/runs`, 'FAILED'],
    [`${project}/pulls`, 'FAILED'],
    [history, 'failed'],
  ] as const) {
    const first = await member.get(`${list}?branches[]=change&status[]=${status}&limit=1`);
    const second = await member.get(first.links.find((link) => link.includes('starting_after')) ?? 'no link');
    const links = second.elements.flatMap((element) =>
      attribute(element, 'title') === 'Remove this filter' || textOf(element) === 'Clear all'
        ? (attribute(element, 'href') ?? [])
        : [],
    );
    expect(links, list).toHaveLength(3);
    for (const link of links) {
      const { status: answer, links: shown } = await member.get(link);
      expect([link, answer]).toEqual([expect.not.stringMatching('starting_after|ending_before'), 200]);
      // Only the first page has no link to newer items.
      expect(shown.filter((one) => one.includes('ending_before'))).toEqual([]);
    }
  }
});

test('The page of an unknown run returns 404, even if its address has an invalid filter', async () => {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const shown = await guest.get(`/${here.organizationId}/${here.projectId}/runs/nothing?verdict=nope`);
  expect(shown.status).toBe(404);
});
