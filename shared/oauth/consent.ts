/** §5.3 Consent: a person decides in which organization and with which permissions an application may act for them. */
import { may } from '#shared/access/may.ts';
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';
import { isWrite, SCOPES, type Scope } from '#shared/model/organizations/permissions.ts';
import { listOwnOrganizations, type OwnOrganization } from '#shared/organizations/own-organizations.ts';
import type { Services } from '#shared/services.ts';
import { isFresh } from '#shared/sign-in/sessions.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { type AnswerPlace, type Application, deriveAnswerPlace, describeApplication } from './applications.ts';
import type { ConsentDecision, ConsentRequest } from './consent-types.ts';
import type { ConsentFields } from './consent-wire.ts';
import { consentOfAnotherPerson, organizationNotChosen, organizationNotYours, scopeNotAsked } from './errors.ts';

const OFFLINE = 'offline_access';

/** A scope that the application requested and that this service knows. */
export interface AskedScope {
  readonly scope: Scope;
  readonly isWrite: boolean;
  readonly roles: readonly Role[];
}

export interface ConsentChoice {
  readonly application: Application;
  readonly answerPlace: AnswerPlace;
  readonly resource: 'api' | 'mcp';
  /** The active organizations of the person, sorted by name. */
  readonly organizations: readonly OwnOrganization[];
  readonly scopes: readonly AskedScope[];
  /** Whether the application asks for a refresh token. */
  readonly asksRenewal: boolean;
}

type ChoiceServices = Pick<Services, 'table' | 'origin'>;

export async function readConsent(
  services: ChoiceServices,
  visit: Pick<AccountVisit, 'person'>,
  request: ConsentRequest,
): Promise<ConsentChoice> {
  return {
    application: describeApplication(request),
    answerPlace: deriveAnswerPlace(request.redirectUri),
    resource: request.resource === services.origin ? 'api' : 'mcp',
    organizations: await listOwnOrganizations(services, visit.person),
    scopes: listAskedScopes(request).map((scope) => ({
      scope,
      isWrite: isWrite(scope),
      roles: ROLES.filter((role) => may({ ...visit.person, role }, scope)),
    })),
    asksRenewal: request.scopes.includes(OFFLINE),
  };
}

const listAskedScopes = ({ scopes }: Pick<ConsentRequest, 'scopes'>): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

/**
 * Whether the person must authenticate again: their last authentication is too old and was not for this request, and
 * the application requires a fresh one, or asks for permission to change data or to renew its access.
 */
export function mustConfirm(
  { session }: Pick<AccountVisit, 'session'>,
  request: Pick<ConsentRequest, 'scopes' | 'asksFreshLogin' | 'startedAt'>,
  { now, milliseconds }: { readonly now: number; readonly milliseconds: number },
): boolean {
  const needsFresh =
    request.asksFreshLogin || request.scopes.includes(OFFLINE) || listAskedScopes(request).some(isWrite);
  const wasForThis = session.authenticatedAt >= request.startedAt;
  return needsFresh && !wasForThis && !isFresh(session, now, milliseconds);
}

/** Reads the person's current role, so that the grant never exceeds it. Denies access if no permission is left. */
export async function decideConsent(
  services: ChoiceServices,
  visit: Pick<AccountVisit, 'person'>,
  request: ConsentRequest,
  fields: ConsentFields,
): Promise<ConsentDecision> {
  if (fields.decision === 'deny') return { kind: 'denied' };
  const { accountId } = visit.person;
  if (fields.accountId !== accountId) throw consentOfAnotherPerson();
  if (fields.organizationId === undefined) throw organizationNotChosen();
  const tickedScopes = [fields.scopes].flat();
  const unaskedScope = tickedScopes.find((scope) => !request.scopes.includes(scope));
  if (unaskedScope !== undefined) throw scopeNotAsked(unaskedScope);
  const organizations = await listOwnOrganizations(services, visit.person);
  const organization = organizations.find(({ organizationId }) => organizationId === fields.organizationId);
  if (!organization) throw organizationNotYours();
  const { organizationId, role } = organization;
  const scopes = listAskedScopes({ scopes: tickedScopes }).filter((scope) => may({ ...visit.person, role }, scope));
  if (scopes.length === 0) return { kind: 'denied' };
  const { resource } = request;
  return { kind: 'granted', organizationId, accountId, resource, scopes, offline: tickedScopes.includes(OFFLINE) };
}
