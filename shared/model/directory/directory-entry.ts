/**
 * §5 A person in the directory of a company, as SCIM describes them. Apart from the account, because the directory of
 * one organization must not change an account that its person owns.
 */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Role } from '#shared/model/organizations/membership.ts';

export interface DirectoryEmail {
  readonly value: string;
  readonly type?: string;
  readonly primary?: boolean;
}

export interface DirectoryPersonName {
  readonly formatted?: string;
  readonly givenName?: string;
  readonly familyName?: string;
}

export interface DirectoryEntry {
  readonly organizationId: string;
  readonly entryId: string;
  /** Unique in the organization, in any case. */
  readonly userName: string;
  /** The id of the person in the directory of the company. */
  readonly externalId?: string;
  readonly displayName?: string;
  readonly name?: DirectoryPersonName;
  readonly emails?: readonly DirectoryEmail[];
  /** The last word of the directory. A person who is not active is no member. */
  readonly active: boolean;
  /** The account that the organization manages, or the own account of a member who had joined before. */
  readonly accountId: string;
  /** The ids of the groups of the person. Some may have been deleted. */
  readonly groups: readonly string[];
  /** The role that the groups gave when they were last looked at. An Admin may have given the member another one. */
  readonly role: Role;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Increases with each change. */
  readonly version: number;
}

export const directoryEntries: Entity<Pick<DirectoryEntry, 'organizationId' | 'entryId'>, DirectoryEntry> = {
  type: 'directory entry',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: 'A person in the directory of an organization', of: { entryId: 'entry' } },
    { question: 'All people in the directory of an organization', begins: 'USER#' },
  ],
  key: ({ organizationId, entryId }) => ({
    pk: composeKey('DIRECTORY', organizationId),
    sk: composeKey('USER', entryId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDirectorySpan = ({ organizationId }: Pick<DirectoryEntry, 'organizationId'>) =>
  getPrefixSpan(composeKey('DIRECTORY', organizationId), composePrefix('USER'));
