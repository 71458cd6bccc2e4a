import { beforeEach, describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { findCompanyByAddress, listDomains, proveDomain } from '#shared/company-sign-in/domains.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { addMember } from '#shared/organizations/members.ts';
import { dnsServer } from '#test/harness/dns.ts';
import { askDns } from '#test/harness/service.ts';
import { signedIn, type Visitor, visitor } from '#test/harness/visitor.ts';
import { company, sessionOf } from './stage.ts';

const dns = await dnsServer();
askDns(dns.server);

beforeEach(() => {
  dns.records.clear();
  dns.isSilent = false;
});

const newDomain = () => `${crypto.randomUUID()}.example`;

async function stage(at?: Parameters<typeof company>[0]) {
  const here = await company(at);
  const { organizationId, origin } = here;
  const admin = await signedIn(here, 'admin');
  const settings = `/${organizationId}/settings/company-sign-in`;
  return {
    ...here,
    admin,
    settings,
    publish: (domain: string, ...texts: string[]) =>
      dns.records.set(`_rundown.${domain}`, [...texts, `organization=${organizationId}`]),
    check: (domain: string, by: Visitor = admin) => by.post(`${settings}/domains`, { domain }),
    remove: (domain: string) => admin.post(`${settings}/domains/remove`, { domain }),
    /** What somebody with this address is answered. */
    enter: (email: string) => visitor(origin).post('/sign-in/company', { email }),
    domains: async () => (await listDomains(here.services, here.by)).map(({ domain }) => domain),
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;
const leadsTo = async ({ enter }: Stage, email: string) => (await enter(email)).headers.get('location');

describe('A domain that an organization proves by DNS', () => {
  test('leads people with an address there to its company sign-in, which starts at a button', async () => {
    const here = await stage();
    const domain = newDomain();
    const page = await here.admin.get(here.settings);
    expect(page.text).toContain(`organization=${here.organizationId}`);
    here.publish(domain, 'v=spf1 -all', 'x'.repeat(600));
    expect((await here.check(` ${domain.toUpperCase()} `)).headers.get('location')).toBe(`${here.settings}#domains`);
    expect((await here.admin.get(here.settings)).text).toContain(domain);
    const way = `/sign-in/company/${here.organizationId}`;
    expect(await leadsTo(here, `Kim@${domain}`)).toBe(way);
    expect(await leadsTo(here, ` kim@${domain.toUpperCase()} `)).toBe(way);
    expect((await visitor(here.origin).get(way)).text).toContain('Continue with Acme Okta');
    expect((await here.remove(domain)).status).toBe(303);
    expect((await here.enter(`kim@${domain}`)).status).toBe(400);
  });

  test('gets the same answer as an unknown one, unless somebody can sign in there', async () => {
    const here = await stage();
    const other = await stage(here);
    const domains = [newDomain(), newDomain(), newDomain()] as const;
    const [noProvider, deactivated, unproven] = domains;
    const without = await here.tenant('Without');
    await proveDomain(here.services, { ...without, actor: OPERATOR, domain: noProvider }, 'by the operator');
    const another = await stage({ ...here, ...(await here.tenant('Deactivated')) });
    await proveDomain(here.services, { ...another.by, domain: deactivated }, 'by the operator');
    await deactivateOrganization(here.services, another.by);
    other.publish(unproven);
    const unknown = await here.enter(`kim@${newDomain()}`);
    expect(unknown.status).toBe(400);
    const alike = [...domains, `mail.${noProvider}`].map((domain) => `kim@${domain}`);
    for (const email of [...alike, 'kim', '', `kim@${noProvider}@x.example`]) {
      const { status, text } = await here.enter(email);
      expect([email, status, text]).toEqual([email, 400, unknown.text]);
    }
  });

  test('is not proven without the record of this organization', async () => {
    const here = await stage();
    const domain = newDomain();
    const refusals: (readonly string[] | undefined)[] = [
      undefined,
      [],
      [`organization=${'f'.repeat(16)}`],
      [`organization=${here.organizationId}x`, ` organization=${here.organizationId}`],
      ['organization=', here.organizationId],
    ];
    for (const texts of refusals) {
      if (texts) dns.records.set(`_rundown.${domain}`, texts);
      const refusal = await here.check(domain);
      expect([refusal.status, texts]).toEqual([409, texts]);
      expect(refusal.text).toContain(`_rundown.${domain}`);
    }
    dns.records.set(domain, [`organization=${here.organizationId}`]);
    expect((await here.check(domain)).status).toBe(409);
    expect(await here.domains()).toEqual([]);
  });

  test('is lost when the record is gone at the next check, but not when DNS does not answer', async () => {
    const here = await stage();
    const domain = newDomain();
    here.publish(domain);
    await here.check(domain);
    dns.isSilent = true;
    const silent = await here.check(domain);
    expect([silent.status, await here.domains()]).toEqual([409, [domain]]);
    expect(silent.text).toContain('DNS did not answer');
    dns.isSilent = false;
    dns.records.clear();
    expect((await here.check(domain)).status).toBe(409);
    expect(await here.domains()).toEqual([]);
    expect((await here.enter(`kim@${domain}`)).status).toBe(400);
  });

  test('belongs to one organization, also when two prove it at the same moment', async () => {
    const here = await stage();
    const other = await stage({ ...here, ...(await here.tenant('Other')) });
    const domain = newDomain();
    here.publish(domain, `organization=${other.organizationId}`);
    const answers = await Promise.all([here.check(domain), other.check(domain)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    const [owner, loser] = answers[0]?.status === 303 ? [here, other] : [other, here];
    expect([await owner.domains(), await loser.domains()]).toEqual([[domain], []]);
    expect((await loser.check(domain)).text).toContain('Another organization of this service has proven this domain');
    expect((await loser.remove(domain)).status).toBe(404);
    expect(await leadsTo(here, `kim@${domain}`)).toBe(`/sign-in/company/${owner.organizationId}`);
    await owner.remove(domain);
    expect((await loser.check(domain)).status).toBe(303);
  });

  test('opens and connects no account', async () => {
    const here = await stage();
    const domain = newDomain();
    here.publish(domain);
    await here.check(domain);
    const email = `kim@${domain}`;
    const { accountId } = await createAccount(here.services, { email, name: 'Kim Roe' });
    await addMember(here.services, { ...here.by, accountId, role: 'member' });
    here.provider.person = { sub: 'kim', email, email_verified: true, name: 'Kim Roe' };
    const answer = await here.comeBack();
    expect([answer.status, sessionOf(answer)]).toEqual([403, '']);
  });

  test('can be changed by Admins only, and is one of at most 20', async () => {
    const here = await stage();
    const domain = newDomain();
    here.publish(domain);
    const member = await signedIn(here, 'member');
    expect((await here.check(domain, member)).status).toBe(403);
    for (let count = 0; count < 19; count += 1)
      await proveDomain(here.services, { ...here.by, domain: newDomain() }, 'by the operator');
    const more = [newDomain(), newDomain(), newDomain()];
    for (const one of more) here.publish(one);
    const statuses = await Promise.all(more.map(async (one) => (await here.check(one)).status));
    expect(statuses.sort()).toEqual([303, 409, 409]);
    expect(await here.domains()).toHaveLength(20);
  });

  test.each([
    '',
    'example',
    'exa mple.com',
    '@example.com',
    'kim@example.com',
    '*.example.com',
    '127.0.0.1',
    `${'a'.repeat(64)}.com`,
  ])('must be a domain: %j is refused', async (domain) => {
    const here = await stage();
    expect((await here.check(domain)).status).toBe(400);
    expect(await findCompanyByAddress(here.services, `kim@${domain}`)).toBeUndefined();
  });
});
