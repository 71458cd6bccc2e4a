import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { onBranch } from '#test/harness/comparisons.ts';
import { startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, COMMIT, error, failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const record = (tenant: Tenant, ciBuildId: string, spec: string, title: string, branch = 'main') =>
  upload(
    tenant,
    [suiteGroup('unit', [`${spec} > ${title}`])],
    [batchInstance('unit', spec, { [`${spec} > ${title}`]: passed() })],
    { ciBuildId, ...onBranch(branch) },
  );

/** An organization with two projects, each with one recorded run. */
async function stage() {
  const here = await service();
  const { organizationId } = here;
  const { projectId } = await createProject(here.services, { organizationId, name: 'Warehouse', actor: OPERATOR });
  await record(here, 'shop-17', 'cart.spec.ts', 'reserves the last piece');
  await record({ ...here, projectId }, 'stock-17', 'shelf.spec.ts', 'reserves <b>a shelf</b>');
  await compileRuns(here);
  return { ...here, warehouse: projectId, project: `/${organizationId}/${here.projectId}` };
}

test('The search of a project finds tests, spec files and runs, and highlights the search words in its results', async () => {
  const here = await stage();
  const { html, text } = await (await signedIn(here, 'member')).get(`${here.project}/search?q=reserves+CART`);
  expect(html).toContain('<mark>reserves</mark> the last piece');
  expect(html).toContain('<mark>cart</mark>.spec.ts');
  expect(text).not.toContain('shelf');
  const runs = await (await signedIn(here, 'member')).get(`${here.project}/search?q=shop-17`);
  expect(runs.html).toMatch(/href="[^"]+\/runs\/[0-9a-f]{16}"/);
});

test('The search and the project switcher list deleted projects last, and mark them', async () => {
  const here = await stage();
  const { organizationId, services } = here;
  const { projectId } = await createProject(services, { organizationId, name: 'Attic', actor: OPERATOR });
  await here.api.send('DELETE', `/projects/${projectId}`);
  const { text } = await (await signedIn(here, 'member')).get(`/${organizationId}/search`);
  expect(text).toMatch(/Projects.*Warehouse.*Attic deleted/s);
  expect(text.match(/deleted/g)).toHaveLength(1);
});

test('A search for the number of a pull request lists the pull request first', async () => {
  const here = await stage();
  await record(here, 'wholesale-214', 'cart.spec.ts', 'pays 214');
  await startRun(here, [suiteGroup('unit', ['cart.spec.ts > sums'])], {
    ciBuildId: 'change',
    commit: { ...COMMIT, ghaEventData: { htmlUrl: 'https://git.example.com/shop/checkout/pull/214', prTitle: 'Sum' } },
  });
  await compileRuns(here);
  const member = await signedIn(here, 'member');
  for (const page of [`${here.project}/search`, `/${here.organizationId}/search`])
    for (const text of ['#214', '214', '7']) {
      const { html } = await member.get(`${page}?q=${encodeURIComponent(text)}`);
      const results = html.slice(html.indexOf('id="results"'));
      const [first] = /href="\/[^"]*"/.exec(results) ?? [];
      if (text === '7') expect(first).not.toContain('/pulls/');
      else expect(first).toBe(`href="${here.project}/pulls/214"`);
    }
});

test('A search of a project shows the errors that have its words, but not to a Guest', async () => {
  const here = await stage();
  const spec = 'pay.spec.ts';
  await upload(
    here,
    [suiteGroup('unit', [`${spec} > pays`])],
    [
      batchInstance('unit', spec, {
        [`${spec} > pays`]: failed({
          attempts: [attempt('failed', { errors: [error('page.goto: Timeout 10000ms exceeded.')] })],
        }),
      }),
    ],
    { ciBuildId: 'shop-18', ...onBranch('main') },
  );
  await compileRuns(here);
  const search = async (role: 'member' | 'guest', text: string) =>
    (await signedIn(here, role)).get(`${here.project}/search?q=${encodeURIComponent(text)}`);
  for (const text of ['Timeout', '10000ms exceeded', 'exceeded "page.goto"']) {
    const { html, links } = await search('member', text);
    expect(html, text).toContain('1 occurrence in 1 test');
    expect(links, text).toContainEqual(expect.stringContaining('/errors/one?message=page.goto'));
  }
  expect((await search('member', 'Timeout -exceeded')).html).not.toContain('occurrence');
  expect((await search('guest', 'Timeout')).text).toContain('Nothing found');
});

test('The search of all projects lists the results of each project', async () => {
  const here = await stage();
  const { html, text } = await (await signedIn(here, 'guest')).get(`/${here.organizationId}/search?q=reserves`);
  for (const part of ['WarehouseTestsreserves <b>a shelf', 'ShopTestsreserves the last piece'])
    expect(text).toContain(part);
  expect(html).not.toContain('<b>a shelf');
});

test('The search of all projects lists all of them before a search, and then those whose name matches', async () => {
  const here = await stage();
  const guest = await signedIn(here, 'guest');
  const namesAt = async (query: string) => {
    const { html } = await guest.get(`/${here.organizationId}/search${query}`);
    return html.match(/\/[^/"]+\/runs(?=")/g)?.map((path) => path.split('/')[1]);
  };
  expect((await namesAt(''))?.toSorted()).toEqual([here.warehouse, here.projectId].toSorted());
  expect(await namesAt('?q=ware')).toEqual([here.warehouse]);
});

test('A search finds pages by name, but only those that the person may open', async () => {
  const here = await stage();
  const found = async (role: 'admin' | 'guest') =>
    (await (await signedIn(here, role)).get(`${here.project}/search?q=insights`)).text;
  expect(await found('admin')).toContain('Pages');
  expect(await found('guest')).toContain('Nothing found');
});

test('A search links to the lists of errors and of runs that match its text, if the person may open these lists', async () => {
  const here = await stage();
  const links = async (role: 'member' | 'guest') =>
    (await (await signedIn(here, role)).get(`${here.project}/search?q=declined`)).links;
  const errors = `${here.project}/errors?error_message=declined`;
  expect(await links('member')).toEqual(expect.arrayContaining([errors, `${here.project}/runs?search=declined`]));
  expect(await links('guest')).not.toContain(errors);
});

test('The search results of a Guest do not link to the pages of spec files, which a Guest may not open', async () => {
  const here = await stage();
  const { html } = await (await signedIn(here, 'guest')).get(`${here.project}/search?q=cart.spec`);
  expect(html).not.toContain('/spec-files/');
});

test('A search for a text that is too long shows an error that names the filter', async () => {
  const here = await stage();
  const { text } = await (await signedIn(here, 'guest')).get(`${here.project}/search?q=${'x'.repeat(201)}`);
  expect(text).toContain('a filter that this page does not take: q is');
});

describeInChromium('The search in Chromium', () => {
  test('The search opens when the slash key is pressed, shows results while a person types, and opens a test with the arrow keys and Enter', async () => {
    const here = await stage();
    const page = await (await profile(here.origin, await signedIn(here, 'member'))).newPage();
    await page.goto(`${here.project}/runs`);
    await page.keyboard.press('/');
    await page.keyboard.type('last reserves');
    await page.getByRole('dialog').getByRole('link', { name: 'reserves the last piece' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tests\/[0-9a-f]{32}$/);
  });

  test('The project switcher lists the other projects, and it and each other menu close with Escape and with a click elsewhere', async () => {
    const here = await stage();
    const page = await (await profile(here.origin, await signedIn(here, 'member'))).newPage();
    await page.goto(`${here.project}/runs`);
    const isOpen = (index: number) => page.locator('details.menu').nth(index).getAttribute('open');
    const menus = await page.locator('details.menu').count();
    expect(menus).toBeGreaterThan(4);
    for (let index = 0; index < menus; index += 1) {
      const summary = page.locator('details.menu > summary').nth(index);
      await summary.click();
      expect(await isOpen(index)).toBe('');
      await page.keyboard.press('Escape');
      expect(await isOpen(index)).toBeNull();
      expect(await summary.and(page.locator(':focus')).count()).toBe(1);
      await summary.click();
      await page.getByRole('heading', { level: 1 }).click();
      expect(await isOpen(index)).toBeNull();
    }
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const projects = page.locator('.switcher [data-list]').getByRole('link');
    await projects.first().waitFor();
    expect((await projects.allTextContents()).toSorted()).toEqual(['Shop', 'Warehouse']);
    expect(await projects.and(page.locator('[aria-current]')).allTextContents()).toEqual(['Shop']);
    await page.keyboard.press('ArrowDown');
    expect(await projects.first().and(page.locator(':focus')).count()).toBe(1);
    await projects.getByText('Warehouse').click();
    await page.waitForURL(`**/${here.warehouse}/runs`);
  });

  test('Typing goes into the field of an opened filter, which suggests the branches of recent runs', async () => {
    const here = await stage();
    await record(here, 'other', 'cart.spec.ts', 'sums', 'fix-totals');
    const page = await (await profile(here.origin, await signedIn(here, 'member'))).newPage();
    for (const list of ['tests', 'flaky', 'errors', 'insights', 'runs']) {
      await page.goto(`${here.project}/${list}`);
      await page.locator('summary', { hasText: 'Branch' }).click();
      const branch = page.locator('[type="text"][name="branches[]"]');
      await branch.and(page.locator(':focus')).waitFor();
      await page.locator('#known-branches option[value="fix-totals"]').waitFor({ state: 'attached' });
      await page.keyboard.type('fix-totals');
      await page.keyboard.press('Enter');
      await page.locator('.chip', { hasText: 'Branch is fix-totals' }).waitFor();
    }
  });

  test.each([true, false])(
    'On a phone, the menu and the filters open as sheets, which close with Escape, with a tap elsewhere and with a button (JavaScript enabled: %s)',
    async (javaScriptEnabled) => {
      const here = await stage();
      const settings = { javaScriptEnabled, viewport: { width: 390, height: 800 } };
      const page = await (await profile(here.origin, await signedIn(here, 'member'), settings)).newPage();
      await page.goto(`${here.project}/runs`);
      for (const [name, sheet] of [
        ['More', page.locator('#menu')],
        ['Filters', page.locator('#filters')],
      ] as const) {
        const open = async () => {
          await page.getByRole('button', { name, exact: true }).click();
          expect(await sheet.isVisible()).toBe(true);
        };
        expect(await sheet.isVisible()).toBe(false);
        await open();
        await page.keyboard.press('Escape');
        expect(await sheet.isVisible()).toBe(false);
        await open();
        await page.mouse.click(380, 20);
        expect(await sheet.isVisible()).toBe(false);
        await open();
        await sheet.getByRole('button', { name: 'Close' }).click();
        expect(await sheet.isVisible()).toBe(false);
      }
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.locator('#filters summary', { hasText: 'Outcome' }).click();
      await page.locator('#filters select:visible').selectOption({ index: 1 });
      await page.locator('#filters button:visible', { hasText: 'Apply' }).click();
      await page.waitForURL(/status/);
    },
  );

  test('The search opens the page of results with Enter, and closes with Escape', async () => {
    const here = await stage();
    const page = await (await profile(here.origin, await signedIn(here, 'member'))).newPage();
    await page.goto(`${here.project}/runs`);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('shop-17');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=shop-17$/);
  });

  test('The list of shortcuts names those for failures only on pages that have some', async () => {
    const here = await stage();
    const sums = 'cart.spec.ts > sums';
    const { runId } = await upload(
      here,
      [suiteGroup('unit', [sums])],
      [batchInstance('unit', 'cart.spec.ts', { [sums]: failed() })],
      { ciBuildId: 'red', ...onBranch('main') },
    );
    const page = await (await profile(here.origin, await signedIn(here, 'member'))).newPage();
    for (const [address, hasFailures] of [
      [`${here.project}/runs`, false],
      [`${here.project}/runs/${runId}`, true],
    ] as const) {
      await page.goto(address);
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      expect([address, await page.getByText('Next failure').count()]).toEqual([address, hasFailures ? 1 : 0]);
    }
  });

  test('The search ignores a slash that is typed into a field, and all single-key shortcuts if the person has switched them off', async () => {
    const here = await stage();
    const page = await (await profile(here.origin, await signedIn(here, 'member'))).newPage();
    await page.goto(`${here.project}/search`);
    const field = page.getByRole('main').getByRole('searchbox');
    await field.fill('cart');
    await field.press('/');
    expect(await field.inputValue()).toBe('cart/');
    await page.goto('/account');
    await page.getByLabel('Single-key shortcuts', { exact: false }).uncheck();
    await page.goto(`${here.project}/runs`);
    await page.keyboard.press('/');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
  });
});
