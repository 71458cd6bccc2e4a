/** What can be administered: one entry per noun and verb. The values of keys appear once, where they are made. */
import { createApiKey } from '#shared/credentials/create-api-key.ts';
import { deleteApiKey } from '#shared/credentials/delete-api-key.ts';
import { listApiKeys } from '#shared/credentials/list-api-keys.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { listProjectsOf } from '#shared/organizations/list-projects-of.ts';
import { type Command, organizationOf, type Row, required, time } from './options.ts';
import { PEOPLE } from './people.ts';
import { UsageError } from './usage.ts';

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...PEOPLE,
  'organizations create': async (services, options) => [
    organizationRow(await createOrganization(services, { name: required(options, 'name') })),
  ],
  'organizations list': async (services) => (await listOrganizations(services)).map(organizationRow),
  'projects create': async (services, options) => {
    const organizationId = await organizationOf(services, options);
    const defaultBranchName = options['branch'] ?? 'main';
    return [
      projectRow(await createProject(services, { organizationId, name: required(options, 'name'), defaultBranchName })),
    ];
  },
  'projects list': async (services, options) =>
    (await listProjectsOf(services, { organizationId: await organizationOf(services, options) })).map(projectRow),
  'keys create': async (services, options) => {
    const organizationId = await organizationOf(services, options);
    const level = required(options, 'level');
    if (level !== 'readOnly' && level !== 'readWrite') throw new UsageError('--level takes readOnly or readWrite');
    const key = await createApiKey(services, { organizationId, label: required(options, 'label'), level });
    return [{ ...keyRow(key), value: key.value }];
  },
  'keys list': async (services, options) =>
    (await listApiKeys(services, { organizationId: await organizationOf(services, options) })).map(keyRow),
  'keys delete': async (services, options) => {
    const organizationId = await organizationOf(services, options);
    const keyId = required(options, 'key');
    const deleted = await deleteApiKey(services, { organizationId, keyId });
    if (!deleted) throw new UsageError(`The organization has no key ${keyId}. "keys list" shows those it has`);
    return [keyRow(deleted)];
  },
};

const organizationRow = (of: { organizationId: string; name: string; createdAt: number }): Row => ({
  organizationId: of.organizationId,
  name: of.name,
  createdAt: time(of.createdAt),
});

const projectRow = (of: { projectId: string; name: string; defaultBranchName: string; createdAt: number }): Row => ({
  projectId: of.projectId,
  name: of.name,
  defaultBranchName: of.defaultBranchName,
  createdAt: time(of.createdAt),
});

const keyRow = (of: { keyId: string; label: string; level: string; lastFour: string; createdAt: number }): Row => ({
  keyId: of.keyId,
  label: of.label,
  level: of.level,
  lastFour: of.lastFour,
  createdAt: time(of.createdAt),
});
