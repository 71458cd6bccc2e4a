import { describe, expect, test } from 'vitest';
import { findAccount, findCompanyAccount } from '#shared/organizations/create-account.ts';
import { listMembers, removeMember } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { clock } from '#test/harness/service.ts';
import { visitor } from '#test/harness/visitor.ts';
import { company, sessionOf } from './stage.ts';

const KIM = { sub: 'kim', email: 'kim@acme.example', email_verified: true, name: 'Kim Roe' };

describe('Company sign-in', () => {
  test('makes a new person a member with an account of the organization, and shows them its pages', async () => {
    const here = await company();
    const kim = await here.signIn();
    expect((await kim.get(`/${here.organizationId}`)).status).toBe(200);
    const account = await findCompanyAccount(here.services, { ...here, email: KIM.email });
    expect(account).toMatchObject({ name: 'Kim Roe', managedBy: here.organizationId });
    const { records } = await readAudit(here.services, { ...here.by, limit: 50 });
    const joined = { action: 'member joined', subject: account?.accountId, actor: 'company sign-in' };
    expect(records).toContainEqual(expect.objectContaining({ ...joined, detail: 'member, by Acme Okta' }));
  });

  test('leads back to the page that the person wanted', async () => {
    const here = await company();
    const wanted = `/${here.organizationId}/settings/members`;
    const page = await visitor(here.origin).get(
      `/sign-in/company/${here.organizationId}?return_to=${encodeURIComponent(wanted)}`,
    );
    expect(page.text).toContain('Continue with Acme Okta');
    const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const answer = await here.comeBack(visitor(here.origin, cookie));
    expect(answer.headers.get('location')).toBe(wanted);
  });

  test('recognizes the same person again by the subject, whatever the provider says about name and address', async () => {
    const here = await company();
    await here.signIn();
    here.provider.person = { ...KIM, email: 'other@acme.example', name: 'Another' };
    const kim = await here.signIn();
    expect((await kim.get('/account')).text).toMatch(/Kim Roe.*kim@acme\.example/);
    expect(await listMembers(here.services, here.by)).toHaveLength(1);
  });

  test('takes the address from the UserInfo endpoint if the ID token has none', async () => {
    const here = await company();
    here.provider.userInfo = {};
    expect((await (await here.signIn()).get('/account')).text).toContain(KIM.email);
  });

  test('works although the clock of the provider is a minute ahead, and after the provider has changed its keys', async () => {
    const here = await company();
    here.provider.aheadSeconds = 55;
    await here.signIn();
    await here.provider.rotateKeys();
    await here.signIn();
    here.provider.aheadSeconds = -55;
    await here.signIn();
  });

  test.each<[string, (here: Awaited<ReturnType<typeof company>>) => void]>([
    ['a token of another issuer', ({ provider }) => Object.assign(provider.lie, { iss: 'https://other.example' })],
    ['a token for another client', ({ provider }) => Object.assign(provider.lie, { aud: 'other' })],
    ['a token with another nonce', ({ provider }) => Object.assign(provider.lie, { nonce: 'other' })],
    ['an expired token', ({ provider }) => Object.assign(provider.lie, { exp: 1 })],
    ['a forged signature', ({ provider }) => Object.assign(provider, { forges: true })],
    ['a token error', ({ provider }) => Object.assign(provider, { tokenError: { error: 'server_error' } })],
    ['a token error with markup', ({ provider }) => Object.assign(provider, { tokenError: { error: '<b>x</b>' } })],
    [
      'keys at a forbidden address',
      ({ provider }) => Object.assign(provider, { configuration: { jwks_uri: 'http://169.254.169.254/jwks' } }),
    ],
    [
      'an issuer that its configuration does not name',
      ({ provider }) => Object.assign(provider, { configuration: { issuer: 'https://other.example' } }),
    ],
    [
      'a configuration of the wrong type',
      ({ provider }) => Object.assign(provider, { configuration: { token_endpoint: 7 } }),
    ],
    ['no address', ({ provider }) => Object.assign(provider, { person: { sub: 'kim' } })],
    [
      'a subject of 300 characters',
      ({ provider }) => Object.assign(provider, { person: { ...KIM, sub: 'x'.repeat(300) } }),
    ],
    ['a subject that is a number', ({ provider }) => Object.assign(provider, { person: { ...KIM, sub: 7 } })],
  ])('starts no session with %s', async (_, lie) => {
    const here = await company();
    lie(here);
    const answer = await here.comeBack();
    // 400: the way to the provider did not even start.
    expect([400, 403]).toContain(answer.status);
    expect(sessionOf(answer)).toBe('');
    expect(answer.html).not.toContain('<b>x</b>');
    expect(await listMembers(here.services, here.by)).toEqual([]);
  });

  test('starts no session when the answer lacks its state, code or issuer, or the browser its cookie', async () => {
    const here = await company();
    for (const part of ['state', 'code', 'iss']) {
      const without = await here.comeBack(undefined, (back) => back.searchParams.delete(part));
      const wrong = await here.comeBack(undefined, (back) => back.searchParams.set(part, 'other'));
      expect([without.status, wrong.status, sessionOf(without), sessionOf(wrong)]).toEqual([403, 403, '', '']);
    }
    const stranger = visitor(here.origin);
    const callback = `/sign-in/company/${here.organizationId}/callback`;
    expect((await stranger.get(`${callback}?code=x&state=y`)).status).toBe(403);
    expect((await stranger.get(callback)).status).toBe(403);
  });

  test('accepts an answer once, and only within 15 minutes', async () => {
    const here = await company();
    let again = '';
    let flow = '';
    const from = visitor(here.origin);
    const start = await from.get(`/sign-in/company/${here.organizationId}/start`, { 'sec-fetch-site': 'same-origin' });
    flow = start.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const back = here.provider.authorize(start.headers.get('location') ?? '');
    again = `${back.pathname}${back.search}`;
    const browser = visitor(here.origin, flow);
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.get(again)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect((await browser.get(again)).status).toBe(403);
    const late = await here.comeBack(undefined, () => clock.advance(15 * 60_000));
    expect([late.status, sessionOf(late)]).toEqual([403, '']);
  });

  test('starts only from a page of this service, so that a link from a stranger signs nobody in', async () => {
    const here = await company();
    const start = `/sign-in/company/${here.organizationId}/start`;
    const sites: readonly Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      {},
      { referer: 'https://evil.example/' },
    ];
    for (const headers of sites) {
      const answer = await visitor(here.origin).get(start, headers);
      expect(answer.headers.get('location')).toBe(`/sign-in/company/${here.organizationId}`);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test('gives unknown organizations, those without a provider and deactivated ones the same answer', async () => {
    const here = await company();
    const other = await here.tenant('Other');
    const at = (id: string) => visitor(here.origin).get(`/sign-in/company/${id}`);
    const [unknown, without] = [await at('f'.repeat(16)), await at(other.organizationId)];
    expect([unknown.status, unknown.text]).toEqual([404, without.text]);
  });

  test('does not let somebody back in whom an Admin has removed', async () => {
    const here = await company();
    const kim = await here.signIn();
    const account = await findCompanyAccount(here.services, { ...here, email: KIM.email });
    await removeMember(here.services, { ...here.by, accountId: account?.accountId ?? '' });
    expect((await kim.get(`/${here.organizationId}`)).status).toBe(404);
    const answer = await here.comeBack();
    expect([answer.status, sessionOf(answer)]).toEqual([403, '']);
    expect(await listMembers(here.services, here.by)).toEqual([]);
  });

  test.each(['common', 'organizations/v2.0', 'consumers'])(
    'refuses the issuers of Microsoft that sign in people of every company: %s',
    async (tenant) => {
      const here = await company();
      const issuer = `https://login.microsoftonline.com/${tenant}`;
      await expect(here.save({ issuer })).rejects.toThrow('Enter the issuer of your own tenant');
    },
  );

  test('never finds or makes an account that people own', async () => {
    const here = await company();
    await here.signIn();
    expect(await findAccount(here.services, KIM.email)).toBeUndefined();
  });
});
