/** §5.3 Consent: a person decides in which organization and with which permissions an application may act for them. */
import { may } from '#shared/access/may.ts';
import { SCOPES_OF_TOOLS } from '#shared/access/protected-resource.ts';
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
import { getMcpResource } from './paths.ts';

const OFFLINE = 'offline_access';

/** A scope that this service knows, and that the application requested or the person may add. */
export interface ConsentScope {
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
  /** The scopes that the application asks for. */
  readonly scopes: readonly ConsentScope[];
  /** Scopes that it does not ask for, and that the person may add. */
  readonly furtherScopes: readonly ConsentScope[];
  /** Whether the application asks for a refresh token. */
  readonly asksRenewal: boolean;
}

type ChoiceServices = Pick<Services, 'table' | 'origin'>;

export async function readConsent(
  services: ChoiceServices,
  visit: Pick<AccountVisit, 'person'>,
  request: ConsentRequest,
): Promise<ConsentChoice> {
  const describeScope = (scope: Scope): ConsentScope => ({
    scope,
    isWrite: isWrite(scope),
    roles: ROLES.filter((role) => may({ ...visit.person, role }, scope)),
  });
  const organizations = await listOwnOrganizations(services, visit.person);
  return {
    application: describeApplication(request),
    answerPlace: deriveAnswerPlace(request.redirectUri),
    resource: request.resource === services.origin ? 'api' : 'mcp',
    organizations,
    scopes: listAskedScopes(request).map(describeScope),
    furtherScopes: listFurtherScopes(services, request)
      .map(describeScope)
      .filter(({ roles }) => organizations.some(({ role }) => roles.includes(role))),
    asksRenewal: request.scopes.includes(OFFLINE),
  };
}

const listAskedScopes = ({ scopes }: Pick<ConsentRequest, 'scopes'>): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

/**
 * The scopes that an application may get although it does not ask for them. MCP clients ask for exactly the scopes that
 * the metadata of the resource lists, which are those for reading. So only the person can give an agent more.
 */
const listFurtherScopes = (services: Pick<Services, 'origin'>, request: ConsentRequest): Scope[] =>
  request.resource === getMcpResource(services.origin)
    ? SCOPES_OF_TOOLS.filter((scope) => !request.scopes.includes(scope))
    : [];

/**
 * Whether the person must authenticate again: their last authentication is too old and was not for this request, and
 * the application requires a fresh one, or the ticked `scopes` allow it to change data or to renew its access.
 */
export function mustConfirm(
  { session }: Pick<AccountVisit, 'session'>,
  request: Pick<ConsentRequest, 'asksFreshLogin' | 'startedAt'>,
  scopes: readonly string[],
  { now, milliseconds }: { readonly now: number; readonly milliseconds: number },
): boolean {
  const needsFresh = request.asksFreshLogin || scopes.includes(OFFLINE) || listAskedScopes({ scopes }).some(isWrite);
  const wasForThis = session.authenticatedAt >= request.startedAt;
  return needsFresh && !wasForThis && !isFresh(session, now, milliseconds);
}

export const listTickedScopes = ({ scopes }: Pick<ConsentFields, 'scopes'>): readonly string[] => [scopes].flat();

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
  const tickedScopes = listTickedScopes(fields);
  const offeredScopes: readonly string[] = [...request.scopes, ...listFurtherScopes(services, request)];
  const unknownScope = tickedScopes.find((scope) => !offeredScopes.includes(scope));
  if (unknownScope !== undefined) throw scopeNotAsked(unknownScope);
  const organizations = await listOwnOrganizations(services, visit.person);
  const organization = organizations.find(({ organizationId }) => organizationId === fields.organizationId);
  if (!organization) throw organizationNotYours();
  const { organizationId, role } = organization;
  const scopes = listAskedScopes({ scopes: tickedScopes }).filter((scope) => may({ ...visit.person, role }, scope));
  if (scopes.length === 0) return { kind: 'denied' };
  const { resource } = request;
  return { kind: 'granted', organizationId, accountId, resource, scopes, offline: tickedScopes.includes(OFFLINE) };
}
