/** §5.1 The commands for API keys. */
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { type ListedApiKey, listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { type CommandRow, command } from './command.ts';
import { oneOf, organization, textOption } from './options.ts';
import { timeCell } from './rows.ts';

const keyRow = (of: ListedApiKey): CommandRow => ({
  keyId: of.keyId,
  label: of.label,
  level: of.level,
  lastFour: of.lastFour,
  createdAt: timeCell(of.createdAt),
});

export const KEYS = [
  command({
    name: 'keys create',
    does: 'create an API key of an organization',
    options: {
      organization,
      label: textOption('<label>', 'label, shown in lists and audit records'),
      level: oneOf(['readOnly', 'readWrite'], 'Read Only or Read & Write; recording needs Read & Write'),
    },
    run: async ({ services, actor }, { organization: organizationId, label, level }) => {
      const key = await createApiKey(services, { organizationId, actor, label, level });
      return [{ ...keyRow(key), value: key.value }];
    },
    advice: () => 'The value is shown only once. Store it now.',
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
    does: 'delete an API key; it stops working immediately',
    options: { organization, key: textOption('<key id>', 'id from "keys list"') },
    run: async ({ services, actor }, { organization: organizationId, key: keyId }) => [
      keyRow(await deleteApiKey(services, { organizationId, actor, keyId })),
    ],
  }),
];
