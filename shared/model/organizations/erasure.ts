/**
 * People whose names and addresses were erased from what an organization has recorded. What stays are a pseudonym and
 * digests of the erased texts with a key of the organization, so that new recordings with them get the same pseudonym.
 */
import { createHmac } from 'node:crypto';
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

interface OfOrganization {
  readonly organizationId: string;
}

const getPartition = ({ organizationId }: OfOrganization): string => composeKey('ERASED', organizationId);

/** The key of the digests. Without it, nobody can find out by trying whether a pseudonym stands for an address. */
export interface ErasureKey extends OfOrganization {
  readonly secret: string;
}

/** Absent until the organization erases somebody for the first time. */
export const erasureKeys: Entity<OfOrganization, ErasureKey> = {
  type: 'key of erased people',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The key of the digests of erased people' }],
  key: (row) => ({ pk: getPartition(row), sk: 'KEY' }),
  store: toAttributes,
  load: loadAttributes,
};

/** An address, or a name of commits without an address. */
export interface ErasedAuthor extends OfOrganization {
  readonly digest: string;
  readonly code: string;
}

export const erasedAuthors: Entity<Omit<ErasedAuthor, 'code'>, ErasedAuthor> = {
  type: 'erased author',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The pseudonym of an address or name' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('AUTHOR', row.digest) }),
  store: toAttributes,
  load: loadAttributes,
};

export interface Erasure extends OfOrganization {
  /** Identifies the person in the organization. It is part of the pseudonym. */
  readonly code: string;
  readonly startedAt: number;
  /** The name of the actor, as in audit records. */
  readonly startedBy: string;
  /** When the last pass ended, in epoch milliseconds. Absent while the work is not done. */
  readonly doneAt?: number;
  /** What is erased. Only until the work is done. */
  readonly search?: Search;
  /** Which pass is under way, and where it continues. Only until the work is done. */
  readonly pass?: number;
  readonly position?: string;
  /** The number of runs of the person, counted by the first pass. */
  readonly runs: number;
  /** The number of spec files whose stored results are damaged or too large, so that they were left as they are. */
  readonly left: number;
}

export interface Search {
  /** In lower case. */
  readonly address: string;
  /** For commits without an address. */
  readonly names: readonly string[];
  /** The names that commits with the address had. */
  readonly foundNames: readonly string[];
}

export const erasures: Entity<Pick<Erasure, 'organizationId' | 'code'>, Erasure> = {
  type: 'erasure',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'The erasure of a person' },
    { question: 'All erasures of an organization', begins: 'ERASURE#' },
  ],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('ERASURE', row.code) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getErasuresSpan = (key: OfOrganization) => getPrefixSpan(getPartition(key), composePrefix('ERASURE'));
export const getErasedPartition = getPartition;

const DIGEST_CHARACTERS = 32;
const CODE_CHARACTERS = 12;

const computeErasureDigest = ({ secret }: Pick<ErasureKey, 'secret'>, kind: string, text: string): string =>
  createHmac('sha256', secret).update(`${kind}\n${text}`).digest('hex');

export const normalizeAddress = (address: string): string => address.trim().toLowerCase();

export const computeCode = (key: Pick<ErasureKey, 'secret'>, address: string): string =>
  computeErasureDigest(key, 'person', normalizeAddress(address)).slice(0, CODE_CHARACTERS);

export const digestAddress = (key: Pick<ErasureKey, 'secret'>, address: string): string =>
  computeErasureDigest(key, 'address', normalizeAddress(address)).slice(0, DIGEST_CHARACTERS);

export const digestName = (key: Pick<ErasureKey, 'secret'>, name: string): string =>
  computeErasureDigest(key, 'name', name).slice(0, DIGEST_CHARACTERS);

export interface Author {
  readonly authorName: string | null;
  readonly authorEmail: string | null;
}

const SHOWN_CHARACTERS = 8;

export interface Pseudonym {
  readonly name: string;
  readonly address: string;
}

/** No mail can reach the address: the domain `invalid` is reserved (RFC 2606). */
export const makePseudonym = (code: string): Pseudonym => ({
  name: `Erased person ${code.slice(0, SHOWN_CHARACTERS)}`,
  address: `${code}@erased.invalid`,
});

/** What the author of a commit is replaced by. What the commit did not say, it does not say afterwards either. */
export const replaceAuthor = ({ authorName, authorEmail }: Author, { name, address }: Pseudonym): Author => ({
  authorName: authorName === null ? null : name,
  authorEmail: authorEmail === null ? null : address,
});
