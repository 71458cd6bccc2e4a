/** §5.3 The most that an access token may do, by the role of its holder. */
import type { Role } from '../resources/membership.ts';
import { PERMISSIONS, type Permission } from '../resources/permissions.ts';

const GUEST: readonly Permission[] = ['projects:read', 'results:read'];
const MEMBER: readonly Permission[] = [...GUEST, 'analytics:read', 'actions:read', 'issues:write', 'runs:write'];
const CEILINGS: Readonly<Record<Role, readonly Permission[]>> = {
  guest: GUEST,
  member: MEMBER,
  actionsAdmin: [...MEMBER, 'actions:write'],
  admin: PERMISSIONS,
};

export const permits = (role: Role, permission: Permission): boolean => CEILINGS[role].includes(permission);
