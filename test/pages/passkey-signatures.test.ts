import { describe, expect, test } from 'vitest';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { authenticator, type Deviation } from '#test/harness/authenticator.ts';
import { sampled } from '#test/harness/cases.ts';
import { addPasskey, optionsFor, signedInWithPasskey, usePasskey } from '#test/harness/passkey.ts';
import { member } from '#test/harness/people.ts';
import { clock, logLines, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { visitor } from '#test/harness/visitor.ts';

async function stage() {
  const here = await service();
  return { ...here, account: await member(here, 'admin') };
}

async function withPasskey() {
  const here = await stage();
  return { here, ...(await signedInWithPasskey(here, here.account)) };
}

/** A passkey that some tests share, because their refused requests do not change it. */
let shared: ReturnType<typeof withPasskey> | undefined;
const sharedPasskey = () => (shared ??= withPasskey());

const REFUSED = 'This passkey cannot sign you in here';

describe('A passkey signature', () => {
  test.each<[string, Deviation]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port of this host', { origin: 'http://localhost:1' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without a verified user', { isVerified: false }],
    ['of a challenge that nobody issued', { challenge: 'A'.repeat(71) }],
    ['of an empty challenge', { challenge: '' }],
    ['of another type', { type: 'webauthn.create' }],
    ['with an unknown credential id', { credentialId: 'A'.repeat(43) }],
    ['for another account', { userHandle: 'somebody' }],
    ['from a frame of another site', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['from a frame of an unknown site', { crossOrigin: true }],
    ['from a frame of another site that denies being cross-origin', { topOrigin: 'https://evil.example' }],
  ])('A signature %s is refused', async (_, deviation) => {
    const { here, device } = await sharedPasskey();
    const answer = await usePasskey(here, device, deviation);
    expect([answer.status, answer.text.includes(REFUSED)]).toEqual([400, true]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await usePasskey(here, device)).status).toBe(303);
  });

  test('A signature with the credential id of another person is refused', async () => {
    const here = await stage();
    const [own, other] = await Promise.all(
      [here.account, await member(here, 'admin')].map((one) => signedInWithPasskey(here, one)),
    );
    const credentialId = other?.device.credentialId ?? '';
    const deviations = [{ credentialId }, { credentialId, userHandle: undefined }];
    for (const deviation of deviations) {
      const answer = own && (await usePasskey(here, own.device, deviation));
      expect(answer?.status).toBe(400);
    }
  });

  test('A signature is accepted only once, even if ten parallel requests contain it', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const stranger = visitor(here.origin);
    const credential = device.get(await optionsFor(stranger, '/sign-in/passkey/options'));
    const parallel = Array.from({ length: 10 }, () => stranger.post('/sign-in/passkey', { credential }));
    const answers = await Promise.all(parallel);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 9 }, () => 400)]);
    expect((await stranger.post('/sign-in/passkey', { credential })).status).toBe(400);
  });

  test('A signature whose counter did not increase is refused, because the device may have been cloned', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    expect((await usePasskey(here, device, { counter: 5 })).status).toBe(303);
    for (const counter of [5, 4, 0]) expect((await usePasskey(here, device, { counter })).status).toBe(400);
    expect((await usePasskey(here, device, { counter: 6 })).status).toBe(303);
  });

  test('A signature of an expired challenge is refused', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const stranger = visitor(here.origin);
    const credential = device.get(await optionsFor(stranger, '/sign-in/passkey/options'));
    clock.advance(SIGN_IN_LIMITS.challengeMilliseconds);
    expect((await stranger.post('/sign-in/passkey', { credential })).status).toBe(400);
  });

  test('A signature of a challenge that was issued for another purpose is refused', async () => {
    const here = await stage();
    const { person, device } = await signedInWithPasskey(here, here.account);
    const stranger = visitor(here.origin);
    const uses = { signIn: '/sign-in/passkey', confirm: '/sign-in/confirm' };
    const sent: [string, string][] = [
      ['/account/passkeys/options', uses.signIn],
      ['/sign-in/confirm/options', uses.signIn],
      ['/sign-in/passkey/options', uses.confirm],
      ['/account/passkeys/options', uses.confirm],
    ];
    for (const [options, target] of sent) {
      const credential = device.get(await optionsFor(person, options));
      const sender = target === uses.signIn ? stranger : person;
      expect((await sender.post(target, { credential })).status, `${options} at ${target}`).toBe(400);
    }
    const create = device.create(await optionsFor(stranger, '/sign-in/passkey/options'));
    expect((await person.post('/account/passkeys/new', { name: 'x', credential: create })).status).toBe(400);
  });

  test('All invalid signatures get the same response, and neither the response nor the log contains the challenge', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const stranger = visitor(here.origin);
    const options = await optionsFor(stranger, '/sign-in/passkey/options');
    const good = JSON.parse(device.get(options));
    const credentials = [
      '',
      'x',
      '[]',
      '{}',
      'null',
      '{"__proto__":{}}',
      JSON.stringify({ ...good, id: 1 }),
      JSON.stringify({ ...good, response: {} }),
      device.get(options, { isVerified: false }),
      device.get(options, { credentialId: 'unknown' }),
      'x'.repeat(SIGN_IN_LIMITS.credentialCharacters + 1),
    ];
    const answers = await Promise.all(
      credentials.map((credential) => stranger.post('/sign-in/passkey', { credential })),
    );
    expect(new Set(answers.map(({ status, html }) => `${status} ${html}`)).size).toBe(1);
    expect(answers[0]?.html).not.toContain(options.challenge);
    expect(logLines.some((line) => line.includes(options.challenge))).toBe(false);
  });

  test('A signature of a challenge is refused if any byte of the challenge was changed', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const stranger = visitor(here.origin);
    const options = await optionsFor(stranger, '/sign-in/passkey/options');
    const bytes = Buffer.from(options.challenge, 'base64url');
    // `npm test` changes only every fourth byte. These bytes cover all parts of a challenge: the kind, the expiry, the
    // random bytes and the HMAC.
    const changed = sampled([...bytes.keys()], 4).map((at) =>
      Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))),
    );
    for (const one of changed) {
      const credential = device.get({ challenge: one.toString('base64url') });
      expect((await stranger.post('/sign-in/passkey', { credential })).status).toBe(400);
    }
  });
});

describe('A new passkey', () => {
  test.each<[string, Deviation]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['without a verified user', { isVerified: false }],
    ['from a frame of another site', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['from a frame of an unknown site', { crossOrigin: true }],
    ['from a frame of another site that denies being cross-origin', { topOrigin: 'https://evil.example' }],
  ])('A new passkey %s is refused', async (_, deviation) => {
    const { here, person } = await sharedPasskey();
    const device = authenticator(here.origin, here.account.accountId);
    const answer = await addPasskey(person, device, deviation);
    expect([answer.status, answer.text.includes('The passkey was not added')]).toEqual([400, true]);
    expect((await usePasskey(here, device)).status).toBe(400);
  });
});

describe('A challenge', () => {
  test('is stored only after its signature was accepted', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const rows = async () => (await itemsOf(here.environment, ({ pk }) => String(pk).startsWith('USED#'))).length;
    const before = await rows();
    for (let count = 0; count < 5; count += 1) await usePasskey(here, device, { isVerified: false });
    expect(await rows()).toBe(before);
    await usePasskey(here, device);
    expect(await rows()).toBe(before + 1);
  });
});
