/** §3 Reads and changes the settings of a project. */
import { isDeepStrictEqual } from 'node:util';
import { invalidRequest } from '#shared/engine/errors.ts';
import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { findProject, findProjectInUse } from '#shared/find-project.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { parseBranch, parseName, parseProjectTags } from './name-inputs.ts';
import { applyRetentionChange, describeRetentionChange, type RetentionChange } from './retention-inputs.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

type Settings = Pick<
  ProjectRecord,
  'name' | 'inactivityTimeoutSeconds' | 'failFast' | 'defaultBranchName' | 'retention' | 'tags'
>;
export type SettingsChange = { readonly [Name in keyof Omit<Settings, 'retention'>]?: Settings[Name] | undefined } & {
  readonly retention?: RetentionChange | undefined;
};

export interface ProjectRequest extends OrganizationRequest {
  readonly projectId: string;
}

export async function readProjectSettings(services: CoreServices, request: ProjectRequest): Promise<ProjectRecord> {
  await authorizeRead(services, request, 'projects:read');
  return findProject(services, request, { consistent: true });
}

/** Returns the changed project. `settings` may be a function of the current project. */
export function changeProjectSettings(
  services: CoreServices,
  request: ProjectRequest & { readonly settings: SettingsChange | ((now: ProjectRecord) => SettingsChange) },
): Promise<ProjectRecord> {
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const project = await findProjectInUse(services, request);
    const change = typeof request.settings === 'function' ? request.settings(project) : request.settings;
    const changedProject = { ...project, ...parseSettings(change, project) };
    const changedNames = SETTINGS.filter((name) => !isDeepStrictEqual(changedProject[name], project[name]));
    if (changedNames.length === 0) return { result: project };
    const writes = [
      update(
        projects,
        project,
        { set: toAssignments(Object.fromEntries(changedNames.map((name) => [name, changedProject[name]]))) },
        expectSameValues(project, ...changedNames),
      ),
    ];
    const detail = changedNames.map((name) => describeChange(name, project, changedProject)).join('; ');
    return {
      result: changedProject,
      writes,
      inProject: project,
      record: { action: 'project changed', subject: project.projectId, label: project.name, detail },
    };
  });
}

const SETTINGS = ['name', 'inactivityTimeoutSeconds', 'failFast', 'defaultBranchName', 'retention', 'tags'] as const;

function describeChange(name: keyof Settings, from: Settings, to: Settings): string {
  if (name === 'retention') return describeRetentionChange(from.retention, to.retention);
  return name === 'tags' ? `tags: ${formatTags(from)} to ${formatTags(to)}` : `${name}: ${from[name]} to ${to[name]}`;
}

const formatTags = ({ tags = [] }: Pick<Settings, 'tags'>): string => (tags.length === 0 ? 'none' : tags.join(', '));

/** For a project with the settings `before`. Throws 400 if a setting is invalid. */
export function parseSettings(change: SettingsChange, before: Pick<Settings, 'retention' | 'tags'>): Partial<Settings> {
  const { name, inactivityTimeoutSeconds, failFast, defaultBranchName, retention, tags } = change;
  return {
    ...(name === undefined ? {} : { name: parseName('The name of a project', name) }),
    ...(inactivityTimeoutSeconds === undefined
      ? {}
      : { inactivityTimeoutSeconds: parseTimeout(inactivityTimeoutSeconds) }),
    ...(failFast === undefined ? {} : { failFast }),
    ...(defaultBranchName === undefined ? {} : { defaultBranchName: parseBranch(defaultBranchName) }),
    ...(retention === undefined ? {} : { retention: applyRetentionChange(before.retention, retention) }),
    ...(tags === undefined || isDeepStrictEqual(tags, before.tags ?? []) ? {} : { tags: parseProjectTags(tags) }),
  };
}

function parseTimeout(seconds: number): number {
  const { minimum, maximum } = ORGANIZATION_LIMITS.inactivityTimeoutSeconds;
  if (Number.isInteger(seconds) && seconds >= minimum && seconds <= maximum) return seconds;
  throw invalidRequest(
    `The inactivity timeout must be ${minimum} to ${maximum} whole seconds (3 minutes to 12 hours)`,
    ['inactivityTimeoutSeconds'],
  );
}
