import { describe, expect, test } from 'vitest';
import { createAccount } from '#shared/organizations/create-account.ts';
import { browser, left, shown } from '#test/harness/browser.ts';
import { authorizationUrl, issuerOrigin, proof, toConsent, toMembers } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

const scopes = ['results:read', 'runs:write'];

async function opened() {
  const stage = await service();
  const { challenge } = proof();
  return { stage, by: browser(issuerOrigin()), challenge, url: authorizationUrl(scopes, challenge) };
}

type Stage = Awaited<ReturnType<typeof service>>;

describe('§5.3 The page that selects a member', () => {
  test('shows the members of the chosen organization only', async () => {
    const { stage, by, url } = await opened();
    const [admin, guest] = [await member(stage, 'admin'), await member(stage, 'guest')];
    const foreigner = await member({ ...stage, ...(await stage.tenant()) }, 'admin');
    const page = await toMembers(by, stage, url);
    expect(page.text).toContain(`Admin ${admin.email}`);
    expect(page.text).toContain(`Guest ${guest.email}`);
    expect(page.text).not.toContain(foreigner.email);
  });

  test('gives advice for an organization without members', async () => {
    const { stage, by, url } = await opened();
    await stage.tenant();
    const page = await toMembers(by, stage, url);
    expect(page.text).toContain(`npm run admin -- members add --organization ${stage.organizationId}`);
  });

  test.each([
    [
      'a member of another organization',
      async (stage: Stage) => member({ ...stage, ...(await stage.tenant()) }, 'admin'),
    ],
    [
      'an account of no organization',
      (stage: Stage) => createAccount(stage.services, { email: `${crypto.randomUUID()}@x.io`, name: 'Bo' }),
    ],
    ['nobody', async () => ({ accountId: 'nobody' })],
  ])('refuses %s', async (_, somebody) => {
    const { stage, by, url } = await opened();
    await member(stage, 'admin');
    const page = await toMembers(by, stage, url);
    const { accountId } = await somebody(stage);
    const refused = shown(await by.forge(page, { organization: stage.organizationId, account: accountId }));
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('That is no member') });
    expect(refused.text).toContain('choose one of the members');
    expect(shown(await by.open(page.url)).text).toContain('Who are you?');
  });

  test.each<Record<string, string>>([{}, { organization: '', account: '' }, { account: 'x'.repeat(100_000) }])(
    'refuses incomplete and oversized forms',
    async (fields) => {
      const { stage, by, url } = await opened();
      const page = await toMembers(by, stage, url);
      expect(shown(await by.forge(page, fields)).status).toBe(400);
    },
  );

  test('appears for every request of the same browser', async () => {
    const { stage, by, url, challenge } = await opened();
    const [first, second] = [await member(stage, 'admin'), await member(stage, 'guest')];
    left(await by.submit(await toConsent(by, stage, { account: first, scopes }, challenge), 'Allow'));
    expect((await toMembers(by, stage, url)).text).toContain('Who are you?');
    const consent = await toConsent(by, stage, { account: second, scopes }, challenge);
    expect(consent.text).toContain(second.email);
    expect(left(await by.submit(consent, 'Allow')).searchParams.has('code')).toBe(true);
  });
});
