/** §5, written by hand from the specification: what each operation needs, and what each credential and actor may do. */
import type { ApiAction, OrganizationAction } from '#shared/access/actions.ts';
import type { Actor } from '#shared/access/actor.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { Scope } from '#shared/model/organizations/permissions.ts';

/**
 * The permission that each operation needs. The operations declare their permissions without this table, and a test
 * compares the declarations with it.
 */
export const NEEDS: Readonly<Record<string, string>> = {
  listProjects: 'projects:read',
  getProject: 'projects:read',
  createProject: 'projects:write',
  updateProject: 'projects:write',
  deleteProject: 'projects:write',
  restoreProject: 'projects:write',
  listRuns: 'results:read',
  listTests: 'analytics:read',
  listSpecFiles: 'analytics:read',
  listErrors: 'analytics:read',
  getInsights: 'analytics:read',
  listPullRequests: 'results:read',
  listTerms: 'projects:read',
  searchProject: 'results:read',
  listFlakyTests: 'analytics:read',
  findRun: 'results:read',
  getImport: 'results:read',
  getRun: 'results:read',
  getRunComparison: 'results:read',
  getRunGate: 'results:read',
  getInstance: 'results:read',
  getTestResults: 'results:read',
  getContext: 'results:read',
  cancelRun: 'runs:write',
  cancelGithubRun: 'runs:write',
  resetRun: 'runs:write',
  deleteRun: 'runs:write',
  deleteRunArtifacts: 'runs:write',
  getTestSignature: 'any credential',
  getMe: 'a user',
  listActions: 'actions:read',
  getAction: 'actions:read',
  listAffectedTests: 'actions:read',
  listAffectedExecutions: 'actions:read',
  listExecutionsOfAction: 'actions:read',
  createAction: 'actions:write',
  updateAction: 'actions:write',
  enableAction: 'actions:write',
  disableAction: 'actions:write',
  deleteAction: 'actions:write',
  getRules: 'record',
  listWebhooks: 'webhooks:read',
  getWebhook: 'webhooks:read',
  listDeliveries: 'webhooks:read',
  createWebhook: 'webhooks:write',
  updateWebhook: 'webhooks:write',
  deleteWebhook: 'webhooks:write',
  testWebhook: 'webhooks:write',
  redeliver: 'webhooks:write',
  rotateWebhookSecret: 'webhooks:write',
  deleteWebhookSecret: 'webhooks:write',
  createRun: 'record',
  claimInstance: 'record',
  createTestRecord: 'record',
  updateTestRecord: 'record',
  registerTestArtifact: 'record',
  registerInstanceArtifact: 'record',
  createShare: 'shares:write',
  listShares: 'shares:write',
  deleteShare: 'shares:write',
  listIntegrations: 'trackers:read',
  listTrackerProjects: 'trackers:read',
  listIssueTypes: 'trackers:read',
  listJiraProjects: 'trackers:read',
  listJiraIssueTypes: 'trackers:read',
  listIssues: 'results:read',
  createIssue: 'issues:write',
  linkIssue: 'issues:write',
  unlinkIssue: 'issues:write',
  createJiraIssue: 'issues:write',
  linkJiraIssue: 'issues:write',
  registerDebugLog: 'record',
  uploadRun: 'record',
  createImport: 'record',
  createImportLink: 'record',
  startRecording: 'record',
  findLastFailed: 'record',
  planShards: 'record',
  recordBatch: 'record',
  announceRecordedFiles: 'record',
  endMachine: 'record',
  cancelOwnRun: 'record',
  startSession: 'record',
  takeTask: 'record',
  storeCache: 'record',
  findCache: 'record',
  readCache: 'record',
  resetOwnRun: 'record',
};

export type Expected =
  | { readonly status: 200 | 201 }
  | { readonly status: 401 }
  | { readonly status: 403; readonly code: string | undefined; readonly challenge: string | undefined };

const UNAUTHENTICATED: Expected = { status: 401 };
/** The operations that answer 201 instead of 200. */
const CREATES = ['createAction', 'createImportLink', 'createProject', 'createShare', 'createWebhook', 'startRecording'];
const refused = (code?: string, challenge?: string): Expected => ({ status: 403, code, challenge });

export type Rights =
  | { readonly is: 'nobody' }
  | { readonly is: 'key'; readonly level: 'Read Only' | 'Read & Write' }
  | { readonly is: 'token'; readonly permissions: readonly string[] }
  | { readonly is: 'accessToken'; readonly scopes: readonly string[]; readonly role: Role };

const GUEST = ['projects:read', 'results:read'] as const;
const MEMBER = [...GUEST, 'analytics:read', 'actions:read', 'issues:write', 'runs:write', 'shares:write'] as const;

/** All permissions that each role allows. An access token never allows more. */
export const CEILINGS: Readonly<Record<Role, readonly Scope[]>> = {
  guest: GUEST,
  member: MEMBER,
  actionsAdmin: [...MEMBER, 'actions:write'],
  admin: [...MEMBER, 'actions:write', 'projects:write', 'webhooks:read', 'webhooks:write'],
};

export function expectedOf(rights: Rights, operationId: string): Expected {
  const needed = NEEDS[operationId];
  if (needed === undefined) throw new Error(`Add the permission of ${operationId} to NEEDS in test/access/oracle.ts`);
  const done: Expected = { status: CREATES.includes(operationId) ? 201 : 200 };
  if (rights.is === 'nobody') return UNAUTHENTICATED;
  if (needed === 'a user') return rights.is === 'key' ? refused('user_credential_required') : done;
  // A share belongs to a person, so API keys cannot create, list or delete shares.
  if (rights.is === 'key' && needed === 'shares:write') return refused('user_credential_required');
  if (rights.is === 'key') return isWrite(needed) && rights.level === 'Read Only' ? refused() : done;
  if (needed === 'record') return refused('api_key_required');
  if (needed === 'any credential') return done;
  const granted = rights.is === 'token' ? rights.permissions : rights.scopes;
  // §5.2 `issues:write` has no read counterpart, so it also includes the permission `trackers:read`.
  const scope = needed === 'trackers:read' ? 'issues:write' : needed;
  if (!granted.includes(scope))
    return refused('insufficient_scope', `Bearer error="insufficient_scope", scope="${scope}"`);
  const allowed: readonly string[] = rights.is === 'token' ? [scope] : CEILINGS[rights.role];
  return allowed.includes(scope) ? done : refused('insufficient_role');
}

const isWrite = (needed: string): boolean => needed === 'record' || needed.endsWith(':write');

/** `account` is any signed-in person, with or without a role. */
export type Who = 'operator' | 'system' | 'directory' | 'account' | Role;

const ADMINS: readonly Who[] = ['operator', 'admin'];
const EVERY_ROLE: readonly Who[] = ['admin', 'actionsAdmin', 'member', 'guest'];
const OPERATOR: readonly Who[] = ['operator'];

/**
 * Who may perform each administrative action. No API credential may perform any of these actions. The code does not
 * compile if a new action is missing here.
 */
const ADMINISTRATION: Readonly<Record<Exclude<OrganizationAction, ApiAction>, readonly Who[]>> = {
  'accounts:create': OPERATOR,
  'accounts:link': OPERATOR,
  'accounts:addPasskey': ['account'],
  'accounts:createCode': ['account'],
  'accounts:endSession': ['account', 'operator', 'directory'],
  'accounts:connectIdentity': ['account'],
  'accounts:disconnectIdentity': ['account'],
  'accounts:removePasskey': ['account'],
  'organizations:list': OPERATOR,
  'organizations:create': ['operator', 'account'],
  'organizations:join': ['account'],
  'trustedCi:change': ADMINS,
  'integrations:change': ADMINS,
  'companySignIn:change': ADMINS,
  'companySignIn:admit': ['operator', 'system'],
  'companySignIn:connect': EVERY_ROLE,
  'companySignIn:endIdentity': ADMINS,
  'organizations:limit': OPERATOR,
  'organizations:deactivate': ADMINS,
  'organizations:delete': OPERATOR,
  'organizations:move': OPERATOR,
  'members:list': ['operator', ...EVERY_ROLE],
  'members:add': OPERATOR,
  'members:changeRole': [...ADMINS, 'system'],
  'members:confirm': ['admin'],
  'members:remove': ADMINS,
  'members:leave': EVERY_ROLE,
  'members:deprovision': OPERATOR,
  'members:provision': ['operator', 'directory'],
  'invitations:list': ADMINS,
  'invitations:create': ADMINS,
  'invitations:withdraw': ADMINS,
  'invitations:cleanUp': ['operator', 'system'],
  'apiKeys:list': ['operator', 'admin', 'actionsAdmin', 'member'],
  'apiKeys:create': ADMINS,
  'apiKeys:delete': ADMINS,
  'tokens:create': ['admin'],
  'tokens:list': ['operator', ...EVERY_ROLE],
  'tokens:listAll': ADMINS,
  'tokens:revokeOwn': EVERY_ROLE,
  'tokens:revokeAny': ADMINS,
  'tokens:cleanUp': ['operator', 'system'],
  'signIn:read': ADMINS,
  'signIn:change': ADMINS,
  'scimTokens:create': ADMINS,
  'scimTokens:revoke': ADMINS,
  'grants:give': EVERY_ROLE,
  'grants:revokeOwn': ['account'],
  'grants:listAll': ADMINS,
  'grants:revokeAny': ADMINS,
  'grants:cleanUp': ['operator', 'system'],
  'organizations:change': ADMINS,
  'shares:revokeAny': ADMINS,
  'usage:read': ['operator', 'admin', 'actionsAdmin', 'member'],
  'integrations:fail': ['operator', 'system'],
  'people:erase': ADMINS,
  'accounts:erase': OPERATOR,
  'audit:read': ADMINS,
  'outbox:read': OPERATOR,
  'outbox:resend': OPERATOR,
};

const isAdministration = (action: OrganizationAction): action is keyof typeof ADMINISTRATION =>
  action in ADMINISTRATION;

/** Who may perform the action without an API credential. */
export function whoMay(action: OrganizationAction): readonly Who[] {
  if (isAdministration(action)) return ADMINISTRATION[action];
  if (action === 'record') return OPERATOR;
  if (action === 'shares:write') return ['admin', 'actionsAdmin', 'member'];
  if (action === 'trackers:read') return ['operator', 'admin', 'actionsAdmin', 'member'];
  if (action === 'me:read') return ['account'];
  if (action === 'signatures:read' || action === 'mcp:use') return ['operator', ...EVERY_ROLE];
  const bySystem = OF_AUTOMATION.includes(action) ? (['system'] as const) : [];
  return ['operator', ...bySystem, ...EVERY_ROLE.filter((who) => CEILINGS[roleIn(who)].includes(action))];
}

/** The permissions that background jobs have. A project can let them create issues and quarantine tests. */
const OF_AUTOMATION: readonly OrganizationAction[] = ['actions:write', 'issues:write'];

const roleIn = (who: Who): Role => {
  if (who === 'operator' || who === 'system' || who === 'directory' || who === 'account')
    throw new Error(`${who} is not a role`);
  return who;
};

export function isAllowed(actor: Actor, action: OrganizationAction): boolean {
  const who = whoMay(action);
  if (actor.kind === 'operator' || actor.kind === 'system' || actor.kind === 'directory')
    return who.includes(actor.kind);
  if (actor.kind === 'person') return who.includes('account') || (actor.role !== undefined && who.includes(actor.role));
  if (isAdministration(action)) return false;
  if (actor.kind === 'apiKey')
    return action !== 'me:read' && action !== 'shares:write' && (actor.level === 'readWrite' || !isWrite(action));
  if (action === 'record') return false;
  if (action === 'me:read' || action === 'signatures:read' || action === 'mcp:use') return true;
  const scope = action === 'trackers:read' ? 'issues:write' : action;
  return (
    actor.permissions.some((granted) => granted === scope) &&
    (actor.kind === 'personalToken' || CEILINGS[actor.role].includes(scope))
  );
}
