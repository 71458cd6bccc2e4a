/** A run belongs to one project. In the address of another project it does not exist. */
import { notFound } from '#shared/engine/errors.ts';

export function runOfProject(run: { readonly projectId: string }, { projectId }: { readonly projectId: string }): void {
  if (run.projectId !== projectId) throw notFound('Run');
}
