/** The settings of a project itself in a settings file, without its rules, receivers and issue automation. */

import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { formatRetentionDays, RETENTIONS } from '#shared/organizations/retention-inputs.ts';
import {
  getSetting,
  parseSettings,
  SETTING_NAMES,
  type SettingName,
  type Settings,
  type SettingsChange,
} from '#shared/organizations/setting-declarations.ts';
import type { FileSection, GivenProject } from './document.ts';
import { expectUnchanged } from './expect-unchanged.ts';
import { type Fields, isEmpty, type Json, listFieldChanges, pickDifferences } from './fields.ts';
import { matchRows } from './match-rows.ts';
import type { Change } from './plan.ts';

/** In the order of the file: first what tells projects apart. */
const NAMES: readonly SettingName[] = [...new Set<SettingName>(['name', 'tags', ...SETTING_NAMES])];

export const toProjectFields = (project: Partial<Settings>): Fields => ({
  ...Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = getSetting(project, name);
      return value === undefined ? [] : [[name, value]];
    }),
  ),
  ...Object.fromEntries(RETENTIONS.map((name) => [`retention.${name}`, toRetentionDays(project.retention, name)])),
});

function toRetentionDays(...args: Parameters<typeof formatRetentionDays>): Json {
  const days = formatRetentionDays(...args);
  return days === 'forever' || days === 'default' ? days : Number(days);
}

/** The settings in an entry of the file, under the names that `toProjectFields` uses. */
const toGivenFields = ({ retention, ...settings }: GivenProject): Readonly<Record<string, Json | undefined>> => ({
  ...Object.fromEntries(NAMES.map((name) => [name, settings[name]])),
  ...Object.fromEntries(RETENTIONS.map((name) => [`retention.${name}`, retention?.[name]])),
});

function toSettingsChange(givenProject: GivenProject, different: Fields): SettingsChange {
  const namedSettings = Object.fromEntries(
    NAMES.flatMap((name) => (name in different ? [[name, givenProject[name]]] : [])),
  );
  const differs = RETENTIONS.some((name) => `retention.${name}` in different);
  // The three retentions depend on each other, so they are checked and changed together.
  const days = Object.fromEntries(
    RETENTIONS.map((name) => {
      const retentionDays = givenProject.retention?.[name];
      return [name, retentionDays === 'forever' ? null : retentionDays];
    }),
  );
  return { ...namedSettings, ...(differs ? { retention: days } : {}) };
}

/** Adds a problem for an entry that names a deleted project. */
export function matchProjects(
  all: readonly ProjectRecord[],
  section: FileSection<readonly GivenProject[]>,
): (ProjectRecord | undefined)[] {
  const matches = matchRows(all, section, {
    kind: 'project',
    idOf: ({ projectId }) => projectId,
    nameOf: ({ name }) => name?.trim(),
    fits: [
      (project, { name }) => project.deletesAt === undefined && project.name === name?.trim(),
      (project, { name }) => project.name === name?.trim(),
    ],
  });
  for (const [index, project] of matches.entries()) {
    if (project?.deletesAt === undefined) continue;
    const restore = `npm run admin -- projects restore --organization <id> --project ${project.projectId}`;
    const problem = `The project was deleted. Restore it with "${restore}", or remove it from the file`;
    section.problems.add([...section.path, index], problem);
  }
  return matches;
}

export function planProject(
  project: ProjectRecord | undefined,
  { given, path, problems }: FileSection<GivenProject>,
): Change[] {
  const currentFields = project ? toProjectFields(project) : {};
  const requestedFields = toGivenFields(given);
  const settings = toSettingsChange(given, pickDifferences(requestedFields, currentFields));
  const before = project ?? { retention: {} };
  // Settings are checked one by one, so that each problem is shown with its own line.
  const results = Object.entries(settings).map(([name, value]) =>
    problems.check([...path, name], () => parseSettings({ [name]: value }, before)),
  );
  const checkedSettings: Partial<Settings> = Object.assign({}, ...results);
  if (project) {
    const changedFields = pickDifferences(toProjectFields({ ...project, ...checkedSettings }), currentFields);
    if (isEmpty(changedFields)) return [];
    const names = [...SETTING_NAMES, 'retention' as const].filter((name) => name in checkedSettings);
    return [
      {
        verb: 'change',
        kind: 'project',
        name: project.name,
        id: project.projectId,
        fields: listFieldChanges(changedFields, currentFields),
        run: (services, target) =>
          changeProjectSettings(services, { ...target, expects: expectUnchanged(projects, project, names), settings }),
      },
    ];
  }
  const { name } = checkedSettings;
  if (name === undefined) {
    if (given.id === undefined) problems.add(path, 'Give the project an id, or the name of a new project');
    return [];
  }
  return [
    {
      verb: 'create',
      kind: 'project',
      name,
      fields: listFieldChanges(toProjectFields({ retention: {}, ...checkedSettings })).filter(
        (field) => requestedFields[field.name] !== undefined,
      ),
      run: async (services, { organizationId, actor }, onCreated) => {
        const { projectId } = await createProject(services, { organizationId, actor, ...settings, name });
        onCreated({ what: 'project', projectId });
      },
    },
  ];
}
