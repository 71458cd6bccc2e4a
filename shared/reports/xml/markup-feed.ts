/** Feeds XML to the parser in pieces, because the parser would hold a long comment or CDATA section in memory. */
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { BoundedParser } from './bounded-parser.ts';

/** Namespace prefixes are ignored. */
export const getLocalName = (name: string): string => name.slice(name.indexOf(':') + 1);

const { work } = REPORT_LIMITS;

interface Section {
  readonly begin: string;
  readonly end: string;
  readonly last: string;
}
const CDATA: Section = { begin: '<![CDATA[', end: ']]>', last: ']' };
const COMMENT: Section = { begin: '<!--', end: '-->', last: '-' };
const BEGINNING = /<!\[CDATA\[|<!--/g;

const CHUNK_CHARACTERS = 64 * 1024;
/** One less than the length of `<![CDATA[`, the longest delimiter that opens a section. */
const KEPT_CHARACTERS = 8;

/**
 * The parser buffers a CDATA section or comment until its end, and test output may be a hundred megabytes long. So a
 * long section is ended after a chunk, and the next chunk begins a new one. `onWork` gets the work of each chunk.
 */
export function makeMarkupFeed(parser: BoundedParser, onWork: (units: number) => void) {
  let open: Section | undefined;
  let heldText = '';
  let quiet = 0;
  /** Tracks which section is open at the end of the text. */
  const follow = (text: string): void => {
    for (let at = 0; ; ) {
      if (open) {
        const end = text.indexOf(open.end, at);
        if (end < 0) return;
        at = end + open.end.length;
        open = undefined;
      }
      BEGINNING.lastIndex = at;
      const next = BEGINNING.exec(text);
      if (!next) return;
      open = next[0] === CDATA.begin ? CDATA : COMMENT;
      at = BEGINNING.lastIndex;
    }
  };
  /** Finds the beginning of a delimiter that may continue in the next chunk, so that this part can be held back. */
  const findHeldStart = (text: string): number => {
    let at = text.length;
    if (open) while (at > 0 && text.length - at < 2 && text[at - 1] === open.last) at -= 1;
    else {
      const tag = text.lastIndexOf('<');
      if (tag >= 0 && text.length - tag <= KEPT_CHARACTERS) at = tag;
    }
    return at;
  };
  const writeChunk = (chunk: string): void => {
    const text = heldText + chunk;
    follow(text);
    const end = findHeldStart(text);
    heldText = text.slice(end);
    const before = parser.events;
    parser.write(text.slice(0, end));
    onWork((parser.events - before) * work.xmlEvent + countAmpersands(text) * work.xmlAmpersand);
    quiet = parser.events > before ? 0 : quiet + chunk.length;
    // The parser has produced no event for a whole chunk, so it must still be inside the open section.
    if (open && quiet >= CHUNK_CHARACTERS) {
      parser.write(open.end + open.begin);
      quiet = 0;
    }
  };
  return {
    /** Feeds more text to the parser. Returns false if the file has too much unterminated markup. */
    write: (text: string): boolean => {
      for (let at = 0; at < text.length; at += CHUNK_CHARACTERS) {
        writeChunk(text.slice(at, at + CHUNK_CHARACTERS));
        if (quiet > REPORT_LIMITS.markupCharacters) return false;
      }
      return true;
    },
    end: () => parser.end(heldText),
  };
}

function countAmpersands(text: string): number {
  let count = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) count += 1;
  return count;
}
