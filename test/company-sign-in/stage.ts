/** An organization with company sign-in, and browsers that go through it. */

import { expect } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { saveProvider } from '#shared/company-sign-in/save-provider.ts';
import { connectProviders } from '#shared/platform/connect.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type CompanyProviderStandIn,
  companyProvider,
} from '#test/harness/company-provider.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { type Shown, type Visitor, visitor } from '#test/harness/visitor.ts';

/** A new organization, or an existing one, with a provider of its own. */
export async function company(at?: TestService & Tenant, settings: { readonly groupsClaim?: string } = {}) {
  const here = at ?? (await service());
  const { organizationId, origin } = here;
  const provider = await companyProvider();
  const services = {
    ...here.services,
    secrets: connectProviders(here.environment)(),
    privateReceivers: 'machine' as const,
  };
  const by = { organizationId, actor: OPERATOR };
  const save = (more: object = {}) =>
    saveProvider(services, {
      ...by,
      settings: {
        name: 'Acme Okta',
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        admitsNew: true,
        ...settings,
        ...more,
      },
    });
  await save();
  return {
    ...here,
    services,
    provider,
    by,
    save,
    /** Signs in as the person at the provider. Returns the answer to the callback. */
    comeBack: (from?: Visitor, change?: (back: URL) => void) =>
      goThrough({ origin, organizationId, provider }, from, change),
    /** Signs in, and expects that it works. */
    signIn: async (from?: Visitor): Promise<Visitor> => {
      const answer = await goThrough({ origin, organizationId, provider }, from);
      expect([answer.status, answer.text]).toEqual([303, '']);
      return visitor(origin, sessionOf(answer));
    },
  };
}

const FROM_HERE = { 'sec-fetch-site': 'same-origin' };

interface Way {
  readonly origin: string;
  readonly organizationId: string;
  readonly provider: Pick<CompanyProviderStandIn, 'authorize'>;
}

/** Presses the button, signs in at the provider, and follows its redirect. */
export async function goThrough(
  { origin, organizationId, provider }: Way,
  from: Visitor = visitor(origin),
  change: (back: URL) => void = () => {},
  step: 'start' | 'connect' | 'start?confirm=true' = 'start',
): Promise<Shown> {
  const start = await from.get(`/sign-in/company/${organizationId}/${step}`, FROM_HERE);
  if (start.status !== 303) return start;
  const back = provider.authorize(start.headers.get('location') ?? '');
  change(back);
  const cookies = [from.cookie, flowOf(start)].filter(Boolean).join('; ');
  return visitor(origin, cookies).get(`${back.pathname}${back.search}`, { 'sec-fetch-site': 'cross-site' });
}

const cookieNamed = ({ headers }: Shown, name: string): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .find((cookie) => cookie.startsWith(`${name}=`)) ?? '';

const flowOf = (answer: Shown): string => cookieNamed(answer, '__Host-rundown-company');
export const sessionOf = (answer: Shown): string => cookieNamed(answer, '__Host-rundown-session');
