/** §5 The single permission table: each action, who may take it, and which audit records it can write. */
import type { ApiKeyLevel } from '#shared/model/organizations/api-key.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { isScope, type Scope } from '#shared/model/organizations/permissions.ts';

export interface ActionRule {
  /**
   * The roles that allow a member to take the action, in person or through an access token (§5.3). If empty, no role
   * does: then only the operator may take the action, and those whom another member of the rule admits.
   */
  readonly roles: readonly Role[];
  /** §5.1 The lowest level of an API key that allows the action. If absent, API keys are refused. */
  readonly apiKey?: ApiKeyLevel;
  /**
   * Whether personal and access tokens may take the action. If it needs a permission (see `scope`), a token must also
   * have been granted it.
   */
  readonly tokens?: boolean;
  /** The permission that a token needs for the action. Default: the action itself, if it is a permission. */
  readonly scope?: Scope;
  /** Whether everyone with an account may take the action, even without a role in the organization. */
  readonly everyAccount?: boolean;
  /** Whether a credential of a CI build may take the action, about its own build. */
  readonly ofBuild?: boolean;
  /** Whether people can take the action only for themselves. The operator may then not take it for them. */
  readonly ownOnly?: boolean;
  /** Whether background jobs may take the action. */
  readonly system?: boolean;
  /** Whether the directory of a company may take the action with a SCIM token. */
  readonly directory?: boolean;
  /** Whether the action is possible in a deactivated organization. There, all others are refused. */
  readonly afterDeactivation?: boolean;
  /** The names of the audit records that the action can write. If absent, it writes none. */
  readonly audit?: readonly string[];
}

const ADMINS = ['admin'] as const;
const RULE_EDITORS = [...ADMINS, 'actionsAdmin'] as const;
const MEMBERS = [...RULE_EDITORS, 'member'] as const;
const EVERY_ROLE = [...MEMBERS, 'guest'] as const;

const READ = { apiKey: 'readOnly', tokens: true } as const;
const WRITE = { apiKey: 'readWrite', tokens: true } as const;

export const ACTIONS = {
  // §5.2, §5.3 Permissions that can be granted to tokens. An access token is further restricted by the role of its
  // holder.
  'projects:read': { ...READ, roles: EVERY_ROLE },
  'projects:write': {
    ...WRITE,
    roles: ADMINS,
    audit: [
      'project created',
      'project changed',
      'project deleted',
      'project restored',
      'badge created',
      'badge revoked',
      'notification created',
      'notification changed',
      'notification deleted',
      'notification enabled',
      'notification disabled',
      'notification tested',
    ],
  },
  'results:read': { ...READ, roles: EVERY_ROLE, ofBuild: true },
  'analytics:read': { ...READ, roles: MEMBERS },
  'actions:read': { ...READ, roles: MEMBERS },
  'actions:write': {
    ...WRITE,
    roles: RULE_EDITORS,
    system: true,
    audit: ['action created', 'action changed', 'action enabled', 'action disabled', 'action archived'],
  },
  'issues:write': {
    ...WRITE,
    roles: MEMBERS,
    system: true,
    audit: ['issue created', 'issue linked', 'issue unlinked', 'issue moved'],
  },
  'runs:write': {
    ...WRITE,
    roles: MEMBERS,
    audit: ['run deleted', 'files of a run deleted', 'run reset', 'import link created', 'report uploaded'],
  },
  'webhooks:read': { ...READ, roles: ADMINS },
  'webhooks:write': {
    ...WRITE,
    roles: ADMINS,
    audit: [
      'webhook created',
      'webhook changed',
      'webhook deleted',
      'webhook secret rotated',
      'webhook secret deleted',
      'webhook tested',
      'delivery repeated',
    ],
  },

  // §5.3 A share belongs to a person, so API keys are refused, and only OAuth access tokens can have this scope.
  'shares:write': { roles: MEMBERS, tokens: true, ownOnly: true, audit: ['share created', 'share revoked'] },

  // §5.1, §5.2 Read Only keys may read what a tracker offers. Tokens have no read permission for trackers, so they need
  // `issues:write`.
  'trackers:read': { ...READ, roles: MEMBERS, scope: 'issues:write' },

  // §5.4 API operations that need no granted permission.
  record: { roles: [], apiKey: 'readWrite', ofBuild: true, audit: ['import link created'] },
  'signatures:read': { roles: EVERY_ROLE, apiKey: 'readOnly', tokens: true },
  'mcp:use': { roles: EVERY_ROLE, apiKey: 'readOnly', tokens: true },
  'me:read': { roles: EVERY_ROLE, tokens: true, everyAccount: true, ownOnly: true },

  // Actions that no API credential may take.
  'accounts:create': { roles: [] },
  'accounts:erase': { roles: [] },
  'accounts:link': { roles: [], audit: ['sign-in link created', 'address proven'] },
  'accounts:addPasskey': { roles: [], everyAccount: true, ownOnly: true, audit: ['passkey added'] },
  'accounts:createCode': { roles: [], everyAccount: true, ownOnly: true, audit: ['confirmation code created'] },
  'accounts:endSession': { roles: [], everyAccount: true, directory: true, audit: ['session ended'] },
  'accounts:connectIdentity': { roles: [], everyAccount: true, ownOnly: true, audit: ['identity connected'] },
  'accounts:disconnectIdentity': { roles: [], everyAccount: true, ownOnly: true, audit: ['identity ended'] },
  'accounts:removePasskey': { roles: [], everyAccount: true, ownOnly: true, audit: ['passkey removed'] },
  'organizations:list': { roles: [] },
  'organizations:create': { roles: [], everyAccount: true, audit: ['organization created'] },
  'organizations:join': { roles: [], everyAccount: true, ownOnly: true, audit: ['member joined'] },
  'organizations:change': { roles: ADMINS, audit: ['organization changed'] },
  'organizations:limit': { roles: [], audit: ['limits changed'] },
  'organizations:deactivate': { roles: ADMINS, afterDeactivation: true, audit: ['organization deactivated'] },
  'organizations:delete': {
    roles: [],
    afterDeactivation: true,
    audit: ['organization deleted', 'organization restored'],
  },
  'organizations:move': {
    roles: [],
    afterDeactivation: true,
    audit: ['organization exported', 'organization imported'],
  },
  // §5.1 As creating a key, but for one project.
  'trustedCi:change': { roles: ADMINS, audit: ['repository trusted', 'repository removed'] },
  'integrations:change': {
    roles: ADMINS,
    audit: ['integration connected', 'integration changed', 'integration removed'],
  },
  'companySignIn:change': {
    roles: ADMINS,
    audit: ['company sign-in connected', 'company sign-in changed', 'company sign-in disconnected', 'member added'],
  },
  // A provider admits people, gives them roles by their groups, and connects the accounts of members who ask for it.
  'companySignIn:admit': { roles: [], system: true, audit: ['member joined', 'role changed', 'identity connected'] },
  'companySignIn:connect': { roles: EVERY_ROLE, ownOnly: true, audit: ['identity connected'] },
  'companySignIn:endIdentity': { roles: ADMINS, audit: ['identity ended'] },
  // A receiver or a tracker does not work anymore, and the service stops to send to it.
  'integrations:fail': {
    roles: [],
    system: true,
    audit: ['webhook failed', 'notification failed', 'integration failed'],
  },
  'members:list': { roles: EVERY_ROLE },
  'members:add': { roles: [], audit: ['member added'] },
  'members:changeRole': { roles: ADMINS, system: true, audit: ['role changed'] },
  'members:confirm': { roles: ADMINS, ownOnly: true, audit: ['confirmation code created'] },
  'members:remove': { roles: ADMINS, audit: ['member removed'] },
  'members:leave': { roles: EVERY_ROLE, ownOnly: true, audit: ['member left'] },
  'members:deprovision': { roles: [], afterDeactivation: true, audit: ['member deprovisioned'] },
  'members:provision': {
    roles: [],
    directory: true,
    audit: ['member added', 'member deprovisioned', 'member changed', 'role changed'],
  },
  'invitations:list': { roles: ADMINS },
  'invitations:create': { roles: ADMINS, audit: ['member invited'] },
  'invitations:withdraw': { roles: ADMINS, audit: ['invitation withdrawn'] },
  'invitations:cleanUp': { roles: [], system: true, audit: ['invitation withdrawn'] },
  // §5.1 Guests may not view keys.
  'apiKeys:list': { roles: MEMBERS },
  'apiKeys:create': { roles: ADMINS, audit: ['API key created'] },
  'apiKeys:delete': { roles: ADMINS, audit: ['API key deleted'] },
  // §5.2 Admins can create tokens only for themselves, but can revoke any token of the organization.
  'tokens:create': { roles: ADMINS, ownOnly: true, audit: ['token created'] },
  'tokens:list': { roles: EVERY_ROLE },
  'tokens:listAll': { roles: ADMINS },
  'tokens:revokeOwn': { roles: EVERY_ROLE, ownOnly: true, audit: ['token revoked'] },
  'tokens:revokeAny': { roles: ADMINS, audit: ['token revoked'] },
  'signIn:read': { roles: ADMINS },
  'signIn:change': { roles: ADMINS, audit: ['sign-in settings changed', 'role changed'] },
  'scimTokens:create': { roles: ADMINS, audit: ['SCIM token created'] },
  'scimTokens:revoke': { roles: ADMINS, audit: ['SCIM token revoked'] },
  'tokens:cleanUp': { roles: [], system: true, audit: ['token revoked'] },
  // §5.3 People can revoke the access that they granted to an application, even in organizations that they have left.
  // Admins can revoke the access that any member granted.
  'grants:give': { roles: EVERY_ROLE, ownOnly: true, audit: ['application connected'] },
  'grants:revokeOwn': { roles: [], everyAccount: true, ownOnly: true, audit: ['application disconnected'] },
  'grants:listAll': { roles: ADMINS },
  'grants:revokeAny': { roles: ADMINS, afterDeactivation: true, audit: ['application disconnected'] },
  'grants:cleanUp': { roles: [], system: true, audit: ['application disconnected'] },
  'shares:revokeAny': { roles: ADMINS, audit: ['share revoked'] },
  'usage:read': { roles: MEMBERS },
  // Also after a deactivation, because a person's right does not end with it.
  'people:erase': { roles: ADMINS, afterDeactivation: true, audit: ['person erased'] },
  'audit:read': { roles: ADMINS },
  'outbox:read': { roles: [] },
  'outbox:resend': { roles: [] },
} as const satisfies Readonly<Record<string, ActionRule>> & Readonly<Record<Scope, ActionRule>>;

export type OrganizationAction = keyof typeof ACTIONS;

/** The actions that API credentials can take. */
export type ApiAction = Scope | 'trackers:read' | 'record' | 'signatures:read' | 'mcp:use' | 'me:read';
/** What an operation of the API declares: the action that its callers take, or `public` if it needs no credential. */
export type Requirement = ApiAction | 'public';

/** The names of the audit records that an action can write. Default: those of all actions. */
export type AuditName<Name extends OrganizationAction = OrganizationAction> = Extract<
  { [Each in Name]: (typeof ACTIONS)[Each] extends { readonly audit: readonly (infer Text)[] } ? Text : never }[Name],
  string
>;

export function findRequiredScope(action: Requirement | OrganizationAction): Scope | undefined {
  if (action === 'public') return undefined;
  const { scope }: ActionRule = ACTIONS[action];
  return scope ?? (isScope(action) ? action : undefined);
}
