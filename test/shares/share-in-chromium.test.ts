/** Tests what people without a session see when they open a share in a browser. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { accessToken } from '#test/harness/access-tokens.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { tracedRun } from '#test/harness/traced-run.ts';
import { visitor } from '#test/harness/visitor.ts';
import { asSettings, FINE, LOOKS, see } from '#test/pages/seen.ts';

// The object store checks presigned URLs against the real time.
beforeEach(() => void vi.useRealTimers());

let recorded: ReturnType<typeof share> | undefined;

async function share() {
  const trace = await readFile(join(import.meta.dirname, '../samples/traces/trace.zip'));
  const stage = await tracedRun(new Uint8Array(trace));
  const { api } = await accessToken(stage);
  const [failure] = (await stage.reader.get(`/context?run_id=${stage.runId}`)).body.data.list;
  const create = async (of: object): Promise<string> => (await api.post('/shares', of)).body.data.url;
  const { instanceId, testId } = failure;
  return { ...stage, ofTest: await create({ instanceId, testId }), ofRun: await create({ runId: stage.runId }) };
}

const shared = () => (recorded ??= share());

describeInChromium('A share in a browser', () => {
  test.each(LOOKS)(
    'A share shows the failure to an outsider, has no accessibility violations, and loads nothing from origins other than the service and its file store: %o',
    async (look) => {
      const { origin, ofTest, ofRun, services } = await shared();
      for (const url of [ofTest, ofRun]) {
        const context = await profile(origin, undefined, asSettings(look));
        const page = await context.newPage();
        await page.goto(url);
        await page.waitForURL('**/shared/result');
        expect(page.url()).not.toContain('#');
        expect(await page.textContent('main')).toContain('sums its articles');
        await page.close();
        expect(await see(context, '/shared/result', services.artifacts.origin)).toEqual({ ...FINE, status: 200 });
      }
    },
  );

  test('A share links only to itself, its files and the sign-in page, and its trace opens in the trace viewer', async () => {
    const { origin, ofTest } = await shared();
    const context = await profile(origin, undefined, asSettings({ theme: 'light', width: 1280 }));
    const page = await context.newPage();
    await page.goto(ofTest);
    await page.waitForURL('**/shared/result');
    const links = await page.$$eval('a[href]', (all) => all.map((link) => link.getAttribute('href') ?? ''));
    const outside = links.filter((href) => !/^(?:#|\/shared\/|\/sign-in$|\/assets\/trace-viewer)/.test(href));
    expect(outside).toEqual([]);
    await page.getByText('Open trace').first().click();
    await page.getByText('Expect "toHaveText"').first().click();
    await page.frameLocator('iframe[name="snapshot"]:visible').getByText('wrong').waitFor();
  });

  test('A share can be opened without JavaScript by entering the code of the link in a form', async () => {
    const { origin, ofTest } = await shared();
    const outsider = visitor(origin);
    const form = await outsider.get('/shared');
    expect(form.text).toContain('Link code');
    const opened = await outsider.post('/shared', { secret: ofTest.split('#')[1] ?? '' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/shared/result']);
    const [cookie = ''] = opened.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-rundown-share=.*; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const result = await visitor(origin, cookie.split(';')[0]).get('/shared/result');
    expect(result.text).toContain('sums its articles');
    expect(
      Object.fromEntries(
        ['x-robots-tag', 'referrer-policy', 'cache-control'].map((name) => [name, result.headers.get(name)]),
      ),
    ).toEqual({
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(result.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const refused = await outsider.post('/shared', { secret: 'rdn_shr_x' });
    expect([refused.status, refused.text.includes('This link does not work')]).toEqual([404, true]);
    const foreign = await outsider.post('/shared', { secret: 'x' }, { 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);
  });
});
