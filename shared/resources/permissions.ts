/** §5.2, §5.3 What a credential may be allowed to do, and how §5.1's two levels relate to it. */
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

/** §5.3 What an access token may be granted. */
export const SCOPES = [...PERMISSIONS, 'shares:write'] as const;

/** What an operation asks for: a permission, any credential at all, the right to record (API keys only), or nothing. */
export type Requirement = Permission | 'anyCredential' | 'record' | 'public';

/** §5.1 Read Only reaches what changes nothing. */
export const changesSomething = (requirement: Requirement): boolean =>
  requirement === 'record' || requirement.endsWith(':write');

export const isPermission = (text: string): text is Permission => PERMISSIONS.some((known) => known === text);

/** §5.2 A write brings its read along; `issues:write` and `runs:write` have none. `undefined` for a name there is not. */
export function withReads(names: readonly string[]): Permission[] | undefined {
  if (!names.every(isPermission)) return undefined;
  const reads = names.map((name) => name.replace(/:write$/, ':read')).filter(isPermission);
  return PERMISSIONS.filter((known) => names.includes(known) || reads.includes(known));
}
