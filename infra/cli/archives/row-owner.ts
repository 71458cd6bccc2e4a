/**
 * Recognizes rows of the table: their kind, and the organization that they belong to. Both follow from the access
 * patterns that `shared/model` declares, so that a new kind of row needs nothing here if its key contains the
 * organization.
 */
import type { KeyedRowKind } from '#infra/build/key-patterns.ts';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { encodeSegment, type TableKey } from '#shared/engine/table/keys.ts';
import { unpackContent } from '#shared/model/events/outbox-content.ts';

/** Kinds of rows whose key does not contain the organization, but that have it as an attribute. */
const BY_ATTRIBUTE = new Set([
  'API key',
  'badge',
  'build credential',
  'invitation, by secret',
  'OAuth grant',
  'personal token',
  'proven domain',
  'SCIM token',
  'share',
]);

/** Kinds of rows that belong to an organization if the id of the organization is anywhere in them. */
const BY_TEXT = new Set(['checkpoint', 'OAuth item', 'outbox', 'outbox retry', 'parked outbox row']);

/** Kinds of rows that belong to people or to the whole deployment. */
const OUTSIDE = new Set([
  'account',
  'account, by address',
  'active organizations',
  'challenge secret',
  'confirmation code',
  'issuer keys',
  'passkey',
  'passkey, listed',
  'provider identity',
  'provider identity, listed',
  'session',
  'session, listed',
  'sign-in link',
  'sign-in link, of an account',
  'submitted form',
  'used challenge',
]);

export interface RecognizedRow {
  readonly type: string;
  /** Whether rows of this kind belong to people or to the whole deployment, and never to an organization. */
  readonly isOutside: boolean;
  readonly belongsTo: (organizationId: string) => boolean;
}

export type Recognize = (row: Attributes & TableKey) => RecognizedRow | undefined;

/** The recognizer returns `undefined` for a row of an unknown kind. */
export async function makeRowRecognizer(kinds?: readonly KeyedRowKind[]): Promise<Recognize> {
  const places = (kinds ?? (await loadRowKinds())).flatMap(listPlaces);
  const byPartition = Map.groupBy(places, ({ partition }) => partition);
  return (row) => {
    const [partition = ''] = row.pk.split('#');
    const place = byPartition.get(partition)?.find(({ pk, sk }) => pk(row.pk) && sk(row.sk));
    if (!place) return undefined;
    const { type } = place;
    return { type, isOutside: OUTSIDE.has(type), belongsTo: (organizationId) => place.belongsTo(row, organizationId) };
  };
}

interface Place {
  readonly type: string;
  /** The name at the beginning of the partition key. */
  readonly partition: string;
  readonly pk: KeyMatcher;
  readonly sk: KeyMatcher;
  readonly belongsTo: (row: Attributes & TableKey, organizationId: string) => boolean;
}

const ORGANIZATION = 'org';

function listPlaces({ type, patterns }: KeyedRowKind): Place[] {
  // Patterns with a whole sort key are more exact. Some kinds have none, because they are read only by its beginning.
  const wholeKeys = patterns.filter(({ isWhole }) => isWhole);
  return (wholeKeys.length > 0 ? wholeKeys : patterns).map(
    ({ pk, sk, isWhole }): Place => ({
      type,
      partition: pk.split('#')[0] ?? '',
      pk: makeKeyMatcher(pk, true),
      sk: makeKeyMatcher(sk, isWhole),
      belongsTo: makeOwnershipCheck(type, pk, sk),
    }),
  );
}

type KeyMatcher = (key: string) => boolean;

/**
 * Returns a check of whether a key has the form of a pattern. Words in capitals are literal, and so is the word after
 * `DUE` or `OAUTH` in a partition key, such as `run` in `DUE#run#shard`. Every other word stands for one segment.
 */
function makeKeyMatcher(pattern: string, isWhole: boolean): KeyMatcher {
  const words = pattern.split('#');
  const literals = words.map((word, place) => {
    const isKindOfWork = place === 1 && (words[0] === 'DUE' || words[0] === 'OAUTH');
    return isKindOfWork || /^[A-Z]+$/.test(word) ? word : undefined;
  });
  return (key) => {
    const segments = key.split('#');
    if (isWhole ? segments.length !== literals.length : segments.length < literals.length) return false;
    return literals.every((literal, place) => literal === undefined || literal === segments[place]);
  };
}

function makeOwnershipCheck(type: string, pk: string, sk: string): Place['belongsTo'] {
  const inPartition = pk.split('#').indexOf(ORGANIZATION);
  const inSort = sk.split('#').indexOf(ORGANIZATION);
  if (inPartition > 0) return (row, id) => row.pk.split('#')[inPartition] === encodeSegment(id);
  if (inSort > 0) return (row, id) => row.sk.split('#')[inSort] === encodeSegment(id);
  if (BY_ATTRIBUTE.has(type)) return (row, id) => row['organizationId'] === id;
  if (BY_TEXT.has(type)) return (row, id) => toRowText(row).includes(id);
  if (OUTSIDE.has(type)) return () => false;
  throw new Error(
    `Rows of the kind "${type}" do not have the organization in their key: list the kind in infra/cli/archives/row-owner.ts, so that the export and the removal of an organization know its rows`,
  );
}

const toRowText = (row: Attributes): string => {
  const packedContent = row['packed'];
  return JSON.stringify(packedContent instanceof Uint8Array ? [unpackContent(packedContent), row] : row);
};
