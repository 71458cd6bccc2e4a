/** §5 What only one person or group of a directory has: the name of a user, the name of a group, an account. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

interface DirectoryName {
  readonly organizationId: string;
  readonly of: 'USER' | 'GROUP' | 'ACCOUNT';
  /** In lower case, or the id of an account. */
  readonly name: string;
  /** The person or group. */
  readonly id: string;
}

export const directoryNames: Entity<Pick<DirectoryName, 'organizationId' | 'of' | 'name'>, DirectoryName> = {
  type: 'directory entry, by name',
  guarded: true,
  removal: 'apart',
  patterns: [
    { question: 'The person in a directory with a user name', of: { of: 'USER', name: 'user name' } },
    { question: 'The group in a directory with a name', of: { of: 'GROUP' } },
    { question: 'The person in a directory with an account', of: { of: 'ACCOUNT', name: 'account' } },
  ],
  key: ({ organizationId, of, name }) => ({
    pk: composeKey('DIRECTORYNAMES', organizationId),
    sk: composeKey(of, name),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDirectoryNamesSpan = ({ organizationId, of }: Pick<DirectoryName, 'organizationId' | 'of'>) =>
  getPrefixSpan(composeKey('DIRECTORYNAMES', organizationId), composePrefix(of));
