/**
 * §5.3 Consent through the API and the pages: from the authorization request of an application to the redirect back,
 * and what can go wrong in between.
 */
import { describe, expect, test } from 'vitest';
import { OPERATOR, makePerson as personOf } from '#shared/access/actor.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { createOwnCode } from '#shared/sign-in/confirmation-codes.ts';
import { CEILINGS } from '#test/access/oracle.ts';
import { sampled } from '#test/harness/cases.ts';
import {
  type Asked,
  ask,
  authorizationPath,
  decide,
  login,
  proof,
  redeem,
  refresh,
  tokensIn,
} from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service } from '#test/harness/service.ts';
import { cookieOf, signIn, visitor } from '#test/harness/visitor.ts';
import { toolsOf } from '#test/mcp/agents.ts';

issueOwnTokens();

const MINUTE = 60_000;

async function stage(scopes: readonly string[] = ['results:read']) {
  const here = await service();
  const account = await member(here, 'member');
  const path = authorizationPath(scopes, proof().challenge, { resource: here.origin });
  const asked = await ask(here, account, path);
  return { ...here, account, path, asked, scopes };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Submits the form of the consent page as a browser would. */
const allow = (
  { asked, organizationId }: Stage,
  more: Record<string, string> = {},
  by: Asked['browser'] = asked.browser,
) =>
  by.post(asked.path, {
    decision: 'allow',
    accountId: asked.account.accountId,
    organizationId,
    scopes: 'results:read',
    ...more,
  });

describe('an authorization request', () => {
  test('shows the consent page each time, even to a person who has just allowed the application', async () => {
    const here = await stage();
    for (let time = 0; time < 2; time += 1) {
      const { page } = await ask(here, here.account, here.path);
      expect(page.status).toBe(200);
      expect(page.text).toContain('asks for access');
      await login(here, { account: here.account, scopes: ['results:read'] });
    }
  });

  test('An application that asks for a refresh token half an hour after a sign-in by link is allowed once the person has confirmed with a code', async () => {
    const here = await service();
    const account = await member(here, 'member');
    const scopes = ['results:read', 'offline_access'];
    const person = await signIn(here, account);
    clock.advance(31 * MINUTE);
    const { browser, path, page } = await ask(
      here,
      account,
      authorizationPath(scopes, proof().challenge, { resource: here.origin }),
      person,
    );
    const confirm = page.headers.get('location') ?? '';
    expect(confirm).toMatch(/^\/sign-in\/confirm\?.*action=showConsent$/);
    const confirming = await browser.get(confirm);
    expect(confirming.text).toContain('let an application act for you');
    const code = await createOwnCode(here.services, { actor: personOf(account) });
    const confirmed = await browser.post('/sign-in/confirm', { code: code.code });
    const cookies = browser.cookie.replace(person.cookie, cookieOf(confirmed));
    const asked = { page, path, account, browser: visitor(here.origin, cookies) };
    expect((await asked.browser.get(path)).text).toContain('asks for access');
    const redirect = await decide(here, asked, { scopes });
    expect(redirect.searchParams.get('code')).toBeTruthy();
  });

  test('A person who signs in for the request of an application is not asked again while the request lasts', async () => {
    const here = await service();
    const account = await member(here, 'member');
    const scopes = ['results:read', 'offline_access'];
    const address = authorizationPath(scopes, proof().challenge, { resource: here.origin });
    const { path, browser } = await ask(here, account, address, visitor(here.origin));
    clock.advance(2 * MINUTE);
    const person = await signIn(here, account);
    clock.advance(7 * MINUTE);
    const page = await visitor(here.origin, `${browser.cookie}; ${person.cookie}`).get(path);
    expect([page.status, page.text.includes('asks for access')]).toEqual([200, true]);
  });

  test('redirects a person without a session to the sign-in page, with the request as the page to return to', async () => {
    const { asked, origin } = await stage();
    const { status, headers } = await visitor(origin).get(asked.path);
    expect([status, headers.get('location')]).toEqual([303, `/sign-in?return_to=${encodeURIComponent(asked.path)}`]);
  });

  test.each(ROLES)(
    'An application that requests all scopes gets only those that the role of the consenting person allows: %s',
    async (role) => {
      const here = await service();
      const account = await member(here, role);
      // `npm test` tries each role with one of the two resources.
      for (const resource of sampled([here.origin, `${here.origin}/mcp`], 2, ROLES.indexOf(role))) {
        const { scopes } = await login(here, { account, scopes: SCOPES, resource });
        expect([...scopes].sort()).toEqual([...CEILINGS[role]].sort());
      }
    },
  );

  test('An authorization request for a write permission needs a sign-in within the last 25 minutes', async () => {
    const here = await service();
    const account = await member(here, 'member');
    const person = await signIn(here, account);
    clock.advance(20 * MINUTE);
    const { browser, path, page } = await ask(
      here,
      account,
      authorizationPath(['runs:write'], proof().challenge, { resource: here.origin }),
      person,
    );
    expect(page.status).toBe(200);
    clock.advance(6 * MINUTE);
    const again = await browser.get(path);
    const confirm = `/sign-in/confirm?return_to=${encodeURIComponent(path)}&action=showConsent`;
    expect([again.status, again.headers.get('location')]).toEqual([303, confirm]);
  });

  test('Consent leaves an audit record with the person, the resource and the permissions, and denying consent leaves none', async () => {
    const here = await stage(['results:read', 'runs:write']);
    const { services, organizationId, account } = here;
    const connections = async () =>
      (await readAudit(services, { organizationId, actor: OPERATOR, limit: 50 })).records.filter(
        ({ action }) => action === 'application connected',
      );
    const refused = await decide(here, here.asked, { decision: 'deny', scopes: here.scopes });
    expect(refused.searchParams.get('error')).toBe('access_denied');
    expect(await connections()).toEqual([]);
    await login(here, { account, scopes: here.scopes });
    expect(await connections()).toMatchObject([
      { actor: `user:${account.accountId}`, detail: expect.stringMatching(/ at API: results:read runs:write$/) },
    ]);
  });

  test('A denied authorization request redirects to the application with the error access_denied and without a code', async () => {
    const here = await stage();
    const denied = await decide(here, here.asked, { decision: 'deny' });
    expect(denied.searchParams.get('error')).toBe('access_denied');
    expect(denied.searchParams.has('code')).toBe(false);
  });

  test('An agent gets the permissions that the person added to those it asked for, in the answer and in each renewal', async () => {
    const here = await service();
    const account = await member(here, 'member');
    const own = proof();
    const resource = `${here.origin}/mcp`;
    const path = authorizationPath(['results:read', 'offline_access'], own.challenge, { resource });
    const scopes = ['results:read', 'issues:write', 'offline_access'];
    const redirect = await decide(here, await ask(here, account, path), { scopes });
    const code = redirect.searchParams.get('code') ?? '';
    const tokens = tokensIn(here, await redeem(here, code, own.verifier));
    expect(tokens.scopes).toEqual(scopes);
    const renewed = tokensIn(here, await refresh(here, tokens.refreshToken));
    expect(renewed.scopes).toEqual(scopes);
    expect(await toolsOf(here.origin, renewed.accessToken)).toContain('create_issue');
  });

  test('A person who added a permission to write long after signing in confirms who they are, and then sees the same choice again', async () => {
    const here = await service();
    const account = await member(here, 'member');
    const person = await signIn(here, account);
    clock.advance(31 * MINUTE);
    const path = authorizationPath(['results:read', 'projects:read'], proof().challenge, {
      resource: `${here.origin}/mcp`,
    });
    const asked = await ask(here, account, path, person);
    expect([asked.page.status, asked.page.text.includes('asks for access')]).toEqual([200, true]);
    const choice = new URLSearchParams({ decision: 'allow', accountId: account.accountId });
    choice.set('organizationId', here.organizationId);
    for (const scope of ['results:read', 'issues:write']) choice.append('scopes', scope);
    const refused = await asked.browser.postAll(asked.path, choice);
    expect(refused.status).toBe(303);
    const confirm = new URL(refused.headers.get('location') ?? '', here.origin);
    expect(confirm.pathname).toBe('/sign-in/confirm');
    const again = confirm.searchParams.get('return_to') ?? '';
    const confirming = await asked.browser.get(confirm.pathname + confirm.search);
    expect(confirming.status).toBe(200);
    const { code } = await createOwnCode(here.services, { actor: personOf(account) });
    const confirmed = await asked.browser.post('/sign-in/confirm', { code });
    const browser = visitor(here.origin, asked.browser.cookie.replace(person.cookie, cookieOf(confirmed)));
    const { html } = await browser.get(again);
    const ticked = [...html.matchAll(/<input[^>]*name="scopes"[^>]*>/g)].filter(([box]) => / checked/.test(box));
    expect(ticked.map(([box]) => /value="([^"]*)"/.exec(box)?.[1])).toEqual(['results:read', 'issues:write']);
    const redirect = await decide(here, { ...asked, browser }, { scopes: ['results:read', 'issues:write'] });
    expect(redirect.searchParams.get('code')).toBeTruthy();
  });

  test('is denied if the person ticks no permission', async () => {
    const here = await stage();
    expect((await decide(here, here.asked, { scopes: [] })).searchParams.get('error')).toBe('access_denied');
  });
});

describe('the form of the consent page', () => {
  test('is refused in another browser, for another request and after ten minutes', async () => {
    const here = await stage();
    const thief = await signIn(here, here.account);
    expect((await allow(here, {}, thief)).status).toBe(404);
    const other = await ask(here, here.account, here.path);
    expect(
      (await other.browser.post(here.asked.path, { decision: 'deny', accountId: here.account.accountId })).status,
    ).toBe(404);
    clock.advance(10 * MINUTE + 1000);
    expect((await allow(here)).status).toBe(404);
    expect((await here.asked.browser.get(here.asked.path)).status).toBe(404);
  });

  test('is refused if it is submitted a second time, and grants access only once', async () => {
    const here = await stage();
    await decide(here, here.asked, { scopes: ['results:read'] });
    expect((await allow(here)).status).toBe(404);
    expect((await here.asked.browser.get('/account')).html.match(/name="grant"/g)).toHaveLength(1);
  });

  test('is refused if another account has signed in meanwhile', async () => {
    const here = await stage();
    const other = await member(here, 'admin');
    const session = (await signIn(here, other)).cookie;
    const both = visitor(here.origin, here.asked.browser.cookie.replace(/^[^;]+/, session));
    const refused = await allow(here, {}, both);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Somebody else signed in');
    expect(refused.text).toContain(other.email);
    expect((await allow(here, { accountId: other.accountId }, both)).status).toBe(303);
  });

  test('is refused without an organization, and for an organization that is deactivated or of which the person is not a member', async () => {
    const here = await stage();
    const { organizationId } = await here.tenant('Foreign');
    expect((await allow(here, { organizationId })).status).toBe(400);
    expect((await allow(here, { organizationId: '' })).status).toBe(400);
    await deactivateOrganization(here.services, { organizationId: here.organizationId, actor: OPERATOR });
    const refused = await allow(here);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('You are not a member of any active organization');
  });
});
