/** Writes many organizations and tokens directly, because the product's functions would take too long. */
import { hashToken } from '#shared/access/token.ts';
import { put } from '#shared/engine/table/writes.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import type { CoreServices } from '#shared/services.ts';

/** Creates organizations a millisecond apart. Returns their ids in order. */
export async function emptyOrganizations({ table, now }: CoreServices, count: number): Promise<string[]> {
  const empty = Array.from({ length: count }, (_, index) => ({
    organizationId: `organization-${index}`,
    name: `Organization ${index}`,
    createdAt: now() + index,
    admins: 0,
    cursorSecret: new Uint8Array(32),
  }));
  await table.writeMany(empty.flatMap((one) => [put(organizations, one), put(allOrganizations, one)]));
  return empty.map(({ organizationId }) => organizationId);
}

/** Creates `token-0`, `token-1` and so on. Their owner is not a member. */
export async function deadTokens({ table, now }: CoreServices, organizationId: string, count: number): Promise<void> {
  const tokens = Array.from({ length: count }, (_, index) => ({
    organizationId,
    accountId: 'gone',
    tokenId: `token-${index}`,
    name: `token ${index}`,
    description: null,
    permissions: [],
    hash: hashToken(crypto.randomUUID()),
    lastFour: 'abcd',
    createdAt: now(),
    validUntil: now() + 1000,
  }));
  await table.writeMany(tokens.flatMap((one) => [put(personalTokens, one), put(tokensOfOrganization, one)]));
}

/** The number of audit records that the clean-up wrote, by token. */
export async function recorded({ table }: CoreServices, organizationId: string): Promise<ReadonlyMap<string, number>> {
  const records = await table.queryAll(auditRecords, getAuditSpan({ organizationId }), { consistent: true });
  const marked = records.filter(({ actor }) => actor === 'clean-up').map(({ subject }) => subject);
  return new Map(marked.map((tokenId) => [tokenId, marked.filter((one) => one === tokenId).length]));
}

/** The result of `recorded` if each of `token-0`, `token-1` and so on has exactly one audit record. */
export const once = (count: number): ReadonlyMap<string, number> =>
  new Map(Array.from({ length: count }, (_, index) => [`token-${index}`, 1]));
