/** Plans all changes that give an organization the settings of a file. */
import type { Services } from '#shared/services.ts';
import { type GivenProject, type Placed, type SettingsFile, within } from './document.ts';
import { planIntegrations } from './integrations.ts';
import { planIssues } from './issues.ts';
import { planNotifications } from './notifications.ts';
import type { Change, Manual, Step } from './plan.ts';
import { planProject, projectsOf } from './projects.ts';
import { planRules } from './rules.ts';
import { planSharing } from './sharing.ts';
import type { SettingsState } from './state.ts';
import { planWebhooks } from './webhooks.ts';

/** The steps of the organization itself, or of one project. */
export interface PlannedPart {
  readonly changes: readonly Change[];
  readonly manual: readonly Manual[];
  /** The project with its current name, or the name of a new one. Absent for the organization itself. */
  readonly project?: { readonly name: string; readonly projectId: string | undefined };
}

interface Surroundings extends Pick<Services, 'privateReceivers'> {
  readonly now: number;
}

/** The parts that differ, in the order in which they are changed. Throws if the file has mistakes. */
export function planSettings(
  state: SettingsState,
  placed: Placed<SettingsFile>,
  { now, ...policy }: Surroundings,
): PlannedPart[] {
  const { given, path, problems } = placed;
  const { organizationId } = state.organization;
  if (given.organization !== undefined && given.organization !== organizationId) {
    const problem = `The file is for another organization than ${organizationId}. Remove this line and all ids to use it here`;
    problems.add([...path, 'organization'], problem);
    problems.refuse();
  }
  const { sharing, integrations, projects } = given;
  const projectIds = state.projects.map(({ project }) => project.projectId);
  const connections = integrations
    ? planIntegrations(state.integrations, within(placed, integrations, 'integrations'), { ...policy, projectIds })
    : { steps: [], removals: [] };
  const parts = [
    partOf([
      ...(sharing ? planSharing(state.organization, within(placed, sharing, 'sharing')) : []),
      ...connections.steps,
    ]),
    ...(projects ? planProjects(state, within(placed, projects, 'projects'), { now, ...policy }) : []),
    partOf(connections.removals),
  ];
  problems.refuse();
  return parts.filter(({ changes, manual }) => changes.length + manual.length > 0);
}

const partOf = (steps: readonly Step[]): PlannedPart => ({
  changes: steps.filter((step) => 'run' in step),
  manual: steps.filter((step) => 'todo' in step),
});

function planProjects(
  state: SettingsState,
  placed: Placed<readonly GivenProject[]>,
  { now, ...policy }: Surroundings,
): PlannedPart[] {
  const found = projectsOf(
    state.projects.map(({ project }) => project),
    placed,
  );
  return placed.given.map((given, index) => {
    const known = state.projects.find(({ project }) => project === found[index]);
    const name = known?.project.name ?? given.name ?? '';
    const entry = within(placed, given, index);
    const { rules, webhooks, notifications, issues } = given;
    const steps: Step[] = [
      ...planProject(known?.project, entry),
      ...(rules ? planRules(known?.rules ?? [], within(entry, rules, 'rules'), now) : []),
      ...(webhooks ? planWebhooks(known?.webhooks ?? [], within(entry, webhooks, 'webhooks'), policy) : []),
      ...(notifications
        ? planNotifications(known?.notifications ?? [], within(entry, notifications, 'notifications'), policy)
        : []),
      ...(issues ? planIssues(name, known?.issues, within(entry, issues, 'issues'), state.integrations) : []),
    ];
    return { ...partOf(steps), project: { name, projectId: known?.project.projectId } };
  });
}
