/** §5, written by hand from the specification: which operation asks for what, and what each state of a credential gets. */

/** What an operation asks for. Kept apart from the declarations on purpose: the two are compared. */
export const ASKS: Readonly<Record<string, string>> = {
  listProjects: 'projects:read',
  getProject: 'projects:read',
  listRuns: 'results:read',
  findRun: 'results:read',
  getRun: 'results:read',
  getInstance: 'results:read',
  getTestResults: 'results:read',
  getContext: 'results:read',
  cancelRun: 'runs:write',
  cancelGithubRun: 'runs:write',
  resetRun: 'runs:write',
  deleteRun: 'runs:write',
  getTestSignature: 'any credential',
  getMe: 'a person',
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
  uploadRun: 'record',
  cancelOwnRun: 'record',
};

export type Expected =
  | { readonly status: 200 | 201 }
  | { readonly status: 401 }
  | { readonly status: 403; readonly code: string | undefined; readonly challenge: string | undefined };

const NOBODY: Expected = { status: 401 };
/** What makes something answers 201, but for the reporters' protocols. */
const CREATES = ['createWebhook'];
const refused = (code?: string, challenge?: string): Expected => ({ status: 403, code, challenge });

export type Rights =
  | { readonly is: 'nobody' }
  | { readonly is: 'key'; readonly level: 'Read Only' | 'Read & Write' }
  | { readonly is: 'token'; readonly permissions: readonly string[] }
  | { readonly is: 'accessToken'; readonly scopes: readonly string[]; readonly role: keyof typeof CEILINGS };

/** What an access token of each role may do at most. */
export const CEILINGS = {
  guest: ['projects:read', 'results:read'],
  member: ['projects:read', 'results:read', 'analytics:read', 'actions:read', 'issues:write', 'runs:write'],
  actionsAdmin: [
    'projects:read',
    'results:read',
    'analytics:read',
    'actions:read',
    'issues:write',
    'runs:write',
    'actions:write',
  ],
  admin: [
    'projects:read',
    'projects:write',
    'results:read',
    'analytics:read',
    'actions:read',
    'actions:write',
    'issues:write',
    'runs:write',
    'webhooks:read',
    'webhooks:write',
  ],
};

export function expectedOf(rights: Rights, operationId: string): Expected {
  const asks = ASKS[operationId];
  if (asks === undefined) throw new Error(`The oracle says nothing of ${operationId}: add what it asks for`);
  const done: Expected = { status: CREATES.includes(operationId) ? 201 : 200 };
  if (rights.is === 'nobody') return NOBODY;
  if (asks === 'a person') return rights.is === 'key' ? refused('user_credential_required') : done;
  if (rights.is === 'key') return isWrite(asks) && rights.level === 'Read Only' ? refused() : done;
  if (asks === 'record') return refused('api_key_required');
  if (asks === 'any credential') return done;
  const granted = rights.is === 'token' ? rights.permissions : rights.scopes;
  if (!granted.includes(asks))
    return refused('insufficient_scope', `Bearer error="insufficient_scope", scope="${asks}"`);
  return rights.is === 'token' || CEILINGS[rights.role].includes(asks) ? done : refused('insufficient_role');
}

const isWrite = (asks: string): boolean => asks === 'record' || asks.endsWith(':write');
