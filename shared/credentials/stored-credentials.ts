/** §5.1, §5.2 A stored credential by the hash of its value, with the rows that its standing depends on, all read anew every time. */
import { LIMITS } from '../limits.ts';
import { type ApiKey, apiKeys } from '../resources/api-key.ts';
import { type Membership, memberships } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import { type PersonalToken, personalTokens } from '../resources/personal-token.ts';
import { type Found, type Lookup, lookup } from '../table/found.ts';
import type { Table } from '../table/table.ts';
import { sameHash } from './token.ts';

interface Owner {
  readonly organizationId: string;
  readonly accountId: string;
}

/** Ids of nothing, read where there is no credential that would name others. */
const NOBODY: Owner = { organizationId: '-', accountId: '-' };

interface Standing<Credential> {
  readonly credential: Credential | undefined;
  readonly organization: Organization | undefined;
}

interface Question<Credential> {
  readonly hash: string;
  readonly credential: Lookup<Credential>;
  readonly ownerOf: (credential: Credential) => Owner;
  readonly rowsOf: (owner: Owner) => readonly Lookup<unknown>[];
}

/**
 * Remembers whose a value is, which never changes, valid or not: the next request with it reads all rows in one trip.
 * The first one learns the owner in a trip of its own.
 */
export class StoredCredentials {
  readonly #owners = new Map<string, Owner>();

  async apiKey(table: Table, hash: string): Promise<Standing<ApiKey>> {
    const { credential, owner, found } = await this.#read(table, {
      hash,
      credential: lookup(apiKeys, { hash }),
      ownerOf: ({ organizationId }) => ({ ...NOBODY, organizationId }),
      rowsOf: (of) => [lookup(organizations, of)],
    });
    return { credential, organization: found.of(lookup(organizations, owner)) };
  }

  async personalToken(
    table: Table,
    hash: string,
  ): Promise<Standing<PersonalToken> & { readonly membership: Membership | undefined }> {
    const { credential, owner, found } = await this.#read(table, {
      hash,
      credential: lookup(personalTokens, { hash }),
      ownerOf: ({ organizationId, accountId }) => ({ organizationId, accountId }),
      rowsOf: (of) => [lookup(organizations, of), lookup(memberships, of)],
    });
    const organization = found.of(lookup(organizations, owner));
    return { credential, organization, membership: found.of(lookup(memberships, owner)) };
  }

  async #read<Credential extends { readonly hash: string }>(table: Table, question: Question<Credential>) {
    const { hash, rowsOf } = question;
    const remembered = this.#owners.get(hash);
    if (remembered) {
      const found = await together(table, [question.credential, ...rowsOf(remembered)]);
      const { credential, owner } = answerTo(question, found);
      if (isSame(owner, remembered)) return { credential, owner, found };
    }
    const { credential, owner } = answerTo(question, await together(table, [question.credential]));
    this.#remember(hash, owner);
    return { credential, owner, found: await together(table, rowsOf(owner)) };
  }

  #remember(hash: string, owner: Owner): void {
    if (this.#owners.size >= LIMITS.rememberedOwners) this.#owners.clear();
    this.#owners.set(hash, owner);
  }
}

function answerTo<Credential extends { readonly hash: string }>(question: Question<Credential>, found: Found) {
  const stored = found.of(question.credential);
  const credential = stored && sameHash(stored.hash, question.hash) ? stored : undefined;
  return { credential, owner: credential ? question.ownerOf(credential) : NOBODY };
}

const together = (table: Table, rows: readonly Lookup<unknown>[]): Promise<Found> =>
  table.getTogether(rows, { consistent: true });

const isSame = (one: Owner, other: Owner): boolean =>
  one.organizationId === other.organizationId && one.accountId === other.accountId;
