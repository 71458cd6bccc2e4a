/** Display names of roles. */
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';

const NAMES: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  actionsAdmin: 'Actions Admin',
  member: 'Member',
  guest: 'Guest',
};

export const getRoleName = (role: Role): string => NAMES[role];

export const roleOptions = ROLES.map((value) => ({ value, label: NAMES[value] }));
