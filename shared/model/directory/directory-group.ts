/** §5 A group in the directory of a company. A setting of the organization may give its members a role. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface DirectoryGroup {
  readonly organizationId: string;
  readonly groupId: string;
  /** Unique in the organization, in any case. */
  readonly displayName: string;
  readonly externalId?: string;
  /** Whether the roles of its members are to be looked up again, because the group got another name. */
  readonly rolesDue?: true;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Increases with each change, also of its members. */
  readonly version: number;
}

export const directoryGroups: Entity<Pick<DirectoryGroup, 'organizationId' | 'groupId'>, DirectoryGroup> = {
  type: 'directory group',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: 'A group in the directory of an organization' },
    { question: 'All groups in the directory of an organization', begins: 'GROUP#' },
  ],
  key: ({ organizationId, groupId }) => ({
    pk: composeKey('DIRECTORYGROUPS', organizationId),
    sk: composeKey('GROUP', groupId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDirectoryGroupsSpan = ({ organizationId }: Pick<DirectoryGroup, 'organizationId'>) =>
  getPrefixSpan(composeKey('DIRECTORYGROUPS', organizationId), composePrefix('GROUP'));

interface GroupMember {
  readonly organizationId: string;
  readonly groupId: string;
  readonly entryId: string;
}

/** The groups of a person are part of the entry, and change in the same transaction. */
export const directoryGroupMembers: Entity<GroupMember, GroupMember> = {
  type: 'directory group, members',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Members of a group in a directory', of: { entryId: 'entry' } }],
  key: ({ organizationId, groupId, entryId }) => ({
    pk: composeKey('DIRECTORYMEMBERS', organizationId),
    sk: composeKey('PERSON', groupId, entryId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getGroupMembersSpan = ({ organizationId, groupId }: Pick<GroupMember, 'organizationId' | 'groupId'>) =>
  getPrefixSpan(composeKey('DIRECTORYMEMBERS', organizationId), composePrefix('PERSON', groupId));
