/** The connections to issue trackers that the project of a page may use. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { listIntegrations, mayUse } from '#shared/issues/find-integration.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** `hasOtherConnections`: whether the organization has connections that this project may not use. */
export async function listUsableConnections(
  services: WithTable,
  { organizationId, projectId }: Pick<ProjectVisit, 'organizationId' | 'projectId'>,
): Promise<{ readonly connections: readonly Integration[]; readonly hasOtherConnections: boolean }> {
  const all = await listIntegrations(services, { organizationId });
  const connections = all.filter((one) => mayUse(one, projectId));
  return { connections, hasOtherConnections: connections.length < all.length };
}
