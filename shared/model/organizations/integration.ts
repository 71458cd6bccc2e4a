/**
 * §5.2 A connection of an organization to an issue tracker. The credential is in Parameter Store. Access patterns: by
 * id; all connections of an organization.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { WithCredential } from '#shared/model/credential.ts';

export const TRACKER_KINDS = ['jira', 'github', 'gitlab', 'linear'] as const;
export type TrackerKind = (typeof TRACKER_KINDS)[number];

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
  /**
   * Why the tracker refused the connection, and when. Scheduled work does not use a refused connection until somebody
   * saves it or tests it successfully.
   */
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
  patterns: [
    {
      question: 'Connections of an organization to issue trackers',
      key: 'pk = INTEGRATIONS#org, sk = INTEGRATION#integration',
    },
  ],
  key: ({ organizationId, integrationId }) => ({
    pk: composed('INTEGRATIONS', organizationId),
    sk: composed('INTEGRATION', integrationId),
  }),
  store: attributesOf,
  load: stored,
};

export const integrationsSpan = ({ organizationId }: Pick<Integration, 'organizationId'>) =>
  beginningWith(composed('INTEGRATIONS', organizationId), prefix('INTEGRATION'));
