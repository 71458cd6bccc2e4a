/** §3 The settings of a project, and their change. */
import { invalidRequest, notFound } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type ProjectRecord, projects } from '../resources/project.ts';
import type { Administration } from '../services.ts';
import { update } from '../table/writes.ts';
import { change } from './change.ts';
import { branchFrom, nameFrom } from './names.ts';
import { mayLook, type Question } from './rights.ts';

type Settings = Pick<ProjectRecord, 'name' | 'inactivityTimeoutSeconds' | 'failFast' | 'defaultBranchName'>;
/** Those that shall change. */
export type SettingsChange = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

interface Of extends Question {
  readonly projectId: string;
}

export async function readProjectSettings(services: Administration, of: Of): Promise<ProjectRecord> {
  await mayLook(services, of, 'read project settings');
  return projectOf(services, of);
}

/** The project as it is then. */
export function changeProjectSettings(
  services: Administration,
  of: Of & { readonly settings: SettingsChange },
): Promise<ProjectRecord> {
  return change(services, { ...of, right: 'change project settings' }, async () => {
    const project = await projectOf(services, of);
    const wanted = { ...project, ...settingsFrom(of.settings) };
    const changed = SETTINGS.filter((name) => wanted[name] !== project[name]);
    if (changed.length === 0) return { result: project };
    const writes = [
      update(
        projects,
        project,
        { set: changed.map((name) => [name, wanted[name]]) },
        { all: changed.map((name) => ({ path: name, equals: project[name] })) },
      ),
    ];
    const detail = changed.map((name) => `${name}: ${project[name]} to ${wanted[name]}`).join('; ');
    return { result: wanted, writes, record: { action: 'project changed', subject: project.projectId, detail } };
  });
}

const SETTINGS = ['name', 'inactivityTimeoutSeconds', 'failFast', 'defaultBranchName'] as const;

function settingsFrom(given: SettingsChange): Partial<Settings> {
  const { name, inactivityTimeoutSeconds, failFast, defaultBranchName } = given;
  return {
    ...(name === undefined ? {} : { name: nameFrom('The name of a project', name) }),
    ...(inactivityTimeoutSeconds === undefined
      ? {}
      : { inactivityTimeoutSeconds: timeoutFrom(inactivityTimeoutSeconds) }),
    ...(failFast === undefined ? {} : { failFast }),
    ...(defaultBranchName === undefined ? {} : { defaultBranchName: branchFrom(defaultBranchName) }),
  };
}

function timeoutFrom(seconds: number): number {
  const { minimum, maximum } = LIMITS.inactivityTimeoutSeconds;
  if (Number.isInteger(seconds) && seconds >= minimum && seconds <= maximum) return seconds;
  throw invalidRequest(`The inactivity time-out is ${minimum} to ${maximum} whole seconds (3 minutes to 12 hours)`);
}

async function projectOf({ table }: Administration, of: Of): Promise<ProjectRecord> {
  const project = await table.get(projects, of, { consistent: true });
  if (!project) throw notFound('Project');
  return project;
}
