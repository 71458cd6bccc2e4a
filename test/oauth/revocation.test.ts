/**
 * §5.3 After a grant has ended, its tokens cannot be refreshed, and a changed role takes effect at the next request.
 */
import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { cases } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { login, refresh, type Tokens, tokensIn } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';

issueOwnTokens();

const SCOPES = ['results:read', 'offline_access'];

async function stage() {
  const here = await service();
  const account = await member(here, 'member');
  return { ...here, account, visitor: await signIn(here, account) };
}

type Stage = Awaited<ReturnType<typeof stage>>;

const hashesOf = (html: string): string[] =>
  [...html.matchAll(/name="grant" value="(\w+)"/g)].map(([, hash = '']) => hash);

/** Refreshes until the first refusal, and reports when each successful refresh began. */
async function renewUntilRefused(here: Stage, { refreshToken }: Tokens, done: (began: number) => void): Promise<void> {
  let current = refreshToken;
  for (;;) {
    const began = performance.now();
    const answer = await refresh(here, current);
    if (answer.status !== 200) return;
    done(began);
    current = tokensIn(here, answer).refreshToken;
  }
}

const FAMILIES = 3;

describe('an application that a person disconnected', () => {
  test('No token renewal that begins after the application was disconnected succeeds, even if renewals are in progress', async () => {
    const here = await stage();
    const families: Tokens[] = [];
    while (families.length < FAMILIES) families.push(await login(here, { account: here.account, scopes: SCOPES }));
    const hashes = hashesOf((await here.visitor.get('/account')).html);
    expect(hashes).toHaveLength(FAMILIES);
    const began: number[] = [];
    const enough = Promise.withResolvers<void>();
    const renewing = families.map((tokens) =>
      renewUntilRefused(here, tokens, (at) => {
        began.push(at);
        if (began.length >= cases(1000, 15)) enough.resolve();
      }),
    );
    await enough.promise;
    await Promise.all(hashes.map((grant) => here.visitor.post('/account/end-application', { grant })));
    const ended = performance.now();
    await Promise.all(renewing);
    expect(began.filter((at) => at > ended)).toEqual([]);
    expect(began.length).toBeGreaterThanOrEqual(cases(1000, 15));
  });

  test('An access token works for at most an hour after its application was disconnected', async () => {
    const here = await stage();
    const { api } = await login(here, { account: here.account, scopes: SCOPES });
    const [grant = ''] = hashesOf((await here.visitor.get('/account')).html);
    await here.visitor.post('/account/end-application', { grant });
    expect((await api.get(`/runs/unknown`)).status).toBe(404);
    clock.advance(65 * 60 * 1000);
    expect((await api.get(`/runs/unknown`)).status).toBe(401);
  });

  test('Signing out everywhere with "Also disconnect all applications" prevents all further token renewals by 3 applications', async () => {
    const here = await stage();
    const families: Tokens[] = [];
    while (families.length < FAMILIES) families.push(await login(here, { account: here.account, scopes: SCOPES }));
    await here.visitor.post('/account/sign-out-everywhere', { applications: 'end' });
    const answers = await Promise.all(families.map(({ refreshToken }) => refresh(here, refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual(families.map(() => 400));
  });
});

const membershipOf = ({ organizationId, account }: Stage) => ({
  organizationId,
  accountId: account.accountId,
  actor: OPERATOR,
});

/**
 * Ways to end the membership. A process that is interrupted after its first write leaves the rows of the grant behind.
 */
const ENDINGS: Readonly<Record<string, (here: Stage, services: Stage['services']) => Promise<unknown>>> = {
  removal: (here, services) => removeMember(services, membershipOf(here)),
  leaving: ({ organizationId, account }, services) =>
    leaveOrganization(services, { organizationId, actor: makePerson(account) }),
  deprovisioning: (here, services) => deprovisionMember(services, membershipOf(here)),
  deactivation: ({ organizationId }, services) => deactivateOrganization(services, { organizationId, actor: OPERATOR }),
};

describe.each(Object.entries(ENDINGS))('the end of a membership by %s', (_, end) => {
  test('The end of a membership immediately invalidates refresh tokens and access tokens', async () => {
    const here = await stage();
    const { api, refreshToken } = await login(here, { account: here.account, scopes: SCOPES });
    expect((await api.get('/runs/unknown')).status).toBe(404);
    await end(here, here.services);
    expect((await refresh(here, refreshToken)).status).toBe(400);
    expect((await api.get('/runs/unknown')).status).toBe(401);
  });

  test('If the end of a membership is interrupted after its first write, no grant of the person stays usable, even if the person rejoins', async () => {
    const here = await stage();
    const { refreshToken } = await login(here, { account: here.account, scopes: SCOPES });
    const other = await login(here, { account: here.account, scopes: SCOPES });
    await end(here, dyingAfter(here.services, 1)).catch(() => {});
    expect((await refresh(here, refreshToken)).status).toBe(400);
    await addMember(here.services, { ...membershipOf(here), role: 'admin' }).catch(() => {});
    expect((await refresh(here, other.refreshToken)).status).toBe(400);
  });
});

test('a demotion takes effect at the next request, and at the next token renewal', async () => {
  const here = await stage();
  const { services } = here;
  const scopes = ['results:read', 'runs:write', 'offline_access'];
  const { api, refreshToken } = await login(here, { account: here.account, scopes });
  expect((await api.put('/runs/unknown/cancel', {})).status).toBe(404);
  await changeRole(services, { ...membershipOf(here), role: 'guest' });
  expect(await api.put('/runs/unknown/cancel', {})).toMatchObject({ status: 403, body: { code: 'insufficient_role' } });
  const renewed = tokensIn(here, await refresh(here, refreshToken));
  expect(await renewed.api.put('/runs/unknown/cancel', {})).toMatchObject({ status: 403 });
  expect((await renewed.api.get('/runs/unknown')).status).toBe(404);
});
