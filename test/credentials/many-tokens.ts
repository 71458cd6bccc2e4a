/** More organizations and tokens than the verbs could make in the time a test has, put straight into the table. */
import { hashToken } from '#shared/credentials/token.ts';
import { auditRecords, auditSpan } from '#shared/resources/audit-record.ts';
import { allOrganizations, organizations } from '#shared/resources/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/resources/personal-token.ts';
import type { Administration } from '#shared/services.ts';
import { put } from '#shared/table/writes.ts';

/** Made in this order, a millisecond apart. Answers their ids. */
export async function emptyOrganizations({ table, now }: Administration, count: number): Promise<string[]> {
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

/** Their owner is no member: `token-0`, `token-1` ... */
export async function deadTokens({ table, now }: Administration, organizationId: string, count: number): Promise<void> {
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

/** How often it is on record that the clean-up marked a token, by the token. */
export async function recorded(
  { table }: Administration,
  organizationId: string,
): Promise<ReadonlyMap<string, number>> {
  const records = await table.queryAll(auditRecords, auditSpan({ organizationId }), { consistent: true });
  const marked = records.filter(({ actor }) => actor === 'clean-up').map(({ subject }) => subject);
  return new Map(marked.map((tokenId) => [tokenId, marked.filter((one) => one === tokenId).length]));
}

/** Each of so many tokens once. */
export const once = (count: number): ReadonlyMap<string, number> =>
  new Map(Array.from({ length: count }, (_, index) => [`token-${index}`, 1]));
