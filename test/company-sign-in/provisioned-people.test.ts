/** People whom the directory has added before they sign in. */

import { describe, expect, test } from 'vitest';
import { isAddressVerified } from '#shared/company-sign-in/claims.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { attack } from '#test/harness/attacks.ts';
import { directory } from '#test/harness/directory.ts';
import { company, sessionOf } from './stage.ts';

const EMAIL = 'lee@acme.example';

async function stage(externalId?: string) {
  const here = await company();
  const { scim } = await directory(here);
  const user = { userName: EMAIL, displayName: 'Lee Moss', active: true, ...(externalId ? { externalId } : {}) };
  expect((await scim('POST', '/Users', user)).status).toBe(201);
  return { ...here, scim };
}

type Stage = Awaited<ReturnType<typeof stage>>;
const outcome = async ({ comeBack }: Stage) => {
  const answer = await comeBack();
  return { status: answer.status, session: sessionOf(answer), text: answer.text };
};
const NOT_VERIFIED = {
  status: 403,
  session: '',
  text: expect.stringContaining('does not state that the address is verified'),
};

describe('Provisioned people', () => {
  test('sign in if the provider states that they own the address, and later whatever it states', async () => {
    const here = await stage();
    here.provider.person = { sub: 'lee', email: EMAIL.toUpperCase(), email_verified: true, name: 'Another' };
    expect((await (await here.signIn()).get('/account')).text).toContain('Lee Moss');
    here.provider.person = { sub: 'lee', email: 'other@acme.example' };
    expect((await (await here.signIn()).get('/account')).text).toContain('Lee Moss');
    expect(await listMembers(here.services, here.by)).toHaveLength(1);
    here.provider.person = { sub: 'other', email: EMAIL, email_verified: true };
    expect((await outcome(here)).text).toContain('An Admin can end that identity');
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['no email_verified', { email_verified: undefined }],
    ['false', { email_verified: false }],
    ['the text "true"', { email_verified: 'true' }],
    ['the number 1', { email_verified: 1 }],
    ['xms_edov, which counts only for Microsoft', { email_verified: undefined, xms_edov: true }],
    ['the address as user name, beside no verified address', { email: undefined, preferred_username: EMAIL }],
    ['the address as user name, beside something else', { email: 'lee', preferred_username: EMAIL }],
    ['an empty id', { email_verified: false, oid: '' }],
  ])('do not sign in with %s', async (_, statement) => {
    const here = await stage();
    here.provider.person = { sub: 'mallory', email: EMAIL, email_verified: true, ...statement };
    attack('company sign-in');
    expect(await outcome(here)).toMatchObject(NOT_VERIFIED);
  });

  test('sign in if the directory has named them by their id at the provider', async () => {
    for (const claims of [{ sub: '00ulee' }, { sub: 'pairwise', oid: '00ulee' }]) {
      const here = await stage('00ulee');
      here.provider.person = { sub: '00umallory', oid: '00umallory', email: EMAIL };
      attack('company sign-in');
      expect(await outcome(here)).toMatchObject(NOT_VERIFIED);
      here.provider.person = { ...claims, email: EMAIL };
      expect((await (await here.signIn()).get('/account')).text).toContain('Lee Moss');
    }
  });

  test('do not sign in after the directory has deactivated them', async () => {
    const here = await stage('lee');
    const [user] = (await here.scim('GET', '/Users')).body.Resources;
    await here.scim('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'replace', value: { active: false } }] });
    here.provider.person = { sub: 'lee', email: EMAIL, email_verified: true };
    attack('company sign-in');
    expect(await outcome(here)).toMatchObject({ status: 403, session: '' });
  });
});

test('Of Microsoft, only a tenant that checks the owners of domains vouches for addresses', () => {
  const entra = 'https://login.microsoftonline.com/8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159/v2.0';
  expect(isAddressVerified(entra, { sub: 'a', email_verified: true })).toBe(false);
  expect(isAddressVerified(entra, { sub: 'a', xms_edov: 'true' })).toBe(false);
  expect(isAddressVerified(entra, { sub: 'a', xms_edov: true })).toBe(true);
});
