/** §5 What several people of a directory may have, such as an email address, so that a filter finds them. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface DirectoryValue {
  readonly organizationId: string;
  readonly of: 'EXTERNAL' | 'EMAIL';
  readonly value: string;
  readonly entryId: string;
}

export const directoryValues: Entity<DirectoryValue, DirectoryValue> = {
  type: 'directory entry, by value',
  guarded: true,
  removal: 'apart',
  patterns: [
    {
      question: 'People in a directory with an external id',
      of: { of: 'EXTERNAL', value: 'external id', entryId: 'entry' },
    },
    { question: 'People in a directory with an email address', of: { of: 'EMAIL', value: 'email', entryId: 'entry' } },
  ],
  key: ({ organizationId, of, value, entryId }) => ({
    pk: composeKey('DIRECTORYVALUES', organizationId),
    sk: composeKey(of, value, entryId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDirectoryValuesSpan = ({ organizationId, of, value }: Omit<DirectoryValue, 'entryId'>) =>
  getPrefixSpan(composeKey('DIRECTORYVALUES', organizationId), composePrefix(of, value));
