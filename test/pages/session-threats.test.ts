import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { createSecret } from '#shared/access/token.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { listPasskeys, removePasskey } from '#shared/sign-in/passkeys.ts';
import { endSessions, listSessions } from '#shared/sign-in/sessions.ts';
import { attack } from '#test/harness/attacks.ts';
import { authenticator } from '#test/harness/authenticator.ts';
import { cases, sampled } from '#test/harness/cases.ts';
import { addPasskey, optionsFor, signedInWithPasskey } from '#test/harness/passkey.ts';
import { member } from '#test/harness/people.ts';
import { clock, logLines, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { cookieOf, type Shown, secretOf, signedIn, signIn, type Visitor, visitor } from '#test/harness/visitor.ts';
import { pages } from './page-world.ts';

async function stage() {
  const here = await service();
  const account = await member(here, 'admin');
  const link = async () => (await createSignInLink(here.services, { actor: OPERATOR, email: account.email })).secret;
  const email = `${crypto.randomUUID()}@example.com`;
  const invitation = async () =>
    (await inviteMember(here.services, { ...here, actor: OPERATOR, email, role: 'member' })).secret;
  return { ...here, account, link, invitation };
}

const NAME = '__Host-rundown-session';
const locationOf = ({ headers }: Shown) => headers.get('location');
const isSignedIn = async (one: Visitor) => (await one.get('/account')).status === 200;

interface Way {
  /** The session cookie that the attacker knows. */
  readonly planted: string;
  readonly answer: Shown;
}

const unknownCookie = () => `${NAME}=${createSecret('rdn_ses')}`;

/** Each way to get a new session secret, used in a browser whose session cookie an attacker knows. */
const WAYS: Readonly<Record<string, (here: Awaited<ReturnType<typeof stage>>) => Promise<Way>>> = {
  'a link': async (here) => {
    const planted = unknownCookie();
    return { planted, answer: await visitor(here.origin, planted).post('/sign-in/link', { code: await here.link() }) };
  },
  'an invitation': async (here) => {
    const planted = unknownCookie();
    const fields = { code: await here.invitation(), name: 'Kim' };
    return { planted, answer: await visitor(here.origin, planted).post('/invitations', fields) };
  },
  'a passkey': async (here) => {
    const { device } = await signedInWithPasskey(here, here.account);
    // The attacker planted the cookie of their own live session.
    const attacker = await signedIn(here, 'member');
    const credential = device.get(await optionsFor(attacker, '/sign-in/passkey/options'));
    return { planted: attacker.cookie, answer: await attacker.post('/sign-in/passkey', { credential }) };
  },
  'a confirmation': async (here) => {
    const { person, device } = await signedInWithPasskey(here, here.account);
    const credential = device.get(await optionsFor(person, '/sign-in/confirm/options'));
    return { planted: person.cookie, answer: await person.post('/sign-in/confirm', { credential }) };
  },
  'a new passkey': async (here) => {
    const person = await signIn(here, here.account);
    const device = authenticator(here.origin, here.account.accountId);
    return { planted: person.cookie, answer: await addPasskey(person, device) };
  },
};

describe('A session cookie that an attacker knows', () => {
  test.each(Object.entries(WAYS))(
    'gives no access after the victim signs in or renews the session with %s',
    async (_, way) => {
      const here = await stage();
      const { planted, answer } = await way(here);
      const issued = cookieOf(answer);
      expect(issued).toMatch(/^__Host-rundown-session=rdn_ses_/);
      expect(issued).not.toBe(planted);
      attack('sessions');
      expect(await isSignedIn(visitor(here.origin, planted))).toBe(false);
      expect(await isSignedIn(visitor(here.origin, issued))).toBe(true);
    },
  );
});

describe('The table', () => {
  test('stores no secret of a live session, sign-in link or invitation in plain text', async () => {
    const here = await stage();
    const people = await Promise.all(Array.from({ length: 3 }, () => signedIn(here, 'member')));
    const { person } = await signedInWithPasskey(here, here.account);
    const sessionSecrets = [...people, person].map(secretOf);
    const secrets = [...sessionSecrets, await here.link(), await here.invitation()];
    expect(secrets.every((secret) => secret.startsWith('rdn_'))).toBe(true);
    const table = JSON.stringify(await itemsOf(here.environment, () => true));
    expect(secrets.filter((secret) => table.includes(secret.slice(8)))).toEqual([]);
  });
});

describe('A browser without a live session', () => {
  test('A browser is redirected to the sign-in page from every page that requires a sign-in if its session cookie is missing or unknown, or if its session or account no longer exists', async () => {
    const here = await stage();
    const live = () => signIn(here, here.account);
    const ended = await live();
    await ended.post('/sign-out');
    const renewed = await live();
    await renewed.post('/sign-in/link', { code: await here.link() });
    const idle = await live();
    clock.advance(SIGN_IN_LIMITS.idleMilliseconds + 1);
    const old = await live();
    clock.advance(SIGN_IN_LIMITS.sessionMilliseconds + 1);
    const goneAccount = await member(here, 'member');
    const gone = await signIn(here, goneAccount);
    await here.services.table.writeMany([remove(accounts, goneAccount)]);
    // Polls of the page of a run check only once every ten minutes whether the account still exists.
    clock.advance(SIGN_IN_LIMITS.lastSeenMilliseconds);
    const unknown = visitor(here.origin, unknownCookie());
    const stale = [visitor(here.origin), unknown, ended, renewed, idle, old, gone];
    const guarded = pages.filter(({ needs }) => needs !== 'public' && needs !== 'visitor');
    // `npm test` tries two or three of the seven browsers on each page, and all seven on any three consecutive pages.
    for (const [row, { path }] of guarded.entries()) {
      const address = path.replaceAll(/[{}+]/g, '');
      const answers = await Promise.all(sampled(stale, 3, row).map((one) => one.get(address)));
      attack('sessions', answers.length);
      const seen = new Set(answers.map((answer) => `${answer.status} ${locationOf(answer)}`));
      expect(seen, path).toEqual(new Set([`303 /sign-in?return_to=${encodeURIComponent(address)}`]));
    }
  });
});

describe('Signing out everywhere', () => {
  test('ends all sessions of the account, but no session of another account', async () => {
    const here = await stage();
    const own = [];
    for (let count = 0; count < 20; count += 1) own.push(await signIn(here, here.account));
    const other = await signedIn(here, 'member');
    const answer = await own[0]?.post('/account/sign-out-everywhere');
    expect(answer && [answer.status, locationOf(answer)]).toEqual([303, '/sign-in']);
    expect(answer?.headers.get('clear-site-data')).toBe('"cache", "storage"');
    const alive = await Promise.all(own.map(isSignedIn));
    expect(alive.filter(Boolean)).toHaveLength(0);
    expect(await isSignedIn(other)).toBe(true);
  });

  test('Signing out everywhere also ends a session that adds a passkey at the same time', async () => {
    const here = await stage();
    for (let round = 0; round < cases(5, 3); round += 1) {
      const thief = await signIn(here, here.account);
      const owner = await signIn(here, here.account);
      const device = authenticator(here.origin, here.account.accountId);
      const [added] = await Promise.all([addPasskey(thief, device), owner.post('/account/sign-out-everywhere')]);
      expect(await isSignedIn(visitor(here.origin, cookieOf(added)))).toBe(false);
      expect(await listSessions(here.services, here.account)).toEqual([]);
    }
  });
});

test('The removal of a passkey is refused if the session has ended, and nothing is written', async () => {
  const here = await stage();
  await signedInWithPasskey(here, here.account);
  const [[session], [passkey]] = await Promise.all([
    listSessions(here.services, here.account),
    listPasskeys(here.services, here.account),
  ]);
  if (!session || !passkey) throw new Error('The account has no session with a passkey');
  await endSessions(here.services, makePerson(here.account), () => true);
  const table = here.services.table.metered();
  const actor = { kind: 'person', accountId: here.account.accountId } as const;
  const removed = removePasskey({ ...here.services, table }, { actor, session, passkeyId: passkey.passkeyId });
  await expect(removed).rejects.toThrow('This session has ended. Reload the page and sign in again');
  expect(table.meter.writeUnits).toBe(0);
  expect(await listPasskeys(here.services, here.account)).toHaveLength(1);
});

describe('A refused sign-in', () => {
  test('takes the same number of round trips to the table for a known and an unknown passkey', async () => {
    const here = await stage();
    const { device } = await signedInWithPasskey(here, here.account);
    const stranger = visitor(here.origin);
    const costOf = async (credentialId: string) => {
      const options = await optionsFor(stranger, '/sign-in/passkey/options');
      const before = logLines.length;
      await stranger.post('/sign-in/passkey', { credential: device.get(options, { credentialId, isVerified: false }) });
      const line = logLines.slice(before).find((one) => one.includes('submitPasskey')) ?? '';
      return /trips: \d+|"trips":\d+/.exec(line)?.[0];
    };
    const known = await costOf(device.credentialId);
    expect(known).toBeDefined();
    expect(await costOf('A'.repeat(43))).toBe(known);
  });
});
