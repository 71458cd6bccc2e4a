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
  getTestSignature: 'any credential',
  getMe: 'a person',
  createRun: 'record',
  claimInstance: 'record',
  createTestRecord: 'record',
  updateTestRecord: 'record',
  registerTestArtifact: 'record',
  registerInstanceArtifact: 'record',
  uploadRun: 'record',
};

export type Expected =
  | { readonly status: 200 }
  | { readonly status: 401 }
  | { readonly status: 403; readonly code: string | undefined; readonly challenge: string | undefined };

const NOBODY: Expected = { status: 401 };
const OK: Expected = { status: 200 };
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
  if (rights.is === 'nobody') return NOBODY;
  if (asks === 'a person') return rights.is === 'key' ? refused('user_credential_required') : OK;
  if (rights.is === 'key') return asks === 'record' && rights.level === 'Read Only' ? refused() : OK;
  if (asks === 'record') return refused('api_key_required');
  if (asks === 'any credential') return OK;
  const granted = rights.is === 'token' ? rights.permissions : rights.scopes;
  if (!granted.includes(asks))
    return refused('insufficient_scope', `Bearer error="insufficient_scope", scope="${asks}"`);
  return rights.is === 'token' || CEILINGS[rights.role].includes(asks) ? OK : refused('insufficient_role');
}
