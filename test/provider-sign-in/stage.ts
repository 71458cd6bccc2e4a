/** Two providers of the deployment, which run for all tests of a file, and people who sign in at them. */
import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, expect } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { DeploymentProviderId } from '#shared/model/sign-in/deployment-provider.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { addMember } from '#shared/organizations/members.ts';
import { connectSignInSecrets } from '#shared/platform/connect.ts';
import { listProviderIdentities } from '#shared/sign-in/provider-identities.ts';
import { CLIENT_ID, CLIENT_SECRET, companyProvider } from '#test/harness/company-provider.ts';
import { githubSignIn, primary } from '#test/harness/github-sign-in.ts';
import { service, signInAt } from '#test/harness/service.ts';
import { type Shown, type Visitor, visitor } from '#test/harness/visitor.ts';

export const openid = await companyProvider({ stays: true });
export const github = await githubSignIn({ stays: true });

/** The operator trusts the provider with this domain. */
export const TRUSTED = 'acme.example';

signInAt([
  { providerId: 'openid', name: 'Acme', issuer: openid.issuer, clientId: CLIENT_ID, trustedDomains: [TRUSTED] },
  { providerId: 'github', name: 'GitHub', issuer: github.url, clientId: CLIENT_ID, trustedDomains: [] },
]);

const FROM_HERE = { 'sec-fetch-site': 'same-origin' };

beforeEach(() => {
  Object.assign(openid, { lie: {}, configuration: {}, forges: false, userInfo: undefined, tokenError: undefined });
  github.wrong.clear();
});

type Step = 'start' | 'connect' | 'start?purpose=confirm' | 'start?purpose=join';

export async function stage() {
  const here = await service();
  const { organizationId, services, origin, environment } = here;
  // All test files share these secrets, so that no test may change or remove them.
  const secrets = connectSignInSecrets(environment)();
  for (const secretId of ['openid', 'github'])
    await secrets.put({ organizationId: 'sign-in', secretId }, CLIENT_SECRET);
  const by = { organizationId, actor: OPERATOR };
  const address = (domain = TRUSTED) => `${randomUUID()}@${domain}`;
  return {
    ...here,
    by,
    address,
    /** Tests share the two providers, so each has people of its own there. */
    subject: (name: string) => `${name} of ${organizationId}`,
    stranger: visitor(origin),
    /** Somebody with an account and a membership, whom the provider does not know yet. */
    person: async (email = address()): Promise<Account> => {
      const account = await createAccount(services, { email, name: 'Kim Roe' });
      await addMember(services, { ...by, accountId: account.accountId, role: 'member' });
      return account;
    },
    invite: async (email: string) => (await inviteMember(services, { ...by, email, role: 'member' })).secret,
    identitiesOf: (account: Pick<Account, 'accountId'>) => listProviderIdentities(services, account),
    /** Goes to the provider and comes back. Returns the answer to the callback. */
    comeBack: (providerId: DeploymentProviderId, from?: Visitor, step?: Step, change?: (back: URL) => void) =>
      goThrough(origin, providerId, from, step, change),
    signIn: async (providerId: DeploymentProviderId, from?: Visitor, step?: Step): Promise<Visitor> => {
      const answer = await goThrough(origin, providerId, from, step);
      expect([answer.status, answer.text]).toEqual([303, '']);
      return visitor(origin, sessionOf(answer));
    },
  };
}

async function goThrough(
  origin: string,
  providerId: DeploymentProviderId,
  from: Visitor = visitor(origin),
  step: Step = 'start',
  change: (back: URL) => void = () => {},
): Promise<Shown> {
  const start = await from.get(`/sign-in/with/${providerId}/${step}`, FROM_HERE);
  const location = start.headers.get('location') ?? '';
  if (!location.startsWith('http:')) return start;
  const back = (providerId === 'github' ? github : openid).authorize(location);
  change(back);
  const cookies = [from.cookie, cookieNamed(start, '__Host-rundown-company')].filter(Boolean).join('; ');
  return visitor(origin, cookies).get(`${back.pathname}${back.search}`, { 'sec-fetch-site': 'cross-site' });
}

export const cookieNamed = ({ headers }: Shown, name: string): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .find((cookie) => cookie.startsWith(`${name}=`)) ?? '';

/** For functions of the product that start a session. */
export const BROWSER = { browser: '', earlier: undefined };

export const sessionOf = (answer: Shown): string => cookieNamed(answer, '__Host-rundown-session');

/** Somebody at each of the two providers. */
export function stateAddress(
  email: string,
  { subject = randomUUID() as string, verified = true as unknown } = {},
): void {
  openid.person = { sub: subject, email, email_verified: verified, name: 'Kim Roe' };
  const id = createHash('sha256').update(subject).digest().readUInt32BE();
  github.user = { login: 'kim', id, name: 'Kim Roe' };
  github.emails = [{ ...primary(`other-${email}`), primary: false }, primary(email, verified === true)];
}
