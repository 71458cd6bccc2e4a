/** Finds Base64 texts inside other texts, as in Kubernetes secrets and CI settings. */

/** The minimum length of a Base64 text that is decoded. A shorter text encodes fewer than 18 bytes. */
const FEWEST = 24;
/** The minimum length of a printable part that is searched. Random bytes hardly ever contain such a part. */
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
export function findWrappedTexts(text: string): WrappedText[] {
  const texts: WrappedText[] = [];
  for (const { start, end } of findRuns(text, { start: 0, end: text.length }, STANDARD_ONLY)) {
    addDecodedText(texts, text, start, end);
    for (const part of findRuns(text, { start, end }, SHARED)) {
      if (part.end - part.start < end - start) addDecodedText(texts, text, part.start, part.end);
    }
  }
  return texts;
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** `most`: `SHARED` is the URL-safe alphabet, `STANDARD_ONLY` both. Reads every `FEWEST`th character until one fits. */
function findRuns(text: string, within: TextRange, most: typeof SHARED | typeof STANDARD_ONLY): TextRange[] {
  const isIn = (at: number): boolean => {
    const kind = KINDS[text.charCodeAt(at)] ?? OTHER;
    return kind !== OTHER && kind <= most;
  };
  const ranges: TextRange[] = [];
  let before = within.start;
  for (let at = before + FEWEST - 1; at < within.end; at += FEWEST) {
    if (!isIn(at)) continue;
    let start = at;
    while (start > before && isIn(start - 1)) start -= 1;
    let end = at + 1;
    while (end < within.end && isIn(end)) end += 1;
    if (end - start >= FEWEST) ranges.push({ start, end });
    before = end;
    at = end;
  }
  return ranges;
}

const scratch = Buffer.allocUnsafe(SHORT);

function addDecodedText(texts: WrappedText[], text: string, start: number, endOfRun: number): void {
  const encodedText = text.slice(start, endOfRun);
  const bytes = encodedText.length <= SHORT ? scratch : Buffer.allocUnsafe(encodedText.length);
  const length = bytes.write(encodedText, 'base64');
  const content = extractPrintableText(bytes, length);
  if (content === '') return;
  let end = endOfRun;
  while (end - endOfRun < 2 && text[end] === '=') end += 1;
  texts.push({ start, end, content });
}

/** One part per line. Bytes of accented letters separate parts, the zero bytes of UTF-16 (in PowerShell) do not. */
function extractPrintableText(bytes: Buffer, length: number): string {
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
