/**
 * All permissions that a personal access token can have. They are copied from the specification instead of imported, so
 * that tests fail if the code differs from the specification.
 */
export const ALL = [
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
];
/**
 * The permissions of a token that was requested with only one write permission. Lists each write permission that has a
 * read counterpart.
 */
export const GIVES: Readonly<Record<string, readonly string[]>> = {
  'projects:write': ['projects:read', 'projects:write'],
  'actions:write': ['actions:read', 'actions:write'],
  'webhooks:write': ['webhooks:read', 'webhooks:write'],
};
