/** §5.3 Paths, client and scopes of the local issuer, as its pages and its client name them. */
import { SCOPES } from '#shared/model/permissions.ts';

const BASE = '/api/auth/oauth2';
export const ROUTES = {
  authorization: `${BASE}/authorize`,
  token: `${BASE}/token`,
  revocation: `${BASE}/revoke`,
  jwks: `${BASE}/jwks`,
} as const;

/** The only client: public, native, with loopback redirects on any port. */
export const CLIENT_ID = 'rundown-cli';
export const CLIENT_NAME = 'Rundown CLI';
export const REDIRECT_PATH = '/callback';

type Scope = (typeof SCOPES)[number];

/** The meaning of each scope, for the consent page. */
export const MEANINGS: Readonly<Record<Scope | 'openid' | 'offline_access', string>> = {
  'projects:read': 'See which projects exist, with their settings, tags, branches and authors',
  'projects:write': 'Change the configuration of projects',
  'results:read': 'See runs, spec files, test results and failure evidence',
  'analytics:read': 'See aggregate metrics: insights, error counts, performance, flake and failure rates',
  'actions:read': 'See quarantine, skip and tag rules, and the tests they affected',
  'actions:write': 'Create, change, enable, disable and archive those rules',
  'issues:write': 'Create and link issues in a connected issue tracker',
  'runs:write': 'Cancel and reset runs, and delete runs and artifacts for good',
  'webhooks:read': 'See webhooks with their addresses and headers',
  'webhooks:write': 'Create, change and delete webhooks',
  'shares:write': 'Create links that show test results to anyone who has them, until they expire',
  openid: 'Know which account you are',
  offline_access: 'Stay signed in: renew its access without asking you again',
};

const isMeant = (scope: string): scope is keyof typeof MEANINGS => Object.hasOwn(MEANINGS, scope);
export const meaningOf = (scope: string): string => (isMeant(scope) ? MEANINGS[scope] : '');

export const isScope = (text: string): text is Scope => SCOPES.some((known) => known === text);

/** The REST API and its MCP resource (RFC 8707). A token is for one of them. */
export const resourcesAt = (apiOrigin: string): readonly string[] => [apiOrigin, `${apiOrigin}/mcp`];

const HOUR = 3600;
const DAY = 24 * HOUR;
export const LIFETIMES_SECONDS = { signIn: HOUR, refreshToken: 14 * DAY, grant: 30 * DAY } as const;
