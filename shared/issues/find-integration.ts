/** Finds the connections to issue trackers that a project may use. Sends no request to them. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getIntegrationsSpan, type Integration, integrations } from '#shared/model/issues/integration.ts';
import type { TrackerKind } from '#shared/model/issues/tracker-kind.ts';

export interface IntegrationQuery {
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
  { projectId, kind, ...key }: IntegrationQuery,
): Promise<Integration> {
  const integration = await table.get(integrations, key, { consistent: true });
  const isUsable =
    integration &&
    (projectId === undefined || mayUse(integration, projectId)) &&
    (kind ?? integration.kind) === integration.kind;
  return isUsable ? integration : refuse(notFound('Integration'));
}

/** Oldest first. Strongly consistent, because a form that lacked a connection just made would unset it. */
export async function listIntegrations(
  { table }: WithTable,
  key: Pick<Integration, 'organizationId'>,
): Promise<Integration[]> {
  const all = await table.queryAll(integrations, getIntegrationsSpan(key), { consistent: true });
  return all.toSorted((one, other) => one.createdAt - other.createdAt);
}
