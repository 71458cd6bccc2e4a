import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { browser, left, shown } from '#test/harness/browser.ts';
import { issuerOrigin, proof, toConsent } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';

const scopes = ['results:read', 'runs:write'];

async function opened() {
  return { stage: await service(), by: browser(issuerOrigin()), challenge: proof().challenge };
}

describe('§5.3 The consent page', () => {
  test('shows the client, the member, the organization, the resource and every scope', async () => {
    const { stage, by, challenge } = await opened();
    const account = await member(stage, 'guest');
    const asked = [...scopes, 'offline_access'];
    const { text } = await toConsent(by, stage, { account, scopes: asked }, challenge);
    for (const named of [
      'Rundown CLI',
      account.name,
      account.email,
      'Acme',
      stage.origin,
      'Your role is Guest',
      ...asked,
    ]) {
      expect(text).toContain(named);
    }
    expect(text).toContain('Cancel and reset runs');
    expect(text).toContain('Either way you return to 127.0.0.1:51999');
  });

  test('redirects a denial to the client without a code', async () => {
    const { stage, by, challenge } = await opened();
    const signIn = { account: await member(stage, 'admin'), scopes };
    const { searchParams } = left(await by.submit(await toConsent(by, stage, signIn, challenge), 'Deny'));
    expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'access_denied', state: 'of the test' });
    expect(searchParams.has('code')).toBe(false);
  });

  test.each<Record<string, string>>([{}, { decision: 'maybe' }])(
    'treats any other decision as a denial',
    async (fields) => {
      const { stage, by, challenge } = await opened();
      const signIn = { account: await member(stage, 'admin'), scopes };
      const { searchParams } = left(await by.forge(await toConsent(by, stage, signIn, challenge), fields));
      expect(searchParams.get('error')).toBe('access_denied');
    },
  );

  test('grants nothing to a former member', async () => {
    const { stage, by, challenge } = await opened();
    const account = await member(stage, 'guest');
    const page = await toConsent(by, stage, { account, scopes }, challenge);
    const of = { organizationId: stage.organizationId, accountId: account.accountId, actor: OPERATOR };
    await removeMember(stage.services, of);
    expect(shown(await by.submit(page, 'Allow')).text).toContain('no longer, a member');
  });

  test('expires an hour after the request, with advice', async () => {
    const { stage, by, challenge } = await opened();
    const page = await toConsent(by, stage, { account: await member(stage, 'admin'), scopes }, challenge);
    clock.advance(3_660_000);
    const ended = shown(await by.submit(page, 'Allow'));
    expect(ended).toMatchObject({ status: 400, text: expect.stringContaining('This sign-in has ended') });
    expect(ended.text).toContain('sign in again');
  });

  test('accepts one decision', async () => {
    const { stage, by, challenge } = await opened();
    const page = await toConsent(by, stage, { account: await member(stage, 'admin'), scopes }, challenge);
    left(await by.submit(page, 'Allow'));
    expect(shown(await by.submit(page, 'Allow'))).toMatchObject({
      status: 400,
      text: expect.stringContaining('It was answered already'),
    });
  });

  test('accepts a decision only from the browser that started the sign-in', async () => {
    const { stage, by, challenge } = await opened();
    const page = await toConsent(by, stage, { account: await member(stage, 'admin'), scopes }, challenge);
    const other = shown(await browser(issuerOrigin()).forge(page, { decision: 'allow' }));
    expect(other).toMatchObject({ status: 400, text: expect.stringContaining('began in another browser') });
  });
});
