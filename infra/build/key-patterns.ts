/** The keys of access patterns, as words instead of values, such as `RUN#org#run`. They are what `key()` returns for words. */
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

/** With the keys of its access patterns. */
export interface KeyedRowKind extends Omit<RowKind, 'patterns'> {
  readonly patterns: readonly KeyPattern[];
}

export function deriveKeyPatterns({ patterns, key }: Pick<DeclaredKind, 'patterns' | 'key'>): KeyPattern[] {
  return patterns.map(({ question, of = {}, pk, sk, begins }) => ({
    question,
    pk: pk ?? spellKey(key, of).pk,
    sk: begins ?? sk ?? spellKey(key, of).sk,
    isWhole: begins === undefined,
  }));
}

export function formatKeyPattern({ pk, sk, isWhole }: KeyPattern): string {
  if (isWhole) return `pk = ${pk}, sk = ${sk}`;
  return sk === '' ? `pk = ${pk}` : `pk = ${pk}, sk begins with ${sk}`;
}

/** Stands for the value of a member: a text that is marked, and as a number the time that only it has. */
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

function spellKey(key: DeclaredKind['key'], of: object): TableKey {
  const words: Word[] = [];
  const members = new Proxy(of, {
    get(_, member) {
      if (Reflect.has(of, member)) return Reflect.get(of, member);
      const word = new Word(String(member), FIRST_TIME + words.length);
      words.push(word);
      return word;
    },
    ownKeys() {
      throw new Error('key() must name each member that it uses, because access patterns are derived from the names');
    },
  });
  const spell = (text: string): string =>
    words
      .reduce((spelling, word) => spelling.replaceAll(encodeInstant(Number(word)), String(word)), String(text))
      .replaceAll('⟧⟦', ' + ')
      .replaceAll(/[⟦⟧]/g, '')
      .split('#')
      // Numbers are padded with zeros.
      .map((segment) => segment.replace(/^0+/, ''))
      .join('#');
  const { pk, sk } = key(members);
  return { pk: spell(pk), sk: spell(sk) };
}
