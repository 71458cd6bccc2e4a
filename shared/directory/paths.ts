/** Paths and filters of SCIM (RFC 7644, 3.4.2.2 and 3.5.2), as far as directories send them. Read in linear time. */
import { invalidFilter, invalidPath } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';

/** A comparison of an attribute with a value. Other operators than `eq` are refused. */
export interface Term {
  readonly path: AttributePath;
  readonly value: string | boolean;
}

/** Names are in lower case, because SCIM ignores their case. */
export interface AttributePath {
  readonly attribute: string;
  /** The condition in brackets, such as `type eq "work"`. */
  readonly where: Term | undefined;
  readonly sub: string | undefined;
}

export const CORE_USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const CORE_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const CORE = [CORE_USER, CORE_GROUP].map((urn) => `${urn.toLowerCase()}:`);

/** An attribute of another schema, which is ignored like every other attribute that we do not know. */
const OTHER: AttributePath = { attribute: 'urn', where: undefined, sub: undefined };

export function parsePath(text: string): AttributePath {
  if (text.length > DIRECTORY_LIMITS.pathCharacters) throw invalidPath(text);
  const reader = new Reader(text);
  const path = reader.readPath();
  reader.skipSpaces();
  if (!path || !reader.isAtEnd) throw invalidPath(text);
  return path;
}

/** The terms of a filter, all of which must hold. */
export function parseFilter(text: string): Term[] {
  if (text.length > DIRECTORY_LIMITS.filterCharacters) throw invalidFilter(text);
  const reader = new Reader(text);
  const terms: Term[] = [];
  const addTerm = () => {
    const term = reader.readTerm();
    if (!term || terms.length >= DIRECTORY_LIMITS.filterTerms) throw invalidFilter(text);
    terms.push(term);
    reader.skipSpaces();
  };
  addTerm();
  while (!reader.isAtEnd) {
    if (reader.readWord() !== 'and') throw invalidFilter(text);
    addTerm();
  }
  return terms;
}

const NAME_CHARACTER = /[\w$:.-]/;

class Reader {
  readonly #text: string;
  #place = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#place >= this.#text.length;
  }

  skipSpaces(): void {
    while (this.#text[this.#place] === ' ') this.#place += 1;
  }

  /** In lower case. Empty if there is none. */
  readWord(): string {
    this.skipSpaces();
    const begin = this.#place;
    while (NAME_CHARACTER.test(this.#text[this.#place] ?? '')) this.#place += 1;
    return this.#text.slice(begin, this.#place).toLowerCase();
  }

  /** Returns `undefined` for what is no path. */
  readPath(): AttributePath | undefined {
    const name = this.readWord();
    const core = CORE.find((urn) => name.startsWith(urn));
    if (name.startsWith('urn:') && core === undefined) return this.#text[this.#place] === '[' ? undefined : OTHER;
    const [attribute = '', sub, ...more] = name.slice(core?.length ?? 0).split('.');
    if (attribute === '' || sub === '' || more.length > 0) return undefined;
    if (this.#text[this.#place] !== '[') return { attribute, where: undefined, sub };
    this.#place += 1;
    const where = sub === undefined ? this.readTerm() : undefined;
    this.skipSpaces();
    if (!where || this.#text[this.#place] !== ']') return undefined;
    this.#place += 1;
    if (this.#text[this.#place] !== '.') return { attribute, where, sub: undefined };
    this.#place += 1;
    const subOfElement = this.readWord();
    return subOfElement === '' ? undefined : { attribute, where, sub: subOfElement };
  }

  readTerm(): Term | undefined {
    const path = this.readPath();
    if (!path || this.readWord() !== 'eq') return undefined;
    this.skipSpaces();
    const value = this.#text[this.#place] === '"' ? this.#readString() : BOOLEANS.get(this.readWord());
    return value === undefined ? undefined : { path, value };
  }

  /** A JSON string. */
  #readString(): string | undefined {
    const begin = this.#place;
    this.#place += 1;
    while (!this.isAtEnd && this.#text[this.#place] !== '"') this.#place += this.#text[this.#place] === '\\' ? 2 : 1;
    this.#place += 1;
    try {
      const value: unknown = JSON.parse(this.#text.slice(begin, this.#place));
      return typeof value === 'string' ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
