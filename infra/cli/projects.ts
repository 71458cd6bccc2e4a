/** The commands for projects and their settings. */

import type * as z from 'zod';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deleteProject, restoreProject } from '#shared/organizations/delete-project.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import { Settings } from '#shared/organizations/project-wire.ts';
import { formatRetentionDays, RETENTIONS, type RetentionChange } from '#shared/organizations/retention-inputs.ts';
import { formatSetting, PROJECT_SETTINGS, SETTING_NAMES } from '#shared/organizations/setting-declarations.ts';
import type { Setting } from '#shared/organizations/setting-kinds.ts';
import { type CommandRow, command } from './command.ts';
import {
  booleanOption,
  durationOption,
  labelsOption,
  optional,
  organization,
  project,
  retentionOption,
  textOption,
} from './options.ts';
import { formatTimeCell } from './screen.ts';

const toProjectRow = ({ projectId, name, defaultBranchName, createdAt, deletesAt }: ProjectRecord): CommandRow => ({
  projectId,
  name,
  defaultBranchName,
  createdAt: formatTimeCell(createdAt),
  deletesAt: formatTimeCell(deletesAt),
});

const toSettingsRow = (record: ProjectRecord): CommandRow => ({
  projectId: record.projectId,
  ...Object.fromEntries(SETTING_NAMES.map((name) => [name, formatSetting(record, name)])),
  ...Object.fromEntries(RETENTIONS.map((name) => [name, formatRetentionDays(record.retention, name)])),
});

const OPTION_KINDS: Readonly<Record<Setting<unknown>['kind'], (takes: string, means: string) => z.ZodType>> = {
  line: textOption,
  duration: (_takes, means) => durationOption(means),
  flag: (_takes, means) => booleanOption(means),
  labels: labelsOption,
};

/** The type has no members, because their names are data. The values are found by `option.name` of each setting. */
const SETTING_OPTIONS: object = Object.fromEntries(
  SETTING_NAMES.map((name) => {
    const { kind, option } = PROJECT_SETTINGS[name];
    return [option.name, optional(OPTION_KINDS[kind](option.takes ?? '', option.means))];
  }),
);

const RETENTION = {
  'results-days': optional(retentionOption('retention of runs with their tests and history, 1 to 3650')),
  'evidence-days': optional(retentionOption('retention of steps, output and trace analyses of failed tests')),
  'files-days': optional(retentionOption('retention of traces, screenshots, videos and attachments')),
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
      ...SETTING_OPTIONS,
      ...RETENTION,
    },
    run: async ({ services, actor }, { organization: organizationId, project: projectId, ...options }) => {
      const values = new Map(Object.entries(options));
      const settings = Settings.parse({
        ...Object.fromEntries(SETTING_NAMES.map((name) => [name, values.get(PROJECT_SETTINGS[name].option.name)])),
        retention: toRetentionChange(options),
      });
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
