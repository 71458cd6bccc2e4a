/**
 * §5 One sign-in at the provider of a company: the way there and back. Nothing is stored on the way there, so strangers
 * cause no writes. The browser keeps one secret in a cookie, from which everything follows that the answer must match.
 */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { refuse } from '#shared/engine/errors.ts';
import { readCredential } from '#shared/model/credential.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type CompanyProvider, hashIdentity } from '#shared/model/sign-in/company-provider.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import type { Network } from '#shared/sending/exchange.ts';
import type { Services } from '#shared/services.ts';
import {
  type ChallengeUse,
  createChallenge,
  isChallengeUsed,
  makeChallengeCheck,
  readChallengeKind,
} from '#shared/sign-in/challenges.ts';
import type { Claims } from './claims.ts';
import { companySignInFailed, flowLost, noCompanySignIn } from './errors.ts';
import { COMPANY_LIMITS } from './limits.ts';
import { buildProviderUrl, deriveSecrets, openProvider, readClaims } from './openid.ts';
import { readProvider } from './provider-settings.ts';

export type FlowServices = Services & Network & { readonly secrets: Pick<Secrets, 'get'> };

/** Why the person goes to the provider. */
export type FlowPurpose =
  | { readonly kind: 'signIn' }
  /** To prove who they are in a session that the provider started. */
  | { readonly kind: 'confirm'; readonly session: Session }
  /** To connect an account of their own with their identity at the provider. */
  | { readonly kind: 'link'; readonly session: Session };

const toUse = (organizationId: string, purpose: FlowPurpose): ChallengeUse => {
  switch (purpose.kind) {
    case 'signIn':
      return { kind: 'companySignIn', organizationId };
    case 'confirm':
      return { kind: 'companyConfirm', organizationId, accountId: purpose.session.accountId };
    case 'link':
      return { kind: 'companyLink', organizationId, accountId: purpose.session.accountId };
  }
};

/** The purpose for which a browser keeps a challenge. */
export function findChallengeKind(challenge: string): FlowPurpose['kind'] | undefined {
  switch (readChallengeKind(challenge)) {
    case 'companySignIn':
      return 'signIn';
    case 'companyConfirm':
      return 'confirm';
    case 'companyLink':
      return 'link';
    default:
      return undefined;
  }
}

/** What a stranger may know about the provider of an organization. `undefined` if there is none. */
export async function readPublicProvider(
  services: Pick<Services, 'table'>,
  organizationId: string,
): Promise<{ readonly name: string; readonly host: string } | undefined> {
  const provider = await findActiveProvider(services, organizationId);
  return provider && { name: provider.name, host: new URL(provider.issuer).host };
}

const provesIdentity = ({ kind }: FlowPurpose): boolean => kind === 'confirm';

export const formatCallbackPath = (organizationId: string): string =>
  `/sign-in/company/${encodeURIComponent(organizationId)}/callback`;

interface FlowPlace {
  readonly organizationId: string;
  readonly purpose: FlowPurpose;
}

/** Returns the address of the provider, and the challenge that the browser keeps in a cookie. */
export async function startFlow(
  services: FlowServices,
  { organizationId, purpose }: FlowPlace,
): Promise<{ readonly location: string; readonly challenge: string }> {
  const provider = await readActiveProvider(services, organizationId);
  const configuration = await openProvider(provider, services);
  const challenge = await createChallenge(services, toUse(organizationId, purpose));
  const redirectUri = services.origin + formatCallbackPath(organizationId);
  const proves = provesIdentity(purpose);
  return {
    location: await buildProviderUrl(configuration, deriveSecrets(challenge), { redirectUri, proves }),
    challenge,
  };
}

/** What the provider says about a person. */
export interface ProvenIdentity {
  readonly provider: CompanyProvider;
  /** See `CompanyIdentity`. */
  readonly identity: string;
  readonly claims: Claims;
  /** For `markChallengeUsed`: of the requests that bring the same answer, only one may succeed. */
  readonly challenge: string;
}

/** `query`: what the provider added to the callback. Throws 400 for everything that does not belong together. */
export async function finishFlow(
  services: FlowServices,
  { organizationId, purpose, challenge, query }: FlowPlace & { readonly challenge: string; readonly query: string },
): Promise<ProvenIdentity> {
  const isOurs = await makeChallengeCheck(services, toUse(organizationId, purpose));
  if (!isOurs(challenge) || (await isChallengeUsed(services, challenge))) throw flowLost();
  const provider = await readActiveProvider(services, organizationId);
  const configuration = await openProvider(provider, services);
  const url = new URL(`${services.origin}${formatCallbackPath(organizationId)}?${query}`);
  const claims = await readClaims(configuration, deriveSecrets(challenge), { url, proves: provesIdentity(purpose) });
  if (claims.sub.length > COMPANY_LIMITS.subjectCharacters)
    throw companySignInFailed('The provider stated a subject that is longer than 255 characters');
  const identity = hashIdentity({ issuer: provider.issuer, subject: claims.sub });
  return { provider, identity, claims, challenge };
}

async function findActiveProvider(
  services: Pick<Services, 'table'>,
  organizationId: string,
): Promise<CompanyProvider | undefined> {
  const [provider, organization] = await Promise.all([
    readProvider(services, { organizationId }),
    services.table.get(organizations, { organizationId }, { consistent: true }),
  ]);
  const isActive = organization !== undefined && organization.deactivatedAt === undefined;
  return isActive && provider?.providerId === organization.companySignIn?.providerId ? provider : undefined;
}

async function readActiveProvider(
  services: FlowServices,
  organizationId: string,
): Promise<CompanyProvider & { readonly clientSecret: string }> {
  const provider = (await findActiveProvider(services, organizationId)) ?? refuse(noCompanySignIn());
  const clientSecret = (await readCredential(services.secrets, provider)) ?? refuse(noCompanySignIn());
  return { ...provider, clientSecret };
}
