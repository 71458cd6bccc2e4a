import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { listPasskeys, removePasskey } from '#shared/sign-in/passkeys.ts';
import { addPasskey as addNewPasskey } from '#shared/sign-in/register-passkey.ts';
import { listSessions } from '#shared/sign-in/sessions.ts';
import { authenticator } from '#test/harness/authenticator.ts';
import { dyingAfter, interrupted } from '#test/harness/interrupted-table.ts';
import { addPasskey, optionsFor, signedInWithPasskey, usePasskey } from '#test/harness/passkey.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { cookieOf, type Shown, signIn, type Visitor, visitor } from '#test/harness/visitor.ts';

async function stage() {
  const here = await service();
  return { ...here, account: await member(here, 'admin') };
}

const passkeyIdIn = ({ html }: Shown) => /name="passkeyId" value="([^"]+)"/.exec(html)?.[1] ?? '';
const locationOf = ({ headers }: Shown) => headers.get('location');

describe('A passkey', () => {
  test('signs its owner in without a user name and without a sign-in link', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    expect((await person.get('/account')).text).toContain('Laptop');
    const answer = await usePasskey(here, device);
    expect([answer.status, locationOf(answer)]).toEqual([303, '/']);
    const account = await visitor(here.origin, cookieOf(answer)).get('/account');
    expect(account.text).toContain(here.account.email);
    expect(account.text).toContain('by passkey');
  });

  test('The passkey options for browsers allow only three algorithms, and require user verification and this host', async () => {
    const here = await stage();
    const person = await signIn(here, here.account);
    expect(await optionsFor(person, '/account/passkeys/options')).toMatchObject({
      rp: { id: 'localhost' },
      user: { id: Buffer.from(here.account.accountId).toString('base64url') },
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
    const options = await optionsFor(visitor(here.origin), '/sign-in/passkey/options');
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
  });

  test('The options for a new passkey exclude the passkeys that the account already has, and adding one of them again is refused', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    const { excludeCredentials } = await optionsFor(person, '/account/passkeys/options');
    expect(excludeCredentials).toEqual([{ type: 'public-key', id: device.credentialId }]);
    expect((await addPasskey(person, device)).status).toBe(400);
  });

  test('cannot be moved to another account', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const thief = await signIn(here, await member(here, 'member'));
    expect((await addPasskey(thief, device)).status).toBe(400);
    expect((await visitor(here.origin, cookieOf(await usePasskey(here, device))).get('/account')).text).toContain(
      here.account.email,
    );
  });

  test('After a passkey is added or removed, the earlier cookie of the session no longer works', async () => {
    const here = await stage();
    const before = await signIn(here, here.account);
    const device = authenticator(here.origin, here.account.accountId);
    const added = visitor(here.origin, cookieOf(await addPasskey(before, device)));
    const passkeyId = passkeyIdIn(await added.get('/account'));
    const removed = visitor(here.origin, cookieOf(await added.post('/account/passkeys/remove', { passkeyId })));
    const open = await Promise.all([before, added, removed].map(async (one) => (await one.get('/account')).status));
    expect(open).toEqual([303, 303, 200]);
    expect((await removed.get('/account')).text).toContain('You have no passkey');
    expect((await usePasskey(here, device)).status).toBe(400);
  });

  test('cannot be removed by another person', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    const passkeyId = passkeyIdIn(await person.get('/account'));
    const other = await signIn(here, await member(here, 'admin'));
    expect((await other.post('/account/passkeys/remove', { passkeyId })).status).toBe(404);
    expect((await person.get('/account')).text).toContain('Laptop');
  });

  test('Adding and removing a passkey leaves audit records in the organization of its owner', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    await person.post('/account/passkeys/remove', { passkeyId: passkeyIdIn(await person.get('/account')) });
    const { records } = await readAudit(here.services, { organizationId: here.organizationId, actor: OPERATOR });
    const common = { subject: here.account.accountId, actor: `user:${here.account.accountId}`, detail: 'Laptop' };
    for (const action of ['passkey added', 'passkey removed'])
      expect(records).toContainEqual(expect.objectContaining({ ...common, action }));
  });

  test('is refused if the account already has the maximum number of passkeys, even if ten browsers add one at the same time', async () => {
    const here = await stage();
    const add = (person: Visitor) => addPasskey(person, authenticator(here.origin, here.account.accountId));
    let { person } = await signedInWithPasskey(here, here.account);
    const before = SIGN_IN_LIMITS.passkeysOfAccount - 2;
    for (let count = 1; count < before; count += 1) person = visitor(here.origin, cookieOf(await add(person)));
    const browsers = [person];
    while (browsers.length < 10) browsers.push(await signIn(here, here.account));
    const answers = await Promise.all(browsers.map(add));
    const refused = answers.filter(({ status }) => status !== 303);
    expect(refused.map(({ status, text }) => [status, text.includes('maximum of 20 passkeys')])).toEqual(
      Array.from({ length: 8 }, () => [409, true]),
    );
    expect(await listPasskeys(here.services, here.account)).toHaveLength(SIGN_IN_LIMITS.passkeysOfAccount);
    const [known] = answers.filter(({ status }) => status === 303);
    const left = visitor(here.origin, known ? cookieOf(known) : '');
    const passkeyId = passkeyIdIn(await left.get('/account'));
    const removed = visitor(here.origin, cookieOf(await left.post('/account/passkeys/remove', { passkeyId })));
    expect((await add(removed)).status).toBe(303);
  });

  test('After the last Admin has removed their only passkey, a sign-in link from the operator still works, and a new passkey can be added', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    const passkeyId = passkeyIdIn(await person.get('/account'));
    await person.post('/account/passkeys/remove', { passkeyId });
    const recovered = await signedInWithPasskey(here, here.account);
    expect((await recovered.person.get(`/${here.organizationId}/settings/audit`)).status).toBe(200);
  });
});

describe('The removal of a passkey', () => {
  /** Signs the owner of a passkey in with three browsers: one uses a sign-in link, and two use the passkey. */
  async function stolen() {
    const here = await stage();
    const { person: owner, device } = await signedInWithPasskey(here, here.account);
    const browsers: Visitor[] = [];
    for (let count = 0; count < 2; count += 1)
      browsers.push(visitor(here.origin, cookieOf(await usePasskey(here, device))));
    const [passkey] = await listPasskeys(here.services, here.account);
    if (!passkey) throw new Error('The account has no passkey');
    return { ...here, owner, device, browsers, passkey };
  }
  const SIGN_IN = '/sign-in?return_to=%2Faccount';

  test('ends only the sessions that were started with the passkey, each of them at its next request', async () => {
    const here = await stolen();
    const { passkeyId } = here.passkey;
    expect((await here.owner.get('/account')).text).not.toContain('signs you out of this browser');
    const removed = await here.owner.post('/account/passkeys/remove', { passkeyId });
    const owner = visitor(here.origin, cookieOf(removed));
    for (const browser of here.browsers) {
      expect(locationOf(await browser.get('/account'))).toBe(SIGN_IN);
      const added = await browser.post('/account/passkeys/new', { name: 'Planted', credential: '{}' });
      expect(locationOf(added)).toBe('/sign-in?return_to=%2F');
    }
    expect((await owner.get('/account')).text).toContain('You have no passkey');
    expect(await listSessions(here.services, here.account)).toHaveLength(1);
  });

  test('signs out the browser that removes it, if the browser was signed in with this passkey', async () => {
    const here = await stolen();
    const [browser = here.owner] = here.browsers;
    expect((await browser.get('/account')).text).toContain('Removing it signs you out of this browser');
    const removed = await browser.post('/account/passkeys/remove', { passkeyId: here.passkey.passkeyId });
    expect([removed.status, locationOf(removed)]).toEqual([303, '/sign-in']);
    expect(cookieOf(removed)).toBe('__Host-rundown-session=');
    expect(locationOf(await browser.get('/account'))).toBe(SIGN_IN);
    expect((await here.owner.get('/account')).text).toContain('You have no passkey');
  });

  test('ends the sessions of the passkey even if the process dies before it deletes their rows', async () => {
    const here = await stolen();
    const session = (await listSessions(here.services, here.account)).find(({ method }) => method === 'link');
    const actor = { kind: 'person', accountId: here.account.accountId } as const;
    if (!session) throw new Error('The owner is not signed in');
    const { passkeyId } = here.passkey;
    const removal = removePasskey(dyingAfter(here.services, 1), { actor, session, passkeyId });
    await expect(removal).rejects.toThrow('The process has died');
    expect(await listSessions(here.services, here.account)).toHaveLength(3);
    for (const browser of here.browsers) expect(locationOf(await browser.get('/account'))).toBe(SIGN_IN);
  });

  test('prevents sessions that were started with the passkey from adding a new passkey at the same time', async () => {
    const here = await stolen();
    const all = await listSessions(here.services, here.account);
    const owner = all.find(({ method }) => method === 'link');
    const thief = all.find(({ method }) => method === 'passkey');
    const [, browser = here.owner] = here.browsers;
    const actor = { kind: 'person', accountId: here.account.accountId } as const;
    if (!owner || !thief) throw new Error('Signing in with the passkey failed');
    const options = await optionsFor(browser, '/account/passkeys/options');
    const credential = authenticator(here.origin, here.account.accountId).create(options);
    const { passkeyId } = here.passkey;
    const services = interrupted(here.services, () =>
      removePasskey(dyingAfter(here.services, 1), { actor, session: owner, passkeyId }).catch(() => undefined),
    );
    const added = addNewPasskey(services, { actor, session: thief, credential, name: 'Planted' });
    await expect(added).rejects.toThrow('This session has ended');
    expect(await listPasskeys(here.services, here.account)).toEqual([]);
  });
});

describe('A confirmation with a passkey', () => {
  test('redirects to the requested page, and the earlier cookie of the session no longer works', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    clock.advance(SIGN_IN_LIMITS.freshMilliseconds + 1);
    const asked = await person.get('/account/passkeys/new');
    expect(locationOf(asked)).toBe('/sign-in/confirm?return_to=%2Faccount%2Fpasskeys%2Fnew&action=showAddPasskey');
    const page = await person.get(locationOf(asked) ?? '');
    expect(page.text).toContain('Confirm with a passkey');
    const cookie = `${person.cookie}; ${page.headers.getSetCookie()[0]?.split(';')[0]}`;
    const credential = device.get(await optionsFor(person, '/sign-in/confirm/options'));
    const answer = await visitor(here.origin, cookie).post('/sign-in/confirm', { credential });
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account/passkeys/new']);
    expect((await visitor(here.origin, cookieOf(answer)).get('/account/passkeys/new')).status).toBe(200);
    expect(locationOf(await person.get('/account'))).toContain('/sign-in');
  });

  test('A confirmation with the passkey of another account is refused, and the session continues', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    const other = await signedInWithPasskey(here, await member(here, 'admin'));
    const credential = other.device.get(await optionsFor(person, '/sign-in/confirm/options'));
    const answer = await person.post('/sign-in/confirm', { credential });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []]);
    expect((await person.get('/account')).text).toContain(here.account.email);
  });
});
