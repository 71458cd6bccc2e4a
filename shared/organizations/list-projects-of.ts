/** All projects of an organization, oldest first. */
import { type ProjectRecord, projects, projectsOfOrganization, projectsSpan } from '../resources/project.ts';
import type { Administration } from '../services.ts';
import { mayLook, type Question } from './rights.ts';

export async function listProjectsOf(services: Administration, question: Question): Promise<ProjectRecord[]> {
  await mayLook(services, question, 'list projects');
  const { table } = services;
  const pointers = await table.queryAll(projectsOfOrganization, projectsSpan(question), { consistent: true });
  const found = await table.getMany(projects, pointers, { consistent: true });
  return found.flatMap((project) => project ?? []);
}
