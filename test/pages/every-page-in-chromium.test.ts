import { createServer } from 'node:http';
import type { BrowserContext } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { bind, getPort } from '#infra/local/host/loopback.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { PageDeclaration } from '#shared/platform/page.ts';
import { sampled } from '#test/harness/cases.ts';
import { describeInChromium, lastingProfile, profile } from '#test/harness/chromium.ts';
import { startRun } from '#test/harness/recording.ts';
import { loadReduced, namesFor, replay } from '#test/harness/recording-replay.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { SUITE } from '#test/recording/operations.ts';
import { MAY_OPEN } from './page-oracle.ts';
import { documents, isInside, pageWorld, ROLES } from './page-world.ts';
import { asSettings, FINE, LOOKS, see } from './seen.ts';

deliverEvents();

/**
 * Pages that only some roles find. The token of `showRevokeToken` belongs to an Admin, and other roles find only their
 * own tokens.
 */
const FOUND_BY: Readonly<Record<string, readonly Role[]>> = { showRevokeToken: ['admin'] };

/**
 * Returns the roles that open a page. Pages outside organizations look the same for each role, so only an Admin opens
 * them, and a stranger if they do not require an account.
 */
function visitorsOf(page: PageDeclaration): readonly (Role | 'stranger')[] {
  const found = FOUND_BY[page.operationId];
  if (found) return found;
  if (isInside(page)) return ROLES.filter((role) => MAY_OPEN[page.operationId]?.includes(role));
  return page.needs === 'account' ? ['admin'] : ['stranger', 'admin'];
}

/**
 * `npm test` opens each page as one role in one look (theme and screen width). Role and look differ from page to page.
 * `npm run test:deep` opens each page as each of its visitors in all looks.
 */
const visits = documents.map((page, row) => {
  const all = visitorsOf(page).flatMap((role) => LOOKS.map((look) => ({ role, look })));
  // Five and the number of visits of a page are coprime, so the pages together are opened as every role and in every
  // look.
  return [`${page.method} ${page.path}`, page, sampled(all, all.length, 5 * row)] as const;
});

/** One browser profile per role and look. Its only tab opens the pages one after another, as a person would. */
const profiles = new Map<string, Promise<BrowserContext>>();

describeInChromium('Every page in a browser', () => {
  test.each(visits)(
    '%s is accessible, logs nothing, fits the window and loads nothing from other origins',
    async (_, page, some) => {
      const { as, origin, pathOf, services } = await pageWorld();
      for (const { role, look } of some) {
        const name = `${role} ${look.theme} ${look.width}`;
        const context = profiles.get(name) ?? lastingProfile(origin, as(role), asSettings(look));
        profiles.set(name, context);
        const seen = await see(await context, pathOf(page), services.artifacts.origin);
        expect(seen, name).toEqual({ ...FINE, status: 200 });
      }
    },
  );

  test('The page of a run is accessible for runs that are in progress, were cancelled, were imported or timed out', async () => {
    const here = await pageWorld();
    const { as, api, origin, organizationId, projectId, runningRunId, services } = here;
    const { runId } = await startRun(here, SUITE, { ciBuildId: 'build-3' });
    const imported = await here.reader.get(`/runs/find?projectId=${projectId}&ciBuildId=import-1`);
    const context = await profile(origin, as('admin'), asSettings({ theme: 'light', width: 360 }));
    const open = async (run: string, shows: string) => {
      const path = `/${organizationId}/${projectId}/runs/${run}`;
      expect((await as('admin').get(path)).text).toContain(shows);
      expect(await see(context, path, services.artifacts.origin), shows).toEqual({ ...FINE, status: 200 });
    };
    await open(runId, '0 of 4 tests finished');
    expect((await api.put(`/runs/${runId}/cancel`)).status).toBe(200);
    await open(runId, 'cancelled');
    await open(imported.body.data.runId, 'cart.test.ts');
    await open(runningRunId, 'Release…');
    clock.advance(31 * 60_000);
    await here.runSchedule('timeOutRuns');
    await open(runningRunId, 'timed out');
  });

  test('The page of a run that the published reporter of Playwright recorded in two groups is accessible', async () => {
    const here = await pageWorld();
    const names = namesFor(here, 'two-groups');
    await replay(here.origin, await loadReduced(({ spec }) => spec === 'pricing.spec.ts'), names);
    const path = `/${here.organizationId}/${here.projectId}/runs/${names.get('runId')}`;
    // The recording is younger than the sessions of the world.
    const admin = await signedIn(here, 'admin');
    expect((await admin.get(path)).text).toMatch(/pricing\.spec\.ts:\d+retail, wholesale/);
    const context = await profile(here.origin, admin, asSettings({ theme: 'dark', width: 1200 }));
    expect(await see(context, path, here.services.artifacts.origin)).toEqual({ ...FINE, status: 200 });
  });

  test('A refused form gives each wrong field a red border, whatever its kind, and leaves the others as they are', async () => {
    const here = await pageWorld();
    const context = await profile(here.origin, here.as('admin'), asSettings({ theme: 'light', width: 1200 }));
    const page = await context.newPage();
    await page.goto(`/${here.organizationId}/${here.projectId}/actions/new`);
    await page.getByRole('checkbox', { name: /^Tag:/ }).check();
    await page.getByLabel('Name').fill('Slow');
    await page.getByLabel('Values of condition 1').fill('/(/');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('alert').waitFor();
    const colors = await page.evaluate<string[]>(
      `['tags', 'value_1', 'description'].map((name) => getComputedStyle(document.querySelector('[name=' + name + ']')).borderColor)`,
    );
    expect(colors[0]).toBe(colors[1]);
    expect(colors[0]).not.toBe(colors[2]);
  });

  test('The check of a page finds an image without a text alternative, a logged message, a request to another origin, a low link and a page that is too wide', async () => {
    const page = `<!DOCTYPE html><html lang="en"><title>Bad</title><main><h1>Bad</h1><script>console.log('a')</script>
      <img src="http://127.0.0.1:1/"><hr width="500"><p style="font-size: 12px"><a href="/">Low</a></p><p>A <a href="/">link</a> in a text</p></main></html>`;
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
    await bind(server, 0);
    onTestFinished(() => void server.close());
    const origin = `http://127.0.0.1:${getPort(server)}`;
    const context = await profile(origin, undefined, asSettings({ theme: 'light', width: 360 }));
    const seen = await see(context, '/', 'http://artifacts.example');
    expect(seen.violations.join()).toContain('image-alt');
    expect(seen.messages).toContain('a');
    expect(seen.foreign).toEqual(['http://127.0.0.1:1/']);
    expect(seen.overflow).toBeGreaterThan(100);
    expect(seen.small).toEqual([expect.stringContaining('>Low</a>')]);
  });
});
