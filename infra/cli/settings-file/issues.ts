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
import type { Integration } from '#shared/model/organizations/integration.ts';
import type { IssueAutomation } from '#shared/model/tests/issue-automation.ts';
import { type GivenIssues, type Placed, settingsBy } from './document.ts';
import { differing, type Fields, fieldChanges, isEmpty, type Step } from './plan.ts';

export const issueFields = (settings: AutomationSettings): Fields => ({
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
const entry = z.string().trim().min(1).max(ISSUE_LIMITS.trackerIdCharacters).nullable();

const Wanted = z.object({
  integration: entry,
  trackerProject: entry,
  issueType: entry,
  reportsAgain: z.boolean(),
  closesAfterPasses: count(passes).nullable(),
  createsAfterFailures: count(failures).nullable(),
  createsWhenFlaky: z.boolean(),
  createsPerDay: count(perDay),
  quarantines: z.boolean(),
});

function settingsFrom(version: number, wanted: z.output<typeof Wanted>): AutomationSettings {
  const { integration, trackerProject, issueType, closesAfterPasses, createsAfterFailures, ...flags } = wanted;
  return {
    version,
    ...flags,
    ...(integration === null
      ? {}
      : {
          target: {
            integrationId: integration,
            trackerProjectId: trackerProject ?? '',
            ...(issueType === null ? {} : { issueTypeId: issueType }),
          },
        }),
    ...(closesAfterPasses === null ? {} : { closesAfterPasses }),
    ...(createsAfterFailures === null ? {} : { createsAfterFailures }),
  };
}

export function planIssues(
  projectName: string,
  stored: IssueAutomation | undefined,
  placed: Placed<GivenIssues>,
  connections: readonly Integration[],
): Step[] {
  const { given, path, problems } = placed;
  const before = resolveAutomation({ organizationId: '', projectId: '' }, stored);
  const current = issueFields(before);
  const edits = differing(given, current);
  if (isEmpty(edits)) return [];
  const { data: wanted } = Wanted.safeParse({ ...current, ...settingsBy(Wanted.partial(), edits, placed) });
  if (!wanted) return [];
  const settings = settingsFrom(before.version, wanted);
  const connection = connections.find(({ integrationId }) => integrationId === wanted.integration);
  if (wanted.integration !== null && connection === undefined)
    problems.add([...path, 'integration'], 'No connection has this id. An export shows the ids at "integrations"');
  else problems.checked(path, () => refuseUnusable(settings, connection));
  const changed = differing(issueFields(settings), current);
  if (isEmpty(changed)) return [];
  return [
    {
      verb: 'change',
      kind: 'issues',
      name: projectName,
      fields: fieldChanges(changed, current),
      // `changeAutomation` refuses settings whose version is no longer the stored one.
      run: (services, target) => changeAutomation(services, { ...target, settings }),
    },
  ];
}
