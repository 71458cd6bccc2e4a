/** Recognizes the person who is erased, and knows what replaces them. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import {
  type Author,
  type Erasure,
  erasures,
  makePseudonym,
  normalizeAddress,
  type Pseudonym,
  type Search,
} from '#shared/model/organizations/erasure.ts';
import { ERASURE_LIMITS } from './limits.ts';

export class SearchedPerson {
  readonly organizationId: string;
  readonly code: string;
  readonly pseudonym: Pseudonym;
  readonly address: string;
  readonly #names: ReadonlySet<string>;
  readonly #foundNames: Set<string>;

  constructor({ organizationId, code }: Pick<Erasure, 'organizationId' | 'code'>, search: Search) {
    this.organizationId = organizationId;
    this.code = code;
    this.pseudonym = makePseudonym(code);
    this.address = search.address;
    this.#names = new Set(search.names);
    this.#foundNames = new Set(search.foundNames);
  }

  /** Namesakes with another address stay. */
  isAuthor({ authorName, authorEmail }: Author): boolean {
    if (authorEmail !== null) return normalizeAddress(authorEmail) === this.address;
    return authorName !== null && this.#names.has(authorName);
  }

  /** Whether the author was the person before an earlier pass, or before an erasure that is repeated. */
  isPseudonym({ authorName, authorEmail }: Author): boolean {
    const { name, address } = this.pseudonym;
    return authorEmail === address || (authorEmail === null && authorName === name);
  }

  /** All names of the person: those that the request named, and those of their commits. */
  get names(): readonly string[] {
    return [...new Set([...this.#names, ...this.#foundNames])];
  }

  isName(text: string): boolean {
    return this.#names.has(text) || this.#foundNames.has(text);
  }

  isAddress(text: string): boolean {
    return normalizeAddress(text) === this.address;
  }

  /** Stored before the name is replaced, because rows that are found by the name come last. */
  async rememberName({ table }: WithTable, author: Author): Promise<void> {
    const { authorName } = author;
    if (
      authorName === null ||
      !this.isAuthor(author) ||
      this.isName(authorName) ||
      this.#foundNames.size >= ERASURE_LIMITS.foundNames
    )
      return;
    this.#foundNames.add(authorName);
    const set = [[['search', 'foundNames'], [...this.#foundNames]]] as const;
    await table.update(erasures, this, { set }, PRESENT);
  }

  /** Replaces the address in a text of the service itself, such as an audit record. */
  replaceAddress(text: string): string {
    const lowerText = text.toLowerCase();
    let result = '';
    let from = 0;
    for (let at = lowerText.indexOf(this.address); at >= 0; at = lowerText.indexOf(this.address, from)) {
      result += text.slice(from, at) + this.pseudonym.address;
      from = at + this.address.length;
    }
    return result + text.slice(from);
  }
}
