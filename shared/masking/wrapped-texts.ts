/** Finds Base64 texts inside other texts, as in Kubernetes secrets and CI settings. */

/** The minimum length of a Base64 text that is decoded. A shorter text encodes fewer than 18 bytes. */
const FEWEST = 24;
/** The minimum length of a printable part of a decoded text that is searched. */
const FEWEST_PRINTABLE = 16;
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

export interface WrappedText {
  readonly start: number;
  /** The index after the last character of the Base64 text. */
  readonly end: number;
  readonly content: string;
}

/**
 * Finds Base64 texts of either alphabet that decode to text with printable parts. Scans one character at a time, which is fast
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
 * alphabet, `STANDARD_ONLY` allows both alphabets. Reads only every `FEWEST`th character until one is in the alphabet.
 */
function runs(text: string, within: Span, most: typeof SHARED | typeof STANDARD_ONLY): Span[] {
  const isIn = (at: number): boolean => {
    const kind = KINDS[text.charCodeAt(at)] ?? OTHER;
    return kind !== OTHER && kind <= most;
  };
  const found: Span[] = [];
  let before = within.start;
  for (let at = before + FEWEST - 1; at < within.end; at += FEWEST) {
    if (!isIn(at)) continue;
    let start = at;
    while (start > before && isIn(start - 1)) start -= 1;
    let end = at + 1;
    while (end < within.end && isIn(end)) end += 1;
    if (end - start >= FEWEST) found.push({ start, end });
    before = end;
    at = end;
  }
  return found;
}

const scratch = Buffer.allocUnsafe(SHORT);

function addDecoded(found: WrappedText[], text: string, start: number, endOfRun: number): void {
  const encoded = text.slice(start, endOfRun);
  const bytes = encoded.length <= SHORT ? scratch : Buffer.allocUnsafe(encoded.length);
  const length = bytes.write(encoded, 'base64');
  const content = printableText(bytes, length);
  if (content === '') return;
  let end = endOfRun;
  while (end - endOfRun < 2 && text[end] === '=') end += 1;
  found.push({ start, end, content });
}

/**
 * The printable parts of a decoded text, one per line. Other bytes, such as those of accented letters, separate parts.
 * The zero bytes of UTF-16 do not, which PowerShell uses. Random bytes hardly ever contain a part of 16 characters.
 */
function printableText(bytes: Buffer, length: number): string {
  const parts: string[] = [];
  let start = 0;
  // Printable bytes are moved to the front, over those that were already read.
  let size = 0;
  let lastZero = -1;
  for (let at = 0; at <= length; at += 1) {
    const byte = at < length ? (bytes[at] ?? 0) : 0;
    if ((byte > 31 && byte < 127) || byte === 9 || byte === 10 || byte === 13) {
      bytes[size] = byte;
      size += 1;
      continue;
    }
    if (byte === 0 && at < length) {
      const isWide = lastZero === at - 2 || (at + 2 < length && bytes[at + 2] === 0);
      lastZero = at;
      if (isWide) continue;
    }
    if (size - start >= FEWEST_PRINTABLE) parts.push(bytes.toString('latin1', start, size));
    start = size;
  }
  return parts.join('\n');
}
