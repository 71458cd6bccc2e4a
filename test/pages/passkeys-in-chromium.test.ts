import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';

/** Adds a virtual authenticator to the page. The authenticator verifies its user. */
async function device(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    recognize: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

async function stage() {
  const here = await service();
  const account = await member(here, 'admin');
  const context = await profile(here.origin, await signIn(here, account));
  const page = await context.newPage();
  const add = async () => {
    await page.goto('/account/passkeys/new');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
  };
  const signOut = async () => {
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL('**/sign-in');
  };
  return { ...here, account, page, add, signOut };
}

const alert = (page: Page) => page.locator('form[data-passkey] [role=alert]');

describeInChromium('A passkey in Chromium', () => {
  test('A passkey can be added, and signs its owner in to the requested page', async () => {
    const { page, add, signOut, organizationId, account } = await stage();
    await device(page);
    await add();
    await page.waitForURL('**/account');
    await signOut();
    await page.goto(`/${organizationId}/settings/members`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`**/${organizationId}/settings/members`);
    expect(await page.locator('.me').first().textContent()).toContain(account.name);
  });

  test('A passkey cannot be added to the same device twice, and the page says that the device already has a passkey', async () => {
    const { page, add } = await stage();
    await device(page);
    await add();
    await page.waitForURL('**/account');
    await add();
    await alert(page).filter({ hasText: 'already has a passkey' }).waitFor();
  });

  test('A passkey does not sign in a person whom the device does not recognize', async () => {
    const { page, add, signOut } = await stage();
    const own = await device(page);
    await add();
    await page.waitForURL('**/account');
    await signOut();
    await own.recognize(false);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await alert(page).filter({ hasText: 'cancelled or took too long' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  test('A passkey can be added by the last Admin after a sign-in with a link from the operator', async () => {
    const { page, signOut, account, services, origin, organizationId } = await stage();
    await signOut();
    const { secret } = await createSignInLink(services, { actor: OPERATOR, email: account.email });
    await page.goto(`${origin}/sign-in/link#${secret}`);
    await device(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL(`**/${organizationId}`);
    await page.goto('/account');
    await page.getByRole('button', { name: 'Remove My passkey' }).waitFor();
  });

  test('A passkey is not offered in a browser that is too old, and the page suggests signing in with a link', async () => {
    const { page, signOut } = await stage();
    await signOut();
    await page.addInitScript('delete PublicKeyCredential.parseRequestOptionsFromJSON');
    await page.goto('/sign-in');
    await alert(page).filter({ hasText: 'sign in with a link' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
  });
});
