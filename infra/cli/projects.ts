/** The commands for projects and their settings. */

import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deleteProject, restoreProject } from '#shared/organizations/delete-project.ts';
import { splitTags } from '#shared/organizations/name-inputs.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import { formatRetentionDays, RETENTIONS, type RetentionChange } from '#shared/organizations/retention-inputs.ts';
import { type CommandRow, command } from './command.ts';
import { days, optional, organization, project, textOption, time, yesOrNo } from './options.ts';
import { formatTimeCell } from './rows.ts';

const toProjectRow = ({ projectId, name, defaultBranchName, createdAt, deletesAt }: ProjectRecord): CommandRow => ({
  projectId,
  name,
  defaultBranchName,
  createdAt: formatTimeCell(createdAt),
  deletesAt: formatTimeCell(deletesAt),
});

const toSettingsRow = (record: ProjectRecord): CommandRow => ({
  projectId: record.projectId,
  name: record.name,
  defaultBranchName: record.defaultBranchName,
  inactivityTimeoutSeconds: record.inactivityTimeoutSeconds,
  failFast: record.failFast,
  tags: (record.tags ?? []).join(', '),
  ...Object.fromEntries(RETENTIONS.map((name) => [name, formatRetentionDays(record.retention, name)])),
});

const RETENTION = {
  'results-days': optional(days('retention of runs with their tests and history, 1 to 3650')),
  'evidence-days': optional(days('retention of steps, output and trace analyses of failed tests')),
  'files-days': optional(days('retention of traces, screenshots, videos and attachments')),
};

function toRetentionChange(
  options: {
    readonly [Name in keyof typeof RETENTION]?: RetentionChange['resultsDays'];
  },
): RetentionChange | undefined {
  const { 'results-days': resultsDays, 'evidence-days': evidenceDays, 'files-days': filesDays } = options;
  const change = { resultsDays, evidenceDays, filesDays };
  return Object.values(change).some((days) => days !== undefined) ? change : undefined;
}

export const PROJECTS = [
  command({
    name: 'projects create',
    does: 'create a project',
    options: {
      organization,
      name: textOption('<name>', 'name of the project'),
      branch: optional(textOption('<branch>', 'default branch, main by default')),
      ...RETENTION,
    },
    run: async (
      { services, actor },
      { organization: organizationId, name, branch: defaultBranchName, ...retentionOptions },
    ) => {
      const retention = toRetentionChange(retentionOptions);
      return [
        toProjectRow(await createProject(services, { organizationId, actor, name, defaultBranchName, retention })),
      ];
    },
  }),
  command({
    name: 'projects list',
    does: 'list the projects of an organization, oldest first',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) =>
      (await listOrganizationProjects(services, { organizationId, actor })).map(toProjectRow),
  }),
  command({
    name: 'projects settings',
    does: 'show or change the settings of a project',
    options: {
      organization,
      project,
      name: optional(textOption('<name>', 'name of the project')),
      branch: optional(textOption('<branch>', 'default branch')),
      'inactivity-timeout': optional(
        time('time without results until a run times out, 3m to 12h; a plain number is seconds'),
      ),
      'fail-fast': optional(yesOrNo('whether the first failed test cancels the run')),
      tags: optional(textOption('<tag>,<tag>', 'labels of the project, which replace all earlier ones')),
      ...RETENTION,
    },
    run: async ({ services, actor }, { organization: organizationId, project: projectId, ...options }) => {
      const settings = {
        name: options.name,
        defaultBranchName: options.branch,
        inactivityTimeoutSeconds: options['inactivity-timeout'],
        failFast: options['fail-fast'],
        tags: options.tags === undefined ? undefined : splitTags(options.tags),
        retention: toRetentionChange(options),
      };
      const request = { organizationId, projectId, actor };
      const isChange = Object.values(settings).some((setting) => setting !== undefined);
      const project = isChange
        ? changeProjectSettings(services, { ...request, settings })
        : readProjectSettings(services, request);
      return [toSettingsRow(await project)];
    },
  }),
  command({
    name: 'projects delete',
    does: 'delete a project: it records no new runs, and its data is removed after 30 days',
    options: { organization, project, name: textOption('<name>', 'name of the project, to confirm') },
    run: async ({ services, actor }, { organization: organizationId, project: projectId, name: typedName }) => [
      toProjectRow(await deleteProject(services, { organizationId, projectId, actor, typedName })),
    ],
    advice: () => '"projects restore" brings the project back until deletesAt.',
  }),
  command({
    name: 'projects restore',
    does: 'restore a deleted project before its data is removed',
    options: { organization, project },
    run: async ({ services, actor }, { organization: organizationId, project: projectId }) => [
      toProjectRow(await restoreProject(services, { organizationId, projectId, actor })),
    ],
  }),
];
