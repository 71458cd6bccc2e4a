/** The settings of a project itself in a settings file, without its rules, receivers and issue automation. */
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { changeProjectSettings, parseSettings, type SettingsChange } from '#shared/organizations/project-settings.ts';
import { formatRetentionDays, RETENTIONS } from '#shared/organizations/retention-inputs.ts';
import type { GivenProject, Placed } from './document.ts';
import { type Change, differing, type Fields, fieldChanges, isEmpty, type Json, matched, unchanged } from './plan.ts';

const NAMES = ['name', 'tags', 'defaultBranchName', 'inactivityTimeoutSeconds', 'failFast'] as const;

type Settings = Pick<ProjectRecord, (typeof NAMES)[number] | 'retention'>;

export const projectFields = (project: Settings): Fields => ({
  name: project.name,
  tags: [...(project.tags ?? [])],
  defaultBranchName: project.defaultBranchName,
  inactivityTimeoutSeconds: project.inactivityTimeoutSeconds,
  failFast: project.failFast,
  ...Object.fromEntries(RETENTIONS.map((name) => [`retention.${name}`, daysIn(project.retention, name)])),
});

/** A retention as a number of days, `forever` or `default`. */
function daysIn(...of: Parameters<typeof formatRetentionDays>): Json {
  const shown = formatRetentionDays(...of);
  return shown === 'forever' || shown === 'default' ? shown : Number(shown);
}

/** The settings in an entry of the file, under the names that `projectFields` uses. */
const givenFields = ({ retention, ...given }: GivenProject): Readonly<Record<string, Json | undefined>> => ({
  ...Object.fromEntries(NAMES.map((name) => [name, given[name]])),
  ...Object.fromEntries(RETENTIONS.map((name) => [`retention.${name}`, retention?.[name]])),
});

/** The change that an entry asks for, with only those settings that differ from the current ones. */
function changeIn(given: GivenProject, different: Fields): SettingsChange {
  const named = Object.fromEntries(NAMES.flatMap((name) => (name in different ? [[name, given[name]]] : [])));
  const differs = RETENTIONS.some((name) => `retention.${name}` in different);
  // The three retentions depend on each other, so they are checked and changed together.
  const days = Object.fromEntries(
    RETENTIONS.map((name) => {
      const wanted = given.retention?.[name];
      return [name, wanted === 'forever' ? null : wanted];
    }),
  );
  return { ...named, ...(differs ? { retention: days } : {}) };
}

/**
 * The project of each entry, or `undefined` if there is none. Adds a problem for an entry that names a deleted project.
 */
export function projectsOf(
  all: readonly ProjectRecord[],
  placed: Placed<readonly GivenProject[]>,
): (ProjectRecord | undefined)[] {
  const found = matched(all, placed, {
    kind: 'project',
    idOf: ({ projectId }) => projectId,
    nameOf: ({ name }) => name?.trim(),
    fits: [
      (project, { name }) => project.deletesAt === undefined && project.name === name?.trim(),
      (project, { name }) => project.name === name?.trim(),
    ],
  });
  for (const [index, project] of found.entries()) {
    if (project?.deletesAt === undefined) continue;
    const restore = `npm run admin -- projects restore --organization <id> --project ${project.projectId}`;
    const problem = `The project was deleted. Restore it with "${restore}", or remove it from the file`;
    placed.problems.add([...placed.path, index], problem);
  }
  return found;
}

const NEW = { name: '', defaultBranchName: '', inactivityTimeoutSeconds: 0, failFast: false, retention: {} };

export function planProject(
  project: ProjectRecord | undefined,
  { given, path, problems }: Placed<GivenProject>,
): Change[] {
  const current = project ? projectFields(project) : {};
  const asked = givenFields(given);
  const settings = changeIn(given, differing(asked, current));
  const before = project ?? { retention: {} };
  // Settings are checked one by one, so that each problem is shown with its own line.
  const results = Object.entries(settings).map(([name, value]) =>
    problems.checked([...path, name], () => parseSettings({ [name]: value }, before)),
  );
  const checked: Partial<Settings> = Object.assign({}, ...results);
  if (project) {
    const wanted = differing(projectFields({ ...project, ...checked }), current);
    if (isEmpty(wanted)) return [];
    const names = [...NAMES, 'retention' as const].filter((name) => name in checked);
    return [
      {
        verb: 'change',
        kind: 'project',
        name: project.name,
        id: project.projectId,
        fields: fieldChanges(wanted, current),
        run: (services, target) =>
          changeProjectSettings(services, { ...target, expects: unchanged(projects, project, names), settings }),
      },
    ];
  }
  const { name } = checked;
  if (name === undefined) {
    if (given.id === undefined) problems.add(path, 'Give the project an id, or the name of a new project');
    return [];
  }
  return [
    {
      verb: 'create',
      kind: 'project',
      name,
      fields: fieldChanges(projectFields({ ...NEW, ...checked })).filter((field) => asked[field.name] !== undefined),
      run: async (services, { organizationId, actor }, created) => {
        const { projectId } = await createProject(services, { organizationId, actor, ...settings, name });
        created({ what: 'project', projectId });
      },
    },
  ];
}
