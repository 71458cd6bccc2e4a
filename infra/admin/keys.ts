/** §5.1 Organization API keys. */
import { createApiKey } from '#shared/credentials/create-api-key.ts';
import { deleteApiKey } from '#shared/credentials/delete-api-key.ts';
import { type ListedApiKey, listApiKeys } from '#shared/credentials/list-api-keys.ts';
import { command, type Row } from './command.ts';
import { oneOf, organization, text } from './options.ts';
import { timeOf } from './rows.ts';

const keyRow = (of: ListedApiKey): Row => ({
  keyId: of.keyId,
  label: of.label,
  level: of.level,
  lastFour: of.lastFour,
  createdAt: timeOf(of.createdAt),
});

export const KEYS = [
  command({
    name: 'keys create',
    does: 'create an API key of an organization',
    options: {
      organization,
      label: text('<label>', 'what it is for; audit records and lists show it'),
      level: oneOf(['readOnly', 'readWrite'], 'Read Only, or Read & Write, which recording needs'),
    },
    run: async ({ services, actor }, { organization: organizationId, label, level }) => {
      const key = await createApiKey(services, { organizationId, actor, label, level });
      return [{ ...keyRow(key), value: key.value }];
    },
    advice: () => 'The value is shown this once: keep it now.',
  }),
  command({
    name: 'keys list',
    does: 'list the API keys of an organization, oldest first, without their values',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) =>
      (await listApiKeys(services, { organizationId, actor })).map(keyRow),
  }),
  command({
    name: 'keys delete',
    does: 'delete an API key, which is refused from then on',
    options: { organization, key: text('<key id>', 'the key, as "keys list" has it') },
    run: async ({ services, actor }, { organization: organizationId, key: keyId }) => [
      keyRow(await deleteApiKey(services, { organizationId, actor, keyId })),
    ],
  }),
];
