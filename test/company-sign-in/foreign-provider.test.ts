import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { CLIENT_ID, CLIENT_SECRET } from '#test/harness/company-provider.ts';
import { type ForeignProvider, foreignProvider } from '#test/harness/foreign-provider.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

/** Uses the real clock, because Chromium deletes cookies by the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

const KIM = { email: 'kim@acme.example', email_verified: true, name: 'Kim Roe' };

async function stage() {
  const here = await service();
  vi.useRealTimers();
  const { origin, organizationId } = here;
  const provider = await foreignProvider(`${origin}/sign-in/company/${organizationId}/callback`);
  provider.people.set('kim', KIM);
  return { ...here, provider };
}

/** An Admin, who has no other help than the pages. */
async function connect(admin: BrowserContext, organizationId: string, { issuer }: ForeignProvider): Promise<string> {
  const page = await admin.newPage();
  await page.goto(`/${organizationId}/settings/members`);
  await page.getByRole('link', { name: 'Company sign-in' }).first().click();
  await page.getByLabel('Name').fill('Acme Keycloak');
  await page.getByLabel('Issuer').fill(issuer);
  await page.getByLabel('Client id').fill(CLIENT_ID);
  await page.getByLabel('Client secret').fill(CLIENT_SECRET);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Link for your members').waitFor();
  const link = page.getByText('/sign-in/company/').filter({ hasNotText: 'callback' }).first();
  return (await link.textContent()) ?? '';
}

/** Enters a name at the pages of the provider, and agrees that Rundown reads name and address. */
async function enter(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('a password');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const press = (page: Page) => page.getByRole('link', { name: 'Continue with Acme Keycloak' }).click();
const problem = async (page: Page) => (await page.textContent('main')) ?? '';

describeInChromium('Company sign-in in Chromium, with a provider that others have written', () => {
  test('An Admin connects it by the pages alone, and a member signs in, out and in again, until the identity ends', async () => {
    const { origin, organizationId, provider, ...here } = await stage();
    const admin = await profile(origin, await signedIn({ origin, organizationId, ...here }, 'admin'));
    const link = await connect(admin, organizationId, provider);
    const home = `${origin}/${organizationId}`;
    const kim = await (await profile(origin)).newPage();
    const answers: string[] = [];
    kim.on('request', (request) => {
      if (request.url().includes('/callback?')) answers.push(request.url());
    });

    await kim.goto(link);
    await press(kim);
    await kim.getByRole('link', { name: 'Cancel' }).click();
    expect(await problem(kim)).toContain('access_denied');

    await kim.goto(link);
    await press(kim);
    await enter(kim, 'kim');
    await kim.waitForURL(home);
    expect(await kim.locator('.me').first().textContent()).toContain(KIM.name);

    // The answer arrives a second time, from the history of the browser.
    await kim.goto(answers.at(-1) ?? '');
    expect(await problem(kim)).toContain('has been completed already');
    await kim.goBack();
    await kim.goto(home);
    expect(await kim.locator('.me').first().textContent()).toContain(KIM.name);

    await kim.goto('/account');
    await kim.getByRole('button', { name: 'Sign out', exact: true }).click();
    await kim.waitForURL('**/sign-in');
    await provider.rotateKeys();
    await kim.goto(link);
    provider.lostAnswers = 1;
    await press(kim);
    await enter(kim, 'kim');
    expect(await problem(kim)).toContain('cannot be reached');
    await kim.goto(link);
    await press(kim);
    await kim.waitForURL(home);

    // Somebody has made a new person at the provider, with the address of the earlier one.
    provider.people.set('kim-2', KIM);
    const other = await (await profile(origin)).newPage();
    await other.goto(link);
    await press(other);
    await enter(other, 'kim-2');
    expect(await problem(other)).toContain('An Admin can end that identity');
    const members = await admin.newPage();
    await members.goto(`/${organizationId}/settings/members`);
    await members.getByRole('link', { name: KIM.name }).first().click();
    await members.getByRole('button', { name: /identity/i }).click();
    await kim.goto(home);
    expect(new URL(kim.url()).pathname).toContain('/sign-in');
    await other.goto(link);
    await press(other);
    await other.waitForURL(home);
    await kim.goto(link);
    await press(kim);
    expect(await problem(kim)).toContain('An Admin can end that identity');
  });
});
