/** Finds the connections to issue trackers that a project may use. Sends no request to them. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import {
  getIntegrationsSpan,
  type Integration,
  integrations,
  type TrackerKind,
} from '#shared/model/organizations/integration.ts';

export interface AskedIntegration {
  readonly organizationId: string;
  readonly integrationId: string;
  /** The kind that the connection must have. */
  readonly kind?: TrackerKind | undefined;
  /** A project of Rundown that must be allowed to use the connection. */
  readonly projectId?: string | undefined;
}

export const mayUse = ({ projectIds }: Pick<Integration, 'projectIds'>, projectId: string): boolean =>
  projectIds?.includes(projectId) ?? true;

/** Throws 404 for a connection that does not exist, that the project may not use, or that has another kind. */
export async function findIntegration(
  { table }: WithTable,
  { projectId, kind, ...key }: AskedIntegration,
): Promise<Integration> {
  const found = await table.get(integrations, key, { consistent: true });
  const isUsable =
    found && (projectId === undefined || mayUse(found, projectId)) && (kind ?? found.kind) === found.kind;
  return isUsable ? found : refuse(notFound('Integration'));
}

/**
 * All connections of the organization, oldest first. The read is strongly consistent, because people open a page with
 * the connections just after they have made or removed one. A form that lacked the new connection would unset it.
 */
export async function listIntegrations(
  { table }: WithTable,
  key: Pick<Integration, 'organizationId'>,
): Promise<Integration[]> {
  const all = await table.queryAll(integrations, getIntegrationsSpan(key), { consistent: true });
  return all.toSorted((one, other) => one.createdAt - other.createdAt);
}

/** The connections that the project may use, oldest first. */
export const connectionsOf = async (services: WithTable, project: ProjectKey): Promise<Integration[]> =>
  (await listIntegrations(services, project)).filter((integration) => mayUse(integration, project.projectId));
