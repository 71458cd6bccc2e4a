/**
 * §5.1 What Admins are told without looking for it: audit records of these kinds. A new kind of change, such as one of
 * how people sign in, needs a row in `NEWS` and nothing else.
 */
import type { AuditName } from '#shared/access/actions.ts';
import type { Table, WithTable } from '#shared/engine/table/table.ts';
import { update, type Write } from '#shared/engine/table/writes.ts';
import { type AdminNews, adminNews, nameSeenAttribute } from '#shared/model/organizations/admin-news.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import type { CoreServices } from '#shared/services.ts';
import { searchAudit } from './read-audit.ts';
import type { OrganizationRequest } from './standing.ts';

const NEWS: ReadonlySet<string> = new Set<AuditName>([
  'API key created',
  'API key deleted',
  'webhook failed',
  'notification failed',
  'integration failed',
  'person erased',
  'sign-in settings changed',
  'SCIM token created',
  'SCIM token revoked',
  'company sign-in connected',
  'company sign-in changed',
  'company sign-in disconnected',
]);

const isNews = ({ action }: Pick<AuditRecord, 'action'>): boolean => NEWS.has(action);

/** Goes into the transaction that writes the audit records. */
export function countNews(records: readonly Pick<AuditRecord, 'organizationId' | 'action'>[]): Write[] {
  const byOrganization = Map.groupBy(records.filter(isNews), ({ organizationId }) => organizationId);
  return [...byOrganization].map(([organizationId, news]) =>
    update(adminNews, { organizationId }, { set: [['organizationId', organizationId]], add: [['total', news.length]] }),
  );
}

/** How much news there has ever been, and how much of it a person has not seen. */
export interface NewsCount {
  readonly total: number;
  readonly unseen: number;
}

export const NO_NEWS: NewsCount = { total: 0, unseen: 0 };

export const countUnseen = ({ total, seen }: AdminNews, accountId: string): NewsCount => ({
  total,
  unseen: Math.max(0, total - (seen[accountId] ?? 0)),
});

export interface News {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Where the next page starts, if there may be older news. */
  readonly next: string | undefined;
}

/** A page of news. Most audit records are none. */
export const readNews = (
  services: CoreServices,
  request: OrganizationRequest & { readonly limit: number; readonly startingAfter?: string | undefined },
): Promise<News> => searchAudit(services, { ...request, select: (records) => records.filter(isNews) });

/** Only what the person has been shown counts as seen: news that arrive meanwhile stay new. */
export async function markNewsSeen(
  { table }: WithTable,
  { organizationId, accountId, total }: Pick<AdminNews, 'organizationId' | 'total'> & { readonly accountId: string },
): Promise<void> {
  const changes = { set: [[nameSeenAttribute(accountId), total]] } as const satisfies Parameters<Table['update']>[2];
  await table.update(adminNews, { organizationId }, changes, { present: 'pk' });
}
