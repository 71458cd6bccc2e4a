/**
 * How much news there is for the Admins of an organization, and how much of it each of them has seen. The news itself
 * are audit records. One row, so that each page needs one read unit to show what is new.
 */
import type { Attributes, Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';

interface OfOrganization {
  readonly organizationId: string;
}

export interface AdminNews extends OfOrganization {
  /** The number of audit records that were news. It only grows. */
  readonly total: number;
  /** By account id: the total when the person last looked. */
  readonly seen: Readonly<Record<string, number>>;
}

/** Each account has an attribute of its own, because an update needs no map that exists already. */
const SEEN = 'seen ';
export const nameSeenAttribute = (accountId: string): string => `${SEEN}${accountId}`;

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

export const adminNews: Entity<OfOrganization, AdminNews> = {
  type: 'news for Admins',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'How much is new for an Admin' }],
  key: ({ organizationId }) => ({ pk: composeKey('NEWS', organizationId), sk: 'NEWS' }),
  store: ({ organizationId, total, seen }): Attributes => ({
    organizationId,
    total,
    ...Object.fromEntries(Object.entries(seen).map(([accountId, count]) => [nameSeenAttribute(accountId), count])),
  }),
  load: (row) => ({
    organizationId: String(row['organizationId']),
    total: toNumber(row['total']),
    seen: Object.fromEntries(
      Object.entries(row).flatMap(([name, count]) =>
        name.startsWith(SEEN) ? [[name.slice(SEEN.length), toNumber(count)] as const] : [],
      ),
    ),
  }),
};
