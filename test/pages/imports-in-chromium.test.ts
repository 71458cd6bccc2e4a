import type { Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { noise } from '#test/harness/noise.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { junit } from '#test/imports/reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

const FORM_BYTES = 4 * 1024 * 1024;

async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const page = await (await profile(tenant.origin, await signedIn(tenant, 'member'))).newPage();
  await page.goto(`/${tenant.organizationId}/${tenant.projectId}/runs`);
  const imported = async () => {
    await page.waitForURL(/\/imports\/\w{24}$/);
    // The page updates itself when the import has ended.
    await page.getByText('has been recorded').waitFor();
    const importId = page.url().split('/').at(-1) ?? '';
    await expect.poll(async () => (await read(tenant.api, `/imports/${importId}`)).state).toBe('recorded');
    return read(tenant.api, `/imports/${importId}`);
  };
  return { tenant, page, imported };
}

/** A JUnit report of exactly this many bytes, filled up with a random comment. */
const report = (bytes: number): Buffer => {
  const head = junit({ 'cart.test.ts': { sums: 'passed' } });
  const tail = '<!---->';
  const filler = noise(bytes / 2)
    .toString('hex')
    .slice(0, bytes - head.length - tail.length);
  return Buffer.from(`${head}<!--${filler}-->`);
};

const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('Report file').setInputFiles({ name, mimeType: 'text/xml', buffer });
const press = (page: Page) => page.getByRole('button', { name: 'Import' }).click();

describeInChromium('The import form in Chromium', () => {
  test.each([
    ['of the maximum size for a form is sent with the form', FORM_BYTES, false],
    ['above the maximum size for a form is uploaded through a presigned URL', FORM_BYTES + 1, true],
  ])('A report %s, and the browser then shows the page of its import', async (_, bytes, byLink) => {
    const { tenant, page, imported } = await stage();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await choose(page, 'unit.xml', report(bytes));
    await page.getByRole('textbox', { name: 'Branch' }).last().fill('main');
    await press(page);
    const { runId, files } = await imported();
    expect(files).toMatchObject([{ name: 'unit.xml', tests: { overall: 1 } }]);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ meta: { commit: { branch: 'main' } } });
    expect(sent.some((one) => one.startsWith('PUT '))).toBe(byLink);
    expect(sent.some((one) => one.endsWith('/imports/new'))).toBe(!byLink);
  });

  test('If the presigned URL for a report cannot be created, the page says that the upload failed, and the person can send the report again', async () => {
    const { page, imported } = await stage();
    await page.route('**/imports/links', (route) => route.abort(), { times: 1 });
    await choose(page, 'unit.xml', report(FORM_BYTES + 1));
    await press(page);
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('The upload failed.');
    await press(page);
    expect((await imported()).files).toMatchObject([{ tests: { overall: 1 } }]);
  });

  test('The page of the import form may connect to the object store, but the settings, the list of projects and the account page may not', async () => {
    const { tenant, page } = await stage();
    const policyAt = async (path: string) => (await page.goto(path))?.headers()['content-security-policy'] ?? '';
    const project = `/${tenant.organizationId}/${tenant.projectId}`;
    const store = tenant.services.artifacts.origin;
    expect(await policyAt(`${project}/imports/new`)).toContain(`connect-src 'self' ${store};`);
    for (const path of [`${project}/settings`, `/${tenant.organizationId}`, '/account'])
      expect(await policyAt(path)).toContain("connect-src 'self';");
  });
});
