/** §5.2 The settings of a project for what Rundown does automatically with its issues. All are off at first. */
import { isDeepStrictEqual } from 'node:util';
import { invalidRequest } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import {
  type IssueAutomation,
  type IssueTracking,
  issueAutomation,
  issueTracking,
} from '#shared/model/issues/issue-automation.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { automationChanged } from '../errors.ts';
import { findIntegration, listIntegrations, mayUse } from '../find-integration.ts';
import { planLookWrites } from '../next-look.ts';
import { AUTOMATION_LIMITS } from './limits.ts';

/** The settings that a person submits. `version` is the version that the person saw. */
export type AutomationSettings = Omit<IssueAutomation, keyof ProjectKey>;

const makeDefaultSettings = ({ organizationId, projectId }: ProjectKey): IssueAutomation => ({
  organizationId,
  projectId,
  version: 0,
  reportsAgain: false,
  createsWhenFlaky: false,
  createsPerDay: AUTOMATION_LIMITS.perDay.default,
  quarantines: false,
});

export const resolveAutomation = (project: ProjectKey, automation: IssueAutomation | undefined): IssueAutomation =>
  automation ?? makeDefaultSettings(project);

export async function readAutomation({ table }: WithTable, project: ProjectKey): Promise<IssueAutomation> {
  return resolveAutomation(project, await table.get(issueAutomation, project, { consistent: true }));
}

export interface AutomationOfProject {
  readonly settings: IssueAutomation;
  readonly connections: readonly Integration[];
  /** Whether the organization has connections that this project may not use. */
  readonly hasOtherConnections: boolean;
  readonly problem: IssueTracking['problem'];
}

export async function readAutomationOfProject(services: WithTable, project: ProjectKey): Promise<AutomationOfProject> {
  const [settings, all, tracking] = await Promise.all([
    readAutomation(services, project),
    listIntegrations(services, project),
    services.table.get(issueTracking, project),
  ]);
  const connections = all.filter((one) => mayUse(one, project.projectId));
  return { settings, connections, hasOtherConnections: connections.length < all.length, problem: tracking?.problem };
}

export const mayCreateIssues = ({ createsAfterFailures, createsWhenFlaky }: AutomationSettings): boolean =>
  createsAfterFailures !== undefined || createsWhenFlaky;

export const isOn = (settings: AutomationSettings): boolean =>
  mayCreateIssues(settings) ||
  settings.reportsAgain ||
  settings.closesAfterPasses !== undefined ||
  settings.quarantines;

/** Throws 409 if somebody else changed the settings after the person opened them. */
export function changeAutomation(
  services: CoreServices,
  {
    settings,
    projectId,
    ...request
  }: OrganizationRequest & { readonly projectId: string; readonly settings: AutomationSettings },
): Promise<IssueAutomation> {
  const { organizationId } = request;
  const key = { organizationId, projectId };
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const [project, before] = await Promise.all([findProjectInUse(services, key), readAutomation(services, key)]);
    const automation = { ...settings, ...key, version: before.version + 1 };
    const changes = listSettingChanges(before, automation);
    if (changes.length === 0) return { result: before };
    if (settings.version !== before.version) throw automationChanged();
    const { target } = settings;
    refuseUnusable(
      settings,
      target && (await findIntegration(services, { ...key, integrationId: target.integrationId })),
    );
    return {
      result: automation,
      writes: [
        put(issueAutomation, automation, before.version === 0 ? ABSENT : { path: 'version', equals: before.version }),
        ...planLookWrites(key, services.now()),
      ],
      inProject: key,
      record: {
        action: 'project changed',
        subject: projectId,
        label: project.name,
        detail: `issues: ${changes.join('; ')}`,
      },
    };
  });
}

const SETTING_NAMES = [
  'target',
  'reportsAgain',
  'closesAfterPasses',
  'createsAfterFailures',
  'createsWhenFlaky',
  'createsPerDay',
  'quarantines',
] as const;

const listSettingChanges = (from: IssueAutomation, to: IssueAutomation): string[] =>
  SETTING_NAMES.filter((name) => !isDeepStrictEqual(from[name], to[name])).map(
    (name) => `${name}: ${formatSetting(from[name])} to ${formatSetting(to[name])}`,
  );

function formatSetting(value: IssueAutomation[(typeof SETTING_NAMES)[number]]): string {
  if (value === undefined) return 'off';
  if (typeof value !== 'object') return String(value);
  const { integrationId, trackerProjectId, issueTypeId } = value;
  return [integrationId, trackerProjectId, ...(issueTypeId === undefined ? [] : [issueTypeId])].join(' ');
}

/**
 * Throws 400 if automation could not do what the settings say. `connection` is that of the target. Only creating issues
 * needs a target. Comments go to existing issues.
 */
export function refuseUnusable(settings: AutomationSettings, connection: Pick<Integration, 'kind'> | undefined): void {
  const { target } = settings;
  if (target === undefined || connection === undefined) {
    if (mayCreateIssues(settings)) throw invalidRequest('Choose where the issues are created', ['integrationId']);
    return;
  }
  if (target.trackerProjectId === '')
    throw invalidRequest('Enter the project, repository or team in which the issues are created', ['trackerProjectId']);
  const { name, needsType } = TRACKERS[connection.kind];
  if (needsType && target.issueTypeId === undefined)
    throw invalidRequest(`${name} requires an issue type. Enter its name, such as Bug`, ['issueTypeId']);
}
