/** Writes the settings of an organization as a settings file. */
import { Document, isMap, isNode } from 'yaml';
import { resolveAutomation } from '#shared/issues/automation/settings.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { parseHeaders } from '#shared/webhooks/header-rules.ts';
import { integrationFields } from './integrations.ts';
import { issueFields } from './issues.ts';
import { notificationFields } from './notifications.ts';
import { type Fields, isEnabled, type Json } from './plan.ts';
import { projectFields } from './projects.ts';
import { isOfPeople, ruleFields } from './rules.ts';
import { sharingFields } from './sharing.ts';
import type { ProjectState, SettingsState } from './state.ts';
import { webhookFields } from './webhooks.ts';

interface Wanted {
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

const kept = ({ projects }: SettingsState) => projects.filter(({ project }) => project.deletesAt === undefined);

/** The content of the file without its comments. */
export const settingsOf = (state: SettingsState, wanted: Wanted) => ({
  version: 1,
  organization: state.organization.organizationId,
  sharing: sharingFields(state.organization),
  integrations: state.integrations.map((one) => ({ id: one.integrationId, ...integrationFields(one) })),
  projects: kept(state).map((project) => projectEntry(project, wanted)),
});

export function writeYaml(state: SettingsState, wanted: Wanted): string {
  const document = new Document(settingsOf(state, wanted), { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  document.commentBefore = HEADER;
  for (const [index, { webhooks, notifications }] of kept(state).entries()) {
    for (const [place, webhook] of webhooks.entries())
      comment(document.getIn(['projects', index, 'webhooks', place], true), remarksOn(webhook, wanted));
    for (const one of notifications)
      if (isEnabled(one) === undefined)
        comment(document.getIn(['projects', index, 'notifications', one.kind], true), [DISABLED]);
  }
  return document.toString({ lineWidth: 0 });
}

function projectEntry({ project, rules, webhooks, notifications, issues }: ProjectState, { withAddresses }: Wanted) {
  return {
    id: project.projectId,
    ...nested(projectFields(project)),
    rules: rules.filter(isOfPeople).map((rule) => ({ id: rule.actionId, ...ruleFields(rule) })),
    webhooks: webhooks.map((webhook) => {
      const { url, ...fields } = webhookFields(webhook);
      return { id: webhook.hookId, ...fields, ...(withAddresses ? { url } : {}) };
    }),
    notifications: Object.fromEntries(notifications.map((one) => [one.kind, notificationFields(one)])),
    issues: issueFields(resolveAutomation(project, issues)),
  };
}

const DISABLED = ' Rundown disabled it after failures. Enable it in the browser when its receiver works again';

const remarksOn = (webhook: Webhook, { withAddresses }: Wanted): string[] => [
  ...(withAddresses ? [] : [` Sends to ${new URL(webhook.url).host}`]),
  ...(parseHeaders(webhook.headers).length > 0
    ? [' Has headers, which may be secret and are not part of this file']
    : []),
  ...(isEnabled(webhook) === undefined ? [DISABLED] : []),
];

/** Puts the remarks above the first setting of an entry. */
function comment(entry: unknown, remarks: readonly string[]): void {
  if (!isMap(entry) || remarks.length === 0) return;
  const [first] = entry.items;
  if (first !== undefined && isNode(first.key)) first.key.commentBefore = remarks.join('\n');
}

/** Fields such as `retention.filesDays` as nested objects. */
function nested(fields: Fields): Record<string, Json> {
  const result = new Map<string, Json>();
  for (const [name, value] of Object.entries(fields)) {
    const [parent = name, member] = name.split('.');
    const group = result.get(parent);
    result.set(parent, member === undefined ? value : { ...(typeof group === 'object' ? group : {}), [member]: value });
  }
  return Object.fromEntries(result);
}
