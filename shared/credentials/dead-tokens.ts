/**
 * §5.2 Marks dead the tokens that ended with their owner's membership or their organization. Each was refused from that
 * moment on; the mark makes it final, and visible in the list. A token whose owner lost the Admin role, or whose last
 * day has passed, is not marked: the list goes on showing it as it is.
 *
 * What is dead once stays dead: no organization is activated again, and who rejoins begins a membership later than any
 * token of theirs. So nothing that happens after a token was found dead can bring it back before it is marked.
 */
import { mapConcurrently } from '../concurrently.ts';
import { LIMITS } from '../limits.ts';
import { optimistically } from '../optimistic.ts';
import { auditOf, CLEAN_UP } from '../organizations/audit.ts';
import { type Membership, memberships } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import {
  type PersonalToken,
  personalTokens,
  tokensOfOrganization,
  tokensSpan,
  UNREVOKED,
} from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';
import { update } from '../table/writes.ts';

interface Of {
  readonly organizationId: string;
}

/** All of one organization. Answers how many it marked; a repeated call marks none. */
export async function revokeDeadTokens(services: Administration, of: Of): Promise<number> {
  let total = 0;
  for await (const { revoked } of revokeDeadTokensByPage(services, of)) total += revoked;
  return total;
}

interface Page {
  readonly tokens: number;
  readonly revoked: number;
  readonly isLast: boolean;
}

/** The same page by page, for who may have to stop in between. */
export async function* revokeDeadTokensByPage(services: Administration, of: Of): AsyncGenerator<Page, void> {
  let after: string | undefined;
  do {
    const options = { limit: LIMITS.cleanUpPage, consistent: true, ...(after === undefined ? {} : { after }) };
    const { rows, lastRead } = await services.table.query(tokensOfOrganization, tokensSpan(of), options);
    const pointers = rows.map(({ item }) => item);
    const marked = await mapConcurrently(await deadAmong(services, of, pointers), (dead) => markDead(services, dead));
    after = lastRead;
    yield { tokens: rows.length, revoked: marked.filter(Boolean).length, isLast: after === undefined };
  } while (after !== undefined);
}

interface DeadToken {
  readonly token: PersonalToken;
  readonly why: string;
}

/** Memberships are read after the tokens: one read before would not know of an owner who rejoined and made the token since. */
async function deadAmong(
  { table }: Administration,
  of: Of,
  pointers: readonly Pick<PersonalToken, 'hash'>[],
): Promise<DeadToken[]> {
  const found = await table.getMany(personalTokens, pointers, { consistent: true });
  const tokens = found.flatMap((token) => (token && token.revokedAt === undefined ? [token] : []));
  if (tokens.length === 0) return [];
  const [organization, owners] = await Promise.all([
    table.get(organizations, of, { consistent: true }),
    table.getMany(memberships, tokens, { consistent: true }),
  ]);
  return tokens.flatMap((token, index) => {
    const why = causeOfDeath(token, organization, owners[index]);
    return why === undefined ? [] : [{ token, why }];
  });
}

function causeOfDeath(
  { createdAt }: PersonalToken,
  organization: Organization | undefined,
  membership: Membership | undefined,
): string | undefined {
  if (organization?.deactivatedAt !== undefined) return 'its organization was deactivated';
  if (membership === undefined) return 'its owner is no longer a member';
  return membership.startedAt > createdAt ? 'its owner rejoined after it was made' : undefined;
}

/** False when somebody else did it first: then there is a record of it, too. */
async function markDead(services: Administration, { token, why }: DeadToken): Promise<boolean> {
  const { table, now } = services;
  const { organizationId, tokenId, name } = token;
  let marked = false;
  await optimistically('token', async () => {
    const detail = `${name}: ${why}`;
    marked = await table.transact([
      update(personalTokens, token, { set: [['revokedAt', now()]] }, UNREVOKED),
      auditOf(services, { organizationId, actor: CLEAN_UP, action: 'token revoked', subject: tokenId, detail }),
    ]);
    if (marked) return true;
    // Either it is marked already, or another transaction was in the way.
    const current = await table.get(personalTokens, token, { consistent: true });
    return current?.revokedAt !== undefined || current === undefined;
  });
  return marked;
}
