/** Projects and their settings. */
import { createProject } from '#shared/organizations/create-project.ts';
import { listProjectsOf } from '#shared/organizations/list-projects-of.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import type { ProjectRecord } from '#shared/resources/project.ts';
import { command, type Row } from './command.ts';
import { optional, organization, project, text, time, yesOrNo } from './options.ts';
import { timeOf } from './rows.ts';

const projectRow = (of: ProjectRecord): Row => ({
  projectId: of.projectId,
  name: of.name,
  defaultBranchName: of.defaultBranchName,
  createdAt: timeOf(of.createdAt),
});

const settingsRow = (of: ProjectRecord): Row => ({
  projectId: of.projectId,
  name: of.name,
  defaultBranchName: of.defaultBranchName,
  inactivityTimeoutSeconds: String(of.inactivityTimeoutSeconds),
  failFast: String(of.failFast),
});

export const PROJECTS = [
  command({
    name: 'projects create',
    does: 'create a project',
    options: {
      organization,
      name: text('<name>', 'what it is called'),
      branch: optional(text('<branch>', 'its default branch, main unless said otherwise')),
    },
    run: async ({ services, actor }, { organization: organizationId, name, branch: defaultBranchName }) => [
      projectRow(await createProject(services, { organizationId, actor, name, defaultBranchName })),
    ],
  }),
  command({
    name: 'projects list',
    does: 'list the projects of an organization, oldest first',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) =>
      (await listProjectsOf(services, { organizationId, actor })).map(projectRow),
  }),
  command({
    name: 'projects settings',
    does: 'show the settings of a project, changed as the options say',
    options: {
      organization,
      project,
      name: optional(text('<name>', 'what it is called')),
      branch: optional(text('<branch>', 'its default branch')),
      'inactivity-timeout': optional(time('how long a run may be silent, from 3m to 12h; a number alone is seconds')),
      'fail-fast': optional(yesOrNo('whether a run ends at its first failure')),
    },
    run: async ({ services, actor }, { organization: organizationId, project: projectId, ...given }) => {
      const settings = {
        name: given.name,
        defaultBranchName: given.branch,
        inactivityTimeoutSeconds: given['inactivity-timeout'],
        failFast: given['fail-fast'],
      };
      const of = { organizationId, projectId, actor };
      const isChange = Object.values(settings).some((setting) => setting !== undefined);
      return [
        settingsRow(
          await (isChange ? changeProjectSettings(services, { ...of, settings }) : readProjectSettings(services, of)),
        ),
      ];
    },
  }),
];
