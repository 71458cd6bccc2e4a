/** Makes the changes of a plan, one after the other. Each change may consist of several audited steps. */
import type { Actor } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { type CreatedObject, formatSubject, type Tools } from './plan.ts';
import type { PlannedPart } from './plan-settings.ts';

export interface CreatedSecret {
  readonly project: string;
  readonly webhook: string;
  readonly secret: string;
}

/** Stops at the first change that fails. The changes before it stay, and a new plan contains the rest. */
export async function applyPlan(
  tools: Tools,
  { organizationId, actor, parts }: { organizationId: string; actor: Actor; parts: readonly PlannedPart[] },
  { onDone, onSecret }: { readonly onDone: () => void; readonly onSecret: (secret: CreatedSecret) => void },
): Promise<void> {
  for (const part of parts) {
    let projectId = part.project?.projectId ?? '';
    for (const change of part.changes) {
      const onCreated = (createdObject: CreatedObject) => {
        if (createdObject.what === 'project') projectId = createdObject.projectId;
        else onSecret({ project: part.project?.name ?? '', webhook: change.name, secret: createdObject.secret });
      };
      try {
        await change.run(tools, { organizationId, projectId, actor }, onCreated);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        throw new ApiError(
          error.statusCode,
          `Stopped at the ${formatSubject(change)}: ${error.message}`,
          error.details,
        );
      }
      onDone();
    }
  }
}
