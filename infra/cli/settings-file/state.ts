/** Reads the settings of an organization. */
import type { Actor } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { listIntegrations } from '#shared/issues/find-integration.ts';
import { listNotificationKeys, type Notification, notifications } from '#shared/model/events/notification.ts';
import { getWebhooksSpan, type Webhook, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import { type IssueAutomation, issueAutomation } from '#shared/model/issues/issue-automation.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { getRulesSpan, type Rule, rules } from '#shared/model/rules/rule.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';

/** The rows of a project that a settings file covers. Rules and webhooks are sorted by age, oldest first. */
export interface ProjectState {
  readonly project: ProjectRecord;
  readonly rules: readonly Rule[];
  readonly webhooks: readonly Webhook[];
  readonly notifications: readonly Notification[];
  readonly issues: IssueAutomation | undefined;
}

export interface SettingsState {
  readonly organization: Organization;
  /** The actor who reads the settings, with their role in the organization. */
  readonly actor: Actor;
  readonly integrations: readonly Integration[];
  /** All projects, including deleted ones. */
  readonly projects: readonly ProjectState[];
}

/** Needed, besides `organizations:change`, for all that a settings file can change. Reading requires all of them. */
const ACTIONS = ['integrations:change', 'projects:write', 'actions:write', 'webhooks:write'] as const;

export async function readState(
  services: CoreServices,
  request: { readonly organizationId: string; readonly actor: Actor },
): Promise<SettingsState> {
  const [{ organization, actor }] = await Promise.all([
    authorizeRead(services, request, 'organizations:change'),
    ...ACTIONS.map((action) => authorizeRead(services, request, action)),
  ]);
  const [integrations, projects] = await Promise.all([
    listIntegrations(services, request),
    listOrganizationProjects(services, request),
  ]);
  const states = await mapConcurrently(projects, (project) => readProjectState(services, project));
  return { organization, actor, integrations, projects: states };
}

async function readProjectState({ table }: CoreServices, project: ProjectRecord): Promise<ProjectState> {
  const consistent = { consistent: true };
  const [ofRules, pointers, ofNotifications, issues] = await Promise.all([
    table.queryAll(rules, getRulesSpan(project), consistent),
    table.queryAll(webhooksOfProject, getWebhooksSpan(project), consistent),
    table.getMany(notifications, listNotificationKeys(project), consistent),
    table.get(issueAutomation, project, consistent),
  ]);
  const ofWebhooks = (await table.getMany(webhooks, pointers, consistent)).flatMap((webhook) => webhook ?? []);
  return {
    project,
    rules: ofRules,
    webhooks: ofWebhooks.toSorted(
      (one, other) => one.createdAt - other.createdAt || (one.hookId < other.hookId ? -1 : 1),
    ),
    notifications: ofNotifications.flatMap((notification) => notification ?? []),
    issues,
  };
}
