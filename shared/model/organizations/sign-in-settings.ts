/** §5 How people of a company sign in to its organization, and which roles its groups of people give. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Role } from './membership.ts';

export interface GroupRole {
  /** The name of a group in the directory of the company, or in the claims of its provider. */
  readonly group: string;
  readonly role: Role;
}

export interface SignInSettings {
  readonly organizationId: string;
  /** The role of people of whom no group gives one. Absent: Member. */
  readonly defaultRole?: Role;
  /** If several groups of a person give a role, the highest one counts. */
  readonly groupRoles?: readonly GroupRole[];
  /** Time of the last change, in epoch milliseconds. It also serves as the version of the row, so no two changes share it. */
  readonly updatedAt: number;
}

export const signInSettings: Entity<Pick<SignInSettings, 'organizationId'>, SignInSettings> = {
  type: 'sign-in settings',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'How people of a company sign in' }],
  key: ({ organizationId }) => ({ pk: composeKey('COMPANY', organizationId), sk: 'SIGNIN' }),
  store: toAttributes,
  load: loadAttributes,
};
