/** Builds the parts of a JSON document that a parser asks for, one after the other. The rest is skipped. */
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { type JsonEvents, JsonTokens, type Scalar } from './tokens.ts';

interface Container {
  /** The object or list that is being built. `undefined` outside of a piece. */
  readonly value: Members | unknown[] | undefined;
  readonly path: string;
  readonly isObject: boolean;
  name: string;
}
type Members = Record<string, unknown>;

export interface Pieces {
  /** Paths of the parts, such as `results.tests.*`. */
  readonly paths: readonly string[];
  /** Takes a complete part. `cut`: objects of the part that are incomplete because the file ended. */
  readonly take: (path: string, value: unknown, cut: ReadonlySet<unknown>) => void;
  /** Charges the work budget. */
  readonly work: (units: number) => void;
  /** Whether further parts would change nothing. */
  readonly full: () => boolean;
}

const { work } = REPORT_LIMITS;
const NOTHING_CUT: ReadonlySet<unknown> = new Set();

export class PieceReader implements JsonEvents {
  readonly #pieces: Pieces;
  readonly #paths: ReadonlySet<string>;
  readonly #tokens: JsonTokens;
  readonly #open: Container[] = [];
  #characters = 0;
  /** Whether a part exceeded the limit of characters. */
  tooLarge = false;

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
    this.#paths = new Set(pieces.paths);
    this.#tokens = new JsonTokens(this);
  }

  get whole(): boolean {
    return this.#tokens.whole;
  }

  async read(text: AsyncIterable<string>): Promise<void> {
    for await (const part of text) if (!this.#tokens.write(part) || this.#pieces.full()) break;
    if (!this.#tokens.whole && !this.#pieces.full()) this.#end();
  }

  /** Hands over the part in which the file ended. */
  #end(): void {
    const first = this.#open.find(({ value }) => value !== undefined);
    const cut = new Set<unknown>(this.#open.map(({ value }) => value));
    if (first) this.#take(first.path, first.value, cut);
  }

  open(isObject: boolean): void {
    const path = this.#path();
    this.#pieces.work(work.jsonContainer);
    const isInside = this.#open.at(-1)?.value !== undefined;
    const isPiece = !isInside && this.#paths.has(path);
    if (isPiece) this.#characters = 0;
    // A name such as `__proto__` is an ordinary member of an object without a prototype.
    const value = isInside || isPiece ? (isObject ? Object.create(null) : []) : undefined;
    if (isInside) this.#add(value);
    this.#open.push({ value, path: isInside ? '' : path, isObject, name: '' });
  }

  close(): void {
    const closed = this.#open.pop();
    const isPiece = closed?.value !== undefined && this.#open.at(-1)?.value === undefined;
    if (isPiece) this.#take(closed.path, closed.value);
  }

  name(name: string): void {
    this.#pieces.work(work.jsonName);
    const container = this.#open.at(-1);
    if (container) container.name = name;
  }

  #take(path: string, value: unknown, cut: ReadonlySet<unknown> = NOTHING_CUT): void {
    this.#pieces.work(work.jsonPart);
    if (!this.#pieces.full()) this.#pieces.take(path, value, cut);
  }

  value(value: Scalar): void {
    this.#pieces.work(work.jsonValue);
    if (this.#open.at(-1)?.value !== undefined) this.#add(value);
    else if (this.#paths.has(this.#path())) this.#take(this.#path(), value);
  }

  #path(): string {
    const container = this.#open.at(-1);
    if (!container) return '';
    const own = container.isObject ? container.name : '*';
    return container.path === '' ? own : `${container.path}.${own}`;
  }

  /** Adds a member to the current object or list. Beyond the limit, members are left out. */
  #add(member: unknown): void {
    const container = this.#open.at(-1);
    if (!container?.value) return;
    this.#characters += sizeOf(member);
    if (this.#characters > REPORT_LIMITS.pieceCharacters) this.tooLarge = true;
    else if (Array.isArray(container.value)) container.value.push(member);
    else container.value[container.name] = member;
  }
}

/** Memory of a member, in characters. An object without a prototype is a hash table, which needs more. */
const sizeOf = (member: unknown): number => {
  if (typeof member === 'string') return MEMBER_CHARACTERS + member.length;
  return typeof member === 'object' && member !== null ? CONTAINER_CHARACTERS : MEMBER_CHARACTERS;
};
const MEMBER_CHARACTERS = 32;
const CONTAINER_CHARACTERS = 128;
