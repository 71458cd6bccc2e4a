/** §5.2 A connection of an organization to an issue tracker. The credential is in Parameter Store. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { WithCredential } from '#shared/model/credential.ts';
import type { TrackerKind } from './tracker-kind.ts';

export interface Integration extends WithCredential {
  readonly integrationId: string;
  readonly kind: TrackerKind;
  /** The name of the connection, such as `Jira of the shop team`. */
  readonly name: string;
  /** The URL of the tracker's API, or of the Jira site. Has no slash at the end. */
  readonly apiUrl: string;
  /** The email address of the account that owns the API token. Only connections to Jira Cloud have one. */
  readonly account?: string;
  /** The ids of the Rundown projects that may use the connection. If absent, all projects of the organization may. */
  readonly projectIds?: readonly string[];
  /** In epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Set when the tracker refuses. Scheduled work then waits until somebody saves or tests the connection. */
  readonly refused?: { readonly at: number; readonly problem: string };
  /** Scheduled work sends nothing to the tracker until this time, in epoch milliseconds. */
  readonly pausedUntil?: number;
  /** The number of consecutive failures of scheduled work. */
  readonly failures?: number;
}

export const integrations: Entity<Pick<Integration, 'organizationId' | 'integrationId'>, Integration> = {
  type: 'integration',
  guarded: false,
  gives: 'results',
  removal: 'apart',
  patterns: [{ question: 'Connections of an organization to issue trackers' }],
  key: ({ organizationId, integrationId }) => ({
    pk: composeKey('INTEGRATIONS', organizationId),
    sk: composeKey('INTEGRATION', integrationId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getIntegrationsSpan = ({ organizationId }: Pick<Integration, 'organizationId'>) =>
  getPrefixSpan(composeKey('INTEGRATIONS', organizationId), composePrefix('INTEGRATION'));
