/**
 * The keys of access patterns, with words instead of values, such as `RUN#org#run`. They are derived by calling the
 * `key()` of each kind of row with words, so that documents and permissions cannot differ from the code.
 */
import type { RowKind } from '#shared/engine/table/entity.ts';
import { encodeInstant, type TableKey } from '#shared/engine/table/keys.ts';

/** A kind of row as `shared/model` declares it. */
export interface DeclaredKind extends RowKind {
  readonly key: (members: object) => TableKey;
}

export interface KeyPattern extends TableKey {
  readonly question: string;
  /** Whether `sk` is the whole sort key. If not, a query reads the sort keys that begin with it. */
  readonly isWhole: boolean;
}

/** A kind of row with the keys of its access patterns. */
export interface KeyedRowKind extends Omit<RowKind, 'patterns'> {
  readonly patterns: readonly KeyPattern[];
}

export function deriveKeyPatterns({ patterns, key }: Pick<DeclaredKind, 'patterns' | 'key'>): KeyPattern[] {
  return patterns.map(({ question, of: knownMembers = {}, pk, sk, begins }) => ({
    question,
    pk: pk ?? spellKey(key, knownMembers).pk,
    sk: begins ?? sk ?? spellKey(key, knownMembers).sk,
    isWhole: begins === undefined,
  }));
}

/** As a condition on the key, which the README of the models shows. */
export function formatKeyPattern({ pk, sk, isWhole }: KeyPattern): string {
  if (isWhole) return `pk = ${pk}, sk = ${sk}`;
  return sk === '' ? `pk = ${pk}` : `pk = ${pk}, sk begins with ${sk}`;
}

/**
 * Stands for the value of a member in the key that `key()` builds. Where the key has a text, it is the name of the member
 * in marks, by which it is found again. Where it has an encoded time, it is a time that no other word has.
 */
class Word extends String {
  readonly #time: number;
  constructor(member: string, time: number) {
    super(`⟦${member === 'organizationId' ? 'org' : member.replace(/(?:Id|Key)$/, '')}⟧`);
    this.#time = time;
  }
  [Symbol.toPrimitive](hint: string): string | number {
    return hint === 'number' ? this.#time : this.toString();
  }
}

const FIRST_TIME = Date.UTC(2020);

/** Calls `key()` with a word for each member that has no value in `knownMembers`, and returns the key in words. */
function spellKey(key: DeclaredKind['key'], knownMembers: object): TableKey {
  const words: Word[] = [];
  // Which members a kind of row has is known only to its types, so `key()` shows it by what it reads.
  const members = new Proxy(knownMembers, {
    get(_, member) {
      if (Reflect.has(knownMembers, member)) return Reflect.get(knownMembers, member);
      const word = new Word(String(member), FIRST_TIME + words.length);
      words.push(word);
      return word;
    },
    ownKeys() {
      throw new Error('key() must name each member that it uses, because access patterns are derived from the names');
    },
  });
  const { pk, sk } = key(members);
  return { pk: spellText(pk, words), sk: spellText(sk, words) };
}

function spellText(text: string, words: readonly Word[]): string {
  const withoutTimes = words.reduce(
    (spelling, word) => spelling.replaceAll(encodeInstant(Number(word)), String(word)),
    String(text),
  );
  return (
    withoutTimes
      // Two members side by side.
      .replaceAll('⟧⟦', ' + ')
      .replaceAll(/[⟦⟧]/g, '')
      .split('#')
      // Numbers are padded with zeros.
      .map((segment) => segment.replace(/^0+/, ''))
      .join('#')
  );
}
