/** The fields of the form that connects an issue tracker. An empty token keeps the stored one. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import type { IntegrationSettings } from '#shared/issues/integration-settings.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { CONNECTION_FORMS, type ConnectionFormName } from '#shared/model/issues/tracker-kind.ts';
import { id } from '#shared/model/names.ts';
import { entry, trimEntry } from '#shared/pages/shell/form-wire.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';

export const INTEGRATION_FIELDS = {
  name: entry(ISSUE_LIMITS.nameCharacters),
  apiUrl: entry(SENDING_LIMITS.urlCharacters),
  account: entry(ISSUE_LIMITS.accountCharacters),
  token: entry(ISSUE_LIMITS.tokenCharacters),
  projects: z.enum(['all', 'chosen']).default('all'),
  projectIds: z.union([id, z.array(id)]).default([]),
};

export function toIntegrationSettings(
  tracker: ConnectionFormName,
  fields: z.output<z.ZodObject<typeof INTEGRATION_FIELDS>>,
): IntegrationSettings {
  const { kind, hasAccount, address } = CONNECTION_FORMS[tracker];
  if (hasAccount && trimEntry(fields.account) === undefined)
    throw invalidRequest('Enter the email address of the account that owns the API token', ['account']);
  const apiUrl = trimEntry(fields.apiUrl) ?? address.default;
  if (apiUrl === '') throw invalidRequest(`${address.label} is missing. ${address.hint}`, ['apiUrl']);
  const projectIds = [fields.projectIds].flat();
  if (fields.projects === 'chosen' && projectIds.length === 0)
    throw invalidRequest('Choose at least one project, or all projects', ['projectIds']);
  return {
    kind,
    name: fields.name,
    apiUrl,
    account: hasAccount ? fields.account.trim() : undefined,
    token: trimEntry(fields.token),
    projectIds: fields.projects === 'chosen' ? projectIds : undefined,
  };
}
