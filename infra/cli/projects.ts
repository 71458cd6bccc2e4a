/** Projects and their settings. */

import type { ProjectRecord } from '#shared/model/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
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
      name: text('<name>', 'name of the project'),
      branch: optional(text('<branch>', 'default branch, main by default')),
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
      (await listOrganizationProjects(services, { organizationId, actor })).map(projectRow),
  }),
  command({
    name: 'projects settings',
    does: 'show or change the settings of a project',
    options: {
      organization,
      project,
      name: optional(text('<name>', 'name of the project')),
      branch: optional(text('<branch>', 'default branch')),
      'inactivity-timeout': optional(
        time('time without a report until a run times out, 3m to 12h; seconds by default'),
      ),
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
