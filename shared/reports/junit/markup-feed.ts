/**
 * Hands text to the parser in chunks. The parser buffers a CDATA section or comment until its end, and test output may
 * have a hundred megabytes. So this class closes a long section at the end of a chunk and opens it again.
 */
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { BoundedParser } from './bounded-parser.ts';

interface Section {
  readonly begin: string;
  readonly end: string;
  readonly last: string;
}
const CDATA: Section = { begin: '<![CDATA[', end: ']]>', last: ']' };
const COMMENT: Section = { begin: '<!--', end: '-->', last: '-' };
const BEGINNING = /<!\[CDATA\[|<!--/g;

const CHUNK_CHARACTERS = 64 * 1024;
/** Length of the longest opening of a section, minus one. */
const KEPT_CHARACTERS = 8;

export class MarkupFeed {
  readonly #parser: BoundedParser;
  #open: Section | undefined;
  #held = '';
  #quiet = 0;
  readonly #onEvents: (count: number) => void;

  /** Feeds a parser. `onEvents` receives the number of events of each chunk. */
  constructor(parser: BoundedParser, onEvents: (count: number) => void) {
    this.#parser = parser;
    this.#onEvents = onEvents;
  }

  /** Feeds more text to the parser. Returns false if the file has too much markup without an end. */
  write(text: string): boolean {
    for (let at = 0; at < text.length; at += CHUNK_CHARACTERS) {
      this.#chunk(text.slice(at, at + CHUNK_CHARACTERS));
      if (this.#quiet > REPORT_LIMITS.markupCharacters) return false;
    }
    return true;
  }

  end(): void {
    this.#parser.end(this.#held);
  }

  #chunk(chunk: string): void {
    const text = this.#held + chunk;
    this.#follow(text);
    const kept = this.#keptFrom(text);
    this.#held = text.slice(kept);
    const before = this.#parser.events;
    this.#parser.write(text.slice(0, kept));
    this.#onEvents(this.#parser.events - before);
    this.#quiet = this.#parser.events > before ? 0 : this.#quiet + chunk.length;
    // Without an event in a whole chunk, the parser must be inside the section.
    if (this.#open && this.#quiet >= CHUNK_CHARACTERS) {
      this.#parser.write(this.#open.end + this.#open.begin);
      this.#quiet = 0;
    }
  }

  /** Tracks which section is open at the end of the text. */
  #follow(text: string): void {
    for (let at = 0; ; ) {
      if (this.#open) {
        const end = text.indexOf(this.#open.end, at);
        if (end < 0) return;
        at = end + this.#open.end.length;
        this.#open = undefined;
      }
      const next = firstOf(text, at);
      if (!next) return;
      this.#open = next.section;
      at = next.at + next.section.begin.length;
    }
  }

  /** Holds back the part of an opening or closing that the next chunk may complete. */
  #keptFrom(text: string): number {
    let at = text.length;
    if (this.#open) while (at > 0 && text.length - at < 2 && text[at - 1] === this.#open.last) at -= 1;
    else {
      const tag = text.lastIndexOf('<');
      if (tag >= 0 && text.length - tag <= KEPT_CHARACTERS) at = tag;
    }
    return at;
  }
}

function firstOf(text: string, from: number): { readonly at: number; readonly section: Section } | undefined {
  BEGINNING.lastIndex = from;
  const found = BEGINNING.exec(text);
  return found ? { at: found.index, section: found[0] === CDATA.begin ? CDATA : COMMENT } : undefined;
}
