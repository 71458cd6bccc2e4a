/** §5.3 Consent in a real browser: without scripts, in both themes, on a narrow screen, and in two tabs. */
import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { addMember } from '#shared/organizations/members.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { sampled } from '#test/harness/cases.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { authorizationPath, proof, redeem, tokensIn } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';
import { asSettings, LOOKS } from '#test/pages/seen.ts';

issueOwnTokens();

/** Uses the real clock, because the browser expires cookies by the real clock. */
beforeEach(() => void vi.useRealTimers());

/** The redirect URI of the application. Nothing listens there, so the browser fails to load it. */
const CALLBACK = /^http:\/\/127\.0\.0\.1:51999\/callback\?/;

async function stage(settings: Parameters<typeof profile>[2] = {}) {
  const here = await service();
  const account = await member(here, 'admin');
  const context = await profile(here.origin, await signIn(here, account), settings);
  const own = proof();
  const path = authorizationPath(['results:read', 'runs:write', 'offline_access'], own.challenge, {
    resource: here.origin,
  });
  return { ...here, account, context, own, path };
}

const open = async (context: BrowserContext, path: string): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(path);
  return page;
};

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Clicks the button, and returns the URL of the application to which the browser is redirected. */
async function answerAfter(page: Page, button: string): Promise<URL> {
  const [request] = await Promise.all([
    page.waitForRequest((one) => CALLBACK.test(one.url())),
    press(page, button).catch(() => {}),
  ]);
  return new URL(request.url());
}

describeInChromium('consent in a browser', () => {
  test('The consent page can be used without JavaScript, and grants only the ticked permissions', async () => {
    const { context, path, own, ...here } = await stage({ javaScriptEnabled: false });
    const page = await open(context, path);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('The Rundown command line');
    await page.getByLabel(/runs:write/).uncheck();
    const answer = await answerAfter(page, 'Allow');
    const tokens = tokensIn(here, await redeem(here, answer.searchParams.get('code') ?? '', own.verifier));
    expect(tokens.scopes).toEqual(['results:read', 'offline_access']);
    expect(tokens.refreshToken).not.toBe('');
    expect((await tokens.api.get('/runs/unknown')).status).toBe(404);
  });

  test('The consent page redirects to the application with the error access_denied if the person denies access, even before choosing an organization', async () => {
    const { context, path, account, services, tenant } = await stage();
    const beta = await tenant('Beta');
    await addMember(services, { ...beta, accountId: account.accountId, role: 'guest', actor: OPERATOR });
    const page = await open(context, path);
    await press(page, 'Allow');
    expect(page.url()).toContain('/oauth/consent/');
    const answer = await answerAfter(page, 'Deny');
    expect(answer.searchParams.get('error')).toBe('access_denied');
  });

  test('The button "Not you?" on the consent page opens the sign-in page, and the next person is then asked for the same consent', async () => {
    const { context, path, services, ...here } = await stage();
    const other = await member({ ...here, services }, 'guest');
    const page = await open(context, path);
    const question = page.url();
    await press(page, 'Not you?');
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    const { secret } = await createSignInLink(services, { actor: OPERATOR, email: other.email });
    await page.goto(`/sign-in/link#${secret}`);
    await press(page, 'Sign in');
    await page.getByRole('link', { name: 'Not now' }).click();
    expect(page.url()).toBe(question);
    expect(await page.locator('main').textContent()).toContain(other.email);
  });

  test('The consent pages in two tabs each answer their own authorization request', async () => {
    const { context, path } = await stage();
    const first = await open(context, path.replace('of+the+test', 'first'));
    const second = await open(context, path.replace('of+the+test', 'second'));
    expect(first.url()).not.toBe(second.url());
    const answer = await answerAfter(second, 'Allow');
    expect(answer.searchParams.get('state')).toBe('second');
    expect((await answerAfter(first, 'Deny')).searchParams.get('state')).toBe('first');
  });

  test('As soon as the person chooses an organization, the consent page strikes through the permissions that this organization does not allow', async () => {
    const { context, account, services, tenant, own, origin } = await stage();
    const { organizationId } = await tenant('Beta');
    await addMember(services, { organizationId, accountId: account.accountId, role: 'guest', actor: OPERATOR });
    const page = await open(context, authorizationPath(SCOPES, own.challenge, { resource: origin }));
    const line = () =>
      page.evaluate<string>(
        'getComputedStyle(document.querySelector(\'[value="runs:write"] ~ label .meaning\')).textDecorationLine',
      );
    expect(await line()).toBe('none');
    await page.getByRole('radio', { name: /^Beta/ }).check();
    expect(await line()).toBe('line-through');
    await page.getByRole('radio', { name: /^Acme/ }).check();
    expect(await line()).toBe('none');
  });

  test('The consent page needs no horizontal scrolling in any tested theme and width, and contacts no other origin', async () => {
    const { path, origin, account, ...here } = await stage();
    for (const look of sampled(LOOKS, 3)) {
      const context = await profile(origin, await signIn({ ...here, origin }, account), asSettings(look));
      const foreign: string[] = [];
      context.on('request', (request) => {
        if (!request.url().startsWith(origin)) foreign.push(request.url());
      });
      const page = await open(context, path);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${look.width}`).toBe(0);
      expect(foreign).toEqual([]);
    }
  });
});
