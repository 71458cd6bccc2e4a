/** The issue automation of a project in a settings file. */

import * as z from 'zod';
import { AUTOMATION_LIMITS } from '#shared/issues/automation/limits.ts';
import {
  type AutomationSettings,
  changeAutomation,
  refuseUnusable,
  resolveAutomation,
} from '#shared/issues/automation/settings.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import type { IssueAutomation } from '#shared/model/issues/issue-automation.ts';
import { type FileSection, type GivenIssues, parseSectionSettings } from './document.ts';
import { type Fields, isEmpty, listFieldChanges, pickDifferences } from './fields.ts';
import type { Step } from './plan.ts';

export const toIssueFields = (settings: AutomationSettings): Fields => ({
  integration: settings.target?.integrationId ?? null,
  trackerProject: settings.target?.trackerProjectId ?? null,
  issueType: settings.target?.issueTypeId ?? null,
  reportsAgain: settings.reportsAgain,
  closesAfterPasses: settings.closesAfterPasses ?? null,
  createsAfterFailures: settings.createsAfterFailures ?? null,
  createsWhenFlaky: settings.createsWhenFlaky,
  createsPerDay: settings.createsPerDay,
  quarantines: settings.quarantines,
});

const { passes, failures, perDay } = AUTOMATION_LIMITS;
const count = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }) =>
  z.int().min(minimum).max(maximum);
const trackerId = z.string().trim().min(1).max(ISSUE_LIMITS.trackerIdCharacters).nullable();

const IssueFields = z.object({
  integration: trackerId,
  trackerProject: trackerId,
  issueType: trackerId,
  reportsAgain: z.boolean(),
  closesAfterPasses: count(passes).nullable(),
  createsAfterFailures: count(failures).nullable(),
  createsWhenFlaky: z.boolean(),
  createsPerDay: count(perDay),
  quarantines: z.boolean(),
});

function toAutomationSettings(version: number, fields: z.output<typeof IssueFields>): AutomationSettings {
  const { integration, trackerProject, issueType, closesAfterPasses, createsAfterFailures, ...others } = fields;
  const settings = {
    version,
    ...others,
    ...(closesAfterPasses !== null && { closesAfterPasses }),
    ...(createsAfterFailures !== null && { createsAfterFailures }),
  };
  if (integration === null) return settings;
  const target = { integrationId: integration, trackerProjectId: trackerProject ?? '' };
  return { ...settings, target: issueType === null ? target : { ...target, issueTypeId: issueType } };
}

export function planIssues(
  projectName: string,
  automation: IssueAutomation | undefined,
  section: FileSection<GivenIssues>,
  connections: readonly Integration[],
): Step[] {
  const { given, path, problems } = section;
  const before = resolveAutomation({ organizationId: '', projectId: '' }, automation);
  const currentFields = toIssueFields(before);
  const edits = pickDifferences(given, currentFields);
  if (isEmpty(edits)) return [];
  const { data: fields } = IssueFields.safeParse({
    ...currentFields,
    ...parseSectionSettings(IssueFields.partial(), edits, section),
  });
  if (!fields) return [];
  const settings = toAutomationSettings(before.version, fields);
  const connection = connections.find(({ integrationId }) => integrationId === fields.integration);
  if (fields.integration !== null && connection === undefined)
    problems.add([...path, 'integration'], 'No connection has this id. An export shows the ids at "integrations"');
  else problems.check(path, () => refuseUnusable(settings, connection));
  const changedFields = pickDifferences(toIssueFields(settings), currentFields);
  if (isEmpty(changedFields)) return [];
  return [
    {
      verb: 'change',
      kind: 'issues',
      name: projectName,
      fields: listFieldChanges(changedFields, currentFields),
      // `changeAutomation` refuses settings whose version is no longer the stored one.
      run: (services, target) => changeAutomation(services, { ...target, settings }),
    },
  ];
}
