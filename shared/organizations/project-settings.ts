/** §3 Reads and changes the settings of a project. */
import { isDeepStrictEqual } from 'node:util';
import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { findProject, findProjectInUse } from '#shared/find-project.ts';
import { Project, type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { describeRetentionChange } from './retention-inputs.ts';
import {
  formatSetting,
  parseSettings,
  SETTING_NAMES,
  type Settings,
  type SettingsChange,
} from './setting-declarations.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

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
    const changedNames = NAMES.filter((name) => !isDeepStrictEqual(changedProject[name], project[name]));
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

/** In the order of an answer of the API. */
const NAMES = [...SETTING_NAMES, 'retention' as const].toSorted(
  (one, other) => findPosition(one) - findPosition(other),
);

function findPosition(name: string): number {
  return Object.keys(Project.shape).indexOf(name);
}

const describeChange = (name: keyof Settings, from: Settings, to: Settings): string =>
  name === 'retention'
    ? describeRetentionChange(from.retention, to.retention)
    : `${name}: ${formatSetting(from, name) || 'none'} to ${formatSetting(to, name) || 'none'}`;
