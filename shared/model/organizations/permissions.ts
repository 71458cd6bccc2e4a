/** §5.2 The permissions that personal tokens can be granted. */
export const PERMISSIONS = [
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
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** §5.3 The scopes that access tokens can be granted. */
export const SCOPES = [...PERMISSIONS, 'shares:write'] as const;
export type Scope = (typeof SCOPES)[number];

export const isWrite = (scope: Scope): boolean => scope.endsWith(':write');

export const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

export const isPermission = (text: string): text is Permission => PERMISSIONS.some((permission) => permission === text);

/** §5.2 Writing includes reading. `issues:write` and `runs:write` have no matching read permission. */
export function addReadPermissions(names: readonly Permission[]): Permission[] {
  return PERMISSIONS.filter((permission) =>
    names.some((name) => name === permission || name === permission.replace(':read', ':write')),
  );
}
