/** §5 Decides whether an actor may take an action. §5.4 defines the errors for denied actions. */
import { isPermission, type Scope } from '#shared/model/organizations/permissions.ts';
import {
  ACTIONS,
  type ActionRule,
  type ApiAction,
  findRequiredScope,
  type OrganizationAction,
  type Requirement,
} from './actions.ts';
import type { Actor, ApiActor, CredentialKind, Person } from './actor.ts';
import { type Denial, makeDenialError } from './denial.ts';

export type Refusal =
  /** The Lambda function itself sends the 403, without a `WWW-Authenticate` challenge. */
  | { readonly denial: Denial }
  /** API Gateway sends the 403 with the challenge of RFC 6750. For an MCP tool call, the tool returns an error. */
  | { readonly missing: Scope };

type TokenActor = Exclude<ApiActor, { kind: 'apiKey' }>;

export const may = (actor: Actor, action: OrganizationAction): boolean => findRefusal(actor, action) === undefined;

export function findRefusal(actor: Actor, action: OrganizationAction): Refusal | undefined {
  const rule: ActionRule = ACTIONS[action];
  switch (actor.kind) {
    case 'apiKey':
      return toRefusal(actor.build ? findBuildDenial(rule) : findKeyDenial(rule, actor.level));
    case 'personalToken':
    case 'accessToken':
      return findTokenRefusal(actor, action, rule);
    case 'person':
      return toRefusal(findPersonDenial(actor, rule));
    case 'operator':
      return toRefusal(rule.ownOnly ? 'ownerOnly' : undefined);
    case 'system':
      return toRefusal(rule.system ? undefined : 'operatorOnly');
    case 'directory':
      return toRefusal(rule.directory ? undefined : 'operatorOnly');
  }
}

const toRefusal = (denial: Denial | undefined): Refusal | undefined => denial && { denial };

function findKeyDenial({ apiKey, tokens }: ActionRule, level: 'readOnly' | 'readWrite'): Denial | undefined {
  if (apiKey === undefined) return tokens ? 'userCredentialRequired' : 'notWithCredential';
  return apiKey === 'readWrite' && level === 'readOnly' ? 'readOnlyKey' : undefined;
}

/** Operations that a credential of a CI build may use check themselves that the request is about this build. */
const findBuildDenial = ({ ofBuild }: ActionRule): Denial | undefined => (ofBuild ? undefined : 'recordsOnly');

function findTokenRefusal(actor: TokenActor, action: OrganizationAction, rule: ActionRule): Refusal | undefined {
  if (!rule.tokens) return { denial: rule.apiKey ? 'apiKeyRequired' : 'notWithCredential' };
  // Actions without a scope, such as `signatures:read`, need no grant.
  const scope = findRequiredScope(action);
  if (scope === undefined) return undefined;
  if (!actor.permissions.some((permission) => permission === scope)) return { missing: scope };
  return actor.kind === 'personalToken' || rule.roles.includes(actor.role) ? undefined : { denial: 'insufficientRole' };
}

function findPersonDenial({ role }: Person, { everyAccount, roles }: ActionRule): Denial | undefined {
  if (everyAccount || (role !== undefined && roles.includes(role))) return undefined;
  if (roles.length === 0) return 'operatorOnly';
  return roles.length === 1 ? 'adminOnly' : 'insufficientRole';
}

/** Throws 403 unless the actor may take the action. */
export function requirePermission(actor: Actor, action: OrganizationAction): void {
  const refusal = findRefusal(actor, action);
  // API Gateway has already refused tokens without the permission that the operation declares. If the token lacks a
  // permission here, the operation declares the wrong permission.
  if (refusal && 'missing' in refusal)
    throw new Error(
      `The operation needs the permission ${refusal.missing}, which it does not declare. Add it to the declaration`,
    );
  if (refusal) throw makeDenialError(refusal.denial);
}

/** The granted permissions that the current role of the token's holder allows. */
export const listEffectivePermissions = (actor: TokenActor): Scope[] =>
  actor.permissions.filter((permission) => may(actor, permission));

export function listCredentialKinds(requirement: Requirement): CredentialKind[] {
  if (requirement === 'public') return ['apiKey', 'personalToken', 'accessToken'];
  const { apiKey, tokens }: ActionRule = ACTIONS[requirement];
  // §5.2 Some scopes cannot be granted to personal tokens.
  const scope = findRequiredScope(requirement);
  const isOfPersonalTokens = tokens && (scope === undefined || isPermission(scope));
  const kinds: CredentialKind[] = [];
  if (apiKey) kinds.push('apiKey');
  if (isOfPersonalTokens) kinds.push('personalToken');
  if (tokens) kinds.push('accessToken');
  return kinds;
}

/** §5.3 The permission that a token lacks for the action, if the role of its holder would allow the action. */
export function findGrantableScope(actor: ApiActor, action: ApiAction): Scope | undefined {
  if (actor.kind !== 'accessToken') return undefined;
  const refusal = findRefusal(actor, action);
  if (!refusal || !('missing' in refusal)) return undefined;
  const { missing } = refusal;
  return may({ ...actor, permissions: [...actor.permissions, missing] }, action) ? missing : undefined;
}
