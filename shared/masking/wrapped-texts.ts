/** Finds Base64 texts inside other texts, as in Kubernetes secrets and CI settings. */

/** The minimum length of a Base64 text that is decoded. A shorter text encodes fewer than 18 bytes. */
const FEWEST = 24;
/** Texts of up to this many characters are decoded in a shared buffer. */
const SHORT = 64 * 1024;

const OTHER = 0;
/** The characters of the URL-safe alphabet. */
const SHARED = 1;
/** `+` and `/`, which only the standard alphabet has. In a URL, a slash may separate two URL-safe texts. */
const STANDARD_ONLY = 2;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[\w-]/.test(character) ? SHARED : /[+/]/.test(character) ? STANDARD_ONLY : OTHER;
});

interface WrappedText {
  readonly start: number;
  /** The index after the last character of the Base64 text. */
  readonly end: number;
  readonly content: string;
}

/**
 * Finds Base64 texts of either alphabet that decode to printable text. Scans one character at a time, which is fast
 * because most texts contain no Base64.
 */
export function wrappedTexts(text: string): WrappedText[] {
  const found: WrappedText[] = [];
  for (const { start, end } of runs(text, { start: 0, end: text.length }, STANDARD_ONLY)) {
    addDecoded(found, text, start, end);
    for (const part of runs(text, { start, end }, SHARED)) {
      if (part.end - part.start < end - start) addDecoded(found, text, part.start, part.end);
    }
  }
  return found;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the longest possible sequences of at least `FEWEST` characters. `SHARED` for `most` allows only the URL-safe
 * alphabet, `STANDARD_ONLY` allows both alphabets.
 */
function runs(text: string, within: Span, most: typeof SHARED | typeof STANDARD_ONLY): Span[] {
  const found: Span[] = [];
  let start = within.start;
  for (let at = within.start; at <= within.end; at += 1) {
    const kind = at < within.end ? (KINDS[text.charCodeAt(at)] ?? OTHER) : OTHER;
    if (kind !== OTHER && kind <= most) continue;
    if (at - start >= FEWEST) found.push({ start, end: at });
    start = at + 1;
  }
  return found;
}

const scratch = Buffer.allocUnsafe(SHORT);

function addDecoded(found: WrappedText[], text: string, start: number, endOfRun: number): void {
  const encoded = text.slice(start, endOfRun);
  const bytes = encoded.length <= SHORT ? scratch : Buffer.allocUnsafe(encoded.length);
  const length = bytes.write(encoded, 'base64');
  if (!isPrintable(bytes, length)) return;
  let end = endOfRun;
  while (end - endOfRun < 2 && text[end] === '=') end += 1;
  found.push({ start, end, content: bytes.toString('latin1', 0, length) });
}

function isPrintable(bytes: Buffer, length: number): boolean {
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte > 126) return false;
  }
  return true;
}
