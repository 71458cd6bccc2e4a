/**
 * §5 One sign-in at a provider of this deployment: the way there and back. As in company sign-in, nothing is stored on
 * the way there, and the answer counts only in the browser that asked.
 */
import { hashToken } from '#shared/access/token.ts';
import { flowLost } from '#shared/company-sign-in/errors.ts';
import { COMPANY_LIMITS } from '#shared/company-sign-in/limits.ts';
import { buildProviderUrl, deriveSecrets, openProvider, readClaims } from '#shared/company-sign-in/openid.ts';
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { refuse } from '#shared/engine/errors.ts';
import { hashIdentity } from '#shared/model/sign-in/company-provider.ts';
import {
  canConfirm,
  type DeploymentProvider,
  type DeploymentProviderId,
  SIGN_IN_SECRETS,
} from '#shared/model/sign-in/deployment-provider.ts';
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
import { cannotConfirm, noSuchProvider, providerSignInFailed, secretMissing } from './errors.ts';
import { buildGithubUrl, openGithub, readGithubPerson } from './github.ts';
import { readStatedPerson, type StatedPerson } from './stated-person.ts';

export type ProviderFlowServices = Services & Network & { readonly secrets: Pick<Secrets, 'get'> };

/** Why the person goes to the provider. */
export type ProviderPurpose =
  | { readonly kind: 'signIn' }
  /** To accept the invitation with this secret. */
  | { readonly kind: 'join'; readonly invitation: string }
  /** To prove who they are in a session. */
  | { readonly kind: 'confirm'; readonly session: Session }
  /** To connect their account with their identity at the provider. */
  | { readonly kind: 'connect'; readonly session: Session };

const toUse = (providerId: DeploymentProviderId, purpose: ProviderPurpose): ChallengeUse => {
  switch (purpose.kind) {
    case 'signIn':
      return { kind: 'providerSignIn', providerId };
    case 'join':
      return { kind: 'providerJoin', providerId, invitation: hashToken(purpose.invitation) };
    case 'confirm':
      return { kind: 'providerConfirm', providerId, accountId: purpose.session.accountId };
    case 'connect':
      return { kind: 'providerConnect', providerId, accountId: purpose.session.accountId };
  }
};

/** The purpose for which a browser keeps a challenge. */
export function findProviderPurpose(challenge: string): ProviderPurpose['kind'] | undefined {
  switch (readChallengeKind(challenge)) {
    case 'providerSignIn':
      return 'signIn';
    case 'providerJoin':
      return 'join';
    case 'providerConfirm':
      return 'confirm';
    case 'providerConnect':
      return 'connect';
    default:
      return undefined;
  }
}

export const findDeploymentProvider = (
  { signInProviders }: Pick<Services, 'signInProviders'>,
  providerId: DeploymentProviderId,
): DeploymentProvider =>
  signInProviders.find((provider) => provider.providerId === providerId) ?? refuse(noSuchProvider());

const formatCallbackPath = (providerId: DeploymentProviderId): string => `/sign-in/with/${providerId}/callback`;

interface FlowPlace {
  readonly providerId: DeploymentProviderId;
  readonly purpose: ProviderPurpose;
}

/** Returns the address of the provider, and the challenge that the browser keeps in a cookie. */
export async function startProviderFlow(
  services: ProviderFlowServices,
  { providerId, purpose }: FlowPlace,
): Promise<{ readonly location: string; readonly challenge: string }> {
  const provider = await readAccess(services, providerId);
  if (purpose.kind === 'confirm' && !canConfirm(provider)) throw cannotConfirm(provider.name);
  const challenge = await createChallenge(services, toUse(providerId, purpose));
  const redirectUri = services.origin + formatCallbackPath(providerId);
  const secrets = deriveSecrets(challenge);
  if (providerId === 'github')
    return { location: await buildGithubUrl(openGithub(provider, services), secrets, redirectUri), challenge };
  const configuration = await openProvider(provider, services);
  const proves = purpose.kind === 'confirm';
  return { location: await buildProviderUrl(configuration, secrets, { redirectUri, proves }), challenge };
}

/** Somebody at a provider, and what it says about them. */
export interface ProvenPerson {
  readonly provider: DeploymentProvider;
  /** See `ProviderIdentity`. */
  readonly identity: string;
  readonly person: StatedPerson;
  /** For `markChallengeUsed`: of the requests that bring the same answer, only one may succeed. */
  readonly challenge: string;
}

/** `query`: what the provider added to the callback. Throws 403 for everything that does not belong together. */
export async function finishProviderFlow(
  services: ProviderFlowServices,
  { providerId, purpose, challenge, query }: FlowPlace & { readonly challenge: string; readonly query: string },
): Promise<ProvenPerson> {
  const isOurs = await makeChallengeCheck(services, toUse(providerId, purpose));
  if (!isOurs(challenge) || (await isChallengeUsed(services, challenge))) throw flowLost();
  const provider = await readAccess(services, providerId);
  const url = new URL(`${services.origin}${formatCallbackPath(providerId)}?${query}`);
  const person = await readPerson(services, provider, { url, challenge, proves: purpose.kind === 'confirm' });
  if (person.subject.length > COMPANY_LIMITS.subjectCharacters)
    throw providerSignInFailed('The provider stated a subject that is longer than 255 characters');
  return { provider, identity: hashIdentity({ ...provider, subject: person.subject }), person, challenge };
}

async function readPerson(
  services: ProviderFlowServices,
  provider: ProviderWithSecret,
  { url, challenge, proves }: { readonly url: URL; readonly challenge: string; readonly proves: boolean },
): Promise<StatedPerson> {
  const secrets = deriveSecrets(challenge);
  const { issuer } = provider;
  if (provider.providerId === 'github')
    return readGithubPerson(openGithub(provider, services), secrets, { url, issuer });
  const configuration = await openProvider(provider, services);
  return readStatedPerson(issuer, await readClaims(configuration, secrets, { url, proves }));
}

type ProviderWithSecret = DeploymentProvider & { readonly clientSecret: string };

async function readAccess(
  services: ProviderFlowServices,
  providerId: DeploymentProviderId,
): Promise<ProviderWithSecret> {
  const provider = findDeploymentProvider(services, providerId);
  const secret = { organizationId: SIGN_IN_SECRETS, secretId: providerId };
  const clientSecret = (await services.secrets.get(secret)) ?? refuse(secretMissing(provider.name));
  return { ...provider, clientSecret };
}
