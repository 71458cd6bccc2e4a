/** Writes the settings of an organization as a settings file. */

import { Document, isMap, isNode } from 'yaml';
import { resolveAutomation } from '#shared/issues/automation/settings.ts';
import { getNotificationPlace } from '#shared/model/events/notification.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { parseHeaders } from '#shared/webhooks/header-rules.ts';
import { type Fields, getEnabledSetting, type Json } from './fields.ts';
import { toIntegrationFields } from './integrations.ts';
import { toIssueFields } from './issues.ts';
import { toNotificationFields } from './notifications.ts';
import { toProjectFields } from './projects.ts';
import { isOfPeople, toRuleFields } from './rules.ts';
import { toSharingFields } from './sharing.ts';
import type { ProjectState, SettingsState } from './state.ts';
import { toWebhookFields } from './webhooks.ts';

interface YamlOptions {
  /** Whether the file has the addresses of webhooks, whose path may be a secret. */
  readonly withAddresses: boolean;
}

const HEADER = ` Settings of an organization of Rundown, for "npm run admin -- settings diff" and "settings apply".

 - A setting or a project that is missing in this file is left alone.
 - The lists "rules", "webhooks", "notifications" and "integrations" are complete. What such a list does not contain is
   removed. Leave out the whole list to leave its objects alone.
 - An object without an id is found by its name, and created if there is none. Connections and notifications need a
   secret, so only you can create them: the plan says where.
 - To use this file for another organization, remove all ids and the line "organization".
 - This file never contains tokens, addresses of channels, signing secrets or headers of webhooks.`;

const listKeptProjects = ({ projects }: SettingsState) =>
  projects.filter(({ project }) => project.deletesAt === undefined);

/** The content of the file without its comments. */
export const toSettingsFile = (state: SettingsState, options: YamlOptions) => ({
  version: 1,
  organization: state.organization.organizationId,
  sharing: toSharingFields(state.organization),
  integrations: state.integrations.map((one) => ({ id: one.integrationId, ...toIntegrationFields(one) })),
  projects: listKeptProjects(state).map((project) => toProjectEntry(project, options)),
});

export function writeYaml(state: SettingsState, options: YamlOptions): string {
  const document = new Document(toSettingsFile(state, options), { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  document.commentBefore = HEADER;
  for (const [index, { webhooks, notifications }] of listKeptProjects(state).entries()) {
    for (const [place, webhook] of webhooks.entries())
      addComment(document.getIn(['projects', index, 'webhooks', place], true), listRemarks(webhook, options));
    for (const one of notifications)
      if (getEnabledSetting(one) === undefined)
        addComment(document.getIn(['projects', index, 'notifications', getNotificationPlace(one)], true), [DISABLED]);
  }
  return document.toString({ lineWidth: 0 });
}

function toProjectEntry(
  { project, rules, webhooks, notifications, issues }: ProjectState,
  { withAddresses }: YamlOptions,
) {
  return {
    id: project.projectId,
    ...nestFields(toProjectFields(project)),
    rules: rules.filter(isOfPeople).map((rule) => ({ id: rule.actionId, ...toRuleFields(rule) })),
    webhooks: webhooks.map((webhook) => {
      const { url, ...fields } = toWebhookFields(webhook);
      return { id: webhook.hookId, ...fields, ...(withAddresses ? { url } : {}) };
    }),
    notifications: Object.fromEntries(
      notifications.map((one) => [getNotificationPlace(one), toNotificationFields(one)]),
    ),
    issues: toIssueFields(resolveAutomation(project, issues)),
  };
}

const DISABLED = ' Rundown disabled it after failures. Enable it in the browser when its receiver works again';

function listRemarks(webhook: Webhook, { withAddresses }: YamlOptions): string[] {
  const remarks: string[] = [];
  if (!withAddresses) remarks.push(` Sends to ${new URL(webhook.url).host}`);
  if (parseHeaders(webhook.headers).length > 0)
    remarks.push(' Has headers, which may be secret and are not part of this file');
  if (getEnabledSetting(webhook) === undefined) remarks.push(DISABLED);
  return remarks;
}

function addComment(entry: unknown, remarks: readonly string[]): void {
  if (!isMap(entry) || remarks.length === 0) return;
  const [first] = entry.items;
  if (first !== undefined && isNode(first.key)) first.key.commentBefore = remarks.join('\n');
}

/** Fields such as `retention.filesDays` as nested objects. */
function nestFields(fields: Fields): Record<string, Json> {
  const result = new Map<string, Json>();
  for (const [name, value] of Object.entries(fields)) {
    const [parent = name, member] = name.split('.');
    const group = result.get(parent);
    result.set(parent, member === undefined ? value : { ...(typeof group === 'object' ? group : {}), [member]: value });
  }
  return Object.fromEntries(result);
}
