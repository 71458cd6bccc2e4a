import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { authenticator } from '#test/harness/authenticator.ts';
import { addPasskey, optionsFor, signedInWithPasskey, usePasskey } from '#test/harness/passkey.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { cookieOf, type Shown, signIn, visitor } from '#test/harness/visitor.ts';

async function stage() {
  const here = await service();
  return { ...here, account: await member(here, 'admin') };
}

const passkeyIdIn = ({ html }: Shown) => /name="passkeyId" value="([^"]+)"/.exec(html)?.[1] ?? '';
const locationOf = ({ headers }: Shown) => headers.get('location');

describe('a passkey', () => {
  test('signs its owner in, without a name and without a link', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    expect((await person.get('/account')).text).toContain('Laptop');
    const answer = await usePasskey(here, device);
    expect([answer.status, locationOf(answer)]).toEqual([303, '/']);
    const account = await visitor(here.origin, cookieOf(answer)).get('/account');
    expect(account.text).toContain(here.account.email);
    expect(account.text).toContain('by passkey');
  });

  test('is pinned to three algorithms, to verified users and to this host', async () => {
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

  test('is not offered twice to the same device', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    const { excludeCredentials } = await optionsFor(person, '/account/passkeys/options');
    expect(excludeCredentials).toEqual([{ type: 'public-key', id: device.credentialId }]);
    expect((await addPasskey(person, device)).status).toBe(400);
  });

  test('cannot move to another account', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const thief = await signIn(here, await member(here, 'member'));
    expect((await addPasskey(thief, device)).status).toBe(400);
    expect((await visitor(here.origin, cookieOf(await usePasskey(here, device))).get('/account')).text).toContain(
      here.account.email,
    );
  });

  test('renews the session when it is added and when it is removed', async () => {
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

  test('of somebody else cannot be removed', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    const passkeyId = passkeyIdIn(await person.get('/account'));
    const other = await signIn(here, await member(here, 'admin'));
    expect((await other.post('/account/passkeys/remove', { passkeyId })).status).toBe(404);
    expect((await person.get('/account')).text).toContain('Laptop');
  });

  test('leaves audit records in the organization of its owner', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    await person.post('/account/passkeys/remove', { passkeyId: passkeyIdIn(await person.get('/account')) });
    const { records } = await readAudit(here.services, { organizationId: here.organizationId, actor: OPERATOR });
    const of = { subject: here.account.accountId, actor: `user:${here.account.accountId}`, detail: 'Laptop' };
    for (const action of ['passkey added', 'passkey removed'])
      expect(records).toContainEqual(expect.objectContaining({ ...of, action }));
  });

  test('is refused above the maximum of an account', async () => {
    const here = await stage();
    let { person } = await signedInWithPasskey(here, here.account);
    for (let count = 1; count < SIGN_IN_LIMITS.passkeysOfAccount; count += 1) {
      const answer = await addPasskey(person, authenticator(here.origin, here.account.accountId));
      person = visitor(here.origin, cookieOf(answer));
    }
    const last = await addPasskey(person, authenticator(here.origin, here.account.accountId));
    expect([last.status, last.text.includes('maximum of 20 passkeys')]).toEqual([409, true]);
  });

  test('of a last Admin is replaced by a link from the operator', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    const passkeyId = passkeyIdIn(await person.get('/account'));
    await person.post('/account/passkeys/remove', { passkeyId });
    const recovered = await signedInWithPasskey(here, here.account);
    expect((await recovered.person.get(`/${here.organizationId}/settings/audit`)).status).toBe(200);
  });
});

describe('a confirmation with a passkey', () => {
  test('leads back with a new secret, and the old one is dead', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    clock.advance(SIGN_IN_LIMITS.freshMilliseconds + 1);
    const asked = await person.get('/account/passkeys/new');
    expect(locationOf(asked)).toBe('/sign-in/confirm?return_to=%2Faccount%2Fpasskeys%2Fnew');
    const page = await person.get(locationOf(asked) ?? '');
    expect(page.text).toContain('Confirm with a passkey');
    const cookie = `${person.cookie}; ${page.headers.getSetCookie()[0]?.split(';')[0]}`;
    const credential = device.get(await optionsFor(person, '/sign-in/confirm/options'));
    const answer = await visitor(here.origin, cookie).post('/sign-in/confirm', { credential });
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account/passkeys/new']);
    expect((await visitor(here.origin, cookieOf(answer)).get('/account/passkeys/new')).status).toBe(200);
    expect(locationOf(await person.get('/account'))).toContain('/sign-in');
  });

  test('is refused with the passkey of another account, and keeps the session', async () => {
    const here = await stage();
    const { person } = await signedInWithPasskey(here, here.account);
    const other = await signedInWithPasskey(here, await member(here, 'admin'));
    const credential = other.device.get(await optionsFor(person, '/sign-in/confirm/options'));
    const answer = await person.post('/sign-in/confirm', { credential });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []]);
    expect((await person.get('/account')).text).toContain(here.account.email);
  });
});
