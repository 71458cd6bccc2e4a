/** Plans all changes that give an organization the settings of a file. */
import type { Services } from '#shared/services.ts';
import { enterSection, type FileSection, type GivenProject, type SettingsFile } from './document.ts';
import { planIntegrations } from './integrations.ts';
import { planIssues } from './issues.ts';
import { planNotifications } from './notifications.ts';
import type { Change, Manual, Step } from './plan.ts';
import { matchProjects, planProject } from './projects.ts';
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
  root: FileSection<SettingsFile>,
  { now, ...policy }: Surroundings,
): PlannedPart[] {
  const { given, path, problems } = root;
  const { organizationId } = state.organization;
  if (given.organization !== undefined && given.organization !== organizationId) {
    const problem = `The file is for another organization than ${organizationId}. Remove this line and all ids to use it here`;
    problems.add([...path, 'organization'], problem);
    problems.refuse();
  }
  const { sharing, integrations, projects } = given;
  const projectIds = state.projects.map(({ project }) => project.projectId);
  const connections = integrations
    ? planIntegrations(state.integrations, enterSection(root, integrations, 'integrations'), { ...policy, projectIds })
    : { steps: [], removals: [] };
  const sharingSteps = sharing ? planSharing(state.organization, enterSection(root, sharing, 'sharing')) : [];
  const projectParts = projects
    ? planProjects(state, enterSection(root, projects, 'projects'), { now, ...policy })
    : [];
  // Connections are removed last, because projects may use them until then.
  const parts = [
    makePlannedPart([...sharingSteps, ...connections.steps]),
    ...projectParts,
    makePlannedPart(connections.removals),
  ];
  problems.refuse();
  return parts.filter(({ changes, manual }) => changes.length + manual.length > 0);
}

const makePlannedPart = (steps: readonly Step[]): PlannedPart => ({
  changes: steps.filter((step) => 'run' in step),
  manual: steps.filter((step) => 'todo' in step),
});

function planProjects(
  state: SettingsState,
  projectsSection: FileSection<readonly GivenProject[]>,
  { now, ...policy }: Surroundings,
): PlannedPart[] {
  const matches = matchProjects(
    state.projects.map(({ project }) => project),
    projectsSection,
  );
  return projectsSection.given.map((givenProject, index) => {
    const projectState = state.projects.find(({ project }) => project === matches[index]);
    const name = projectState?.project.name ?? givenProject.name ?? '';
    const entry = enterSection(projectsSection, givenProject, index);
    const steps: Step[] = planProject(projectState?.project, entry);
    const { rules, webhooks, notifications, issues } = givenProject;
    if (rules) steps.push(...planRules(projectState?.rules ?? [], enterSection(entry, rules, 'rules'), now));
    if (webhooks)
      steps.push(...planWebhooks(projectState?.webhooks ?? [], enterSection(entry, webhooks, 'webhooks'), policy));
    if (notifications) {
      const section = enterSection(entry, notifications, 'notifications');
      steps.push(...planNotifications(projectState?.notifications ?? [], section, policy));
    }
    if (issues) {
      const section = enterSection(entry, issues, 'issues');
      steps.push(...planIssues(name, projectState?.issues, section, state.integrations));
    }
    return { ...makePlannedPart(steps), project: { name, projectId: projectState?.project.projectId } };
  });
}
