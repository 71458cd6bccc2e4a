/**
 * Extracts from the text of an error what was expected, what was received, and where the test failed. Knows the formats
 * of Playwright, Vitest, Jest, Mocha, node:assert, pytest, JUnit, AssertJ, Hamcrest, xUnit.net, NUnit, MSTest, Go, RSpec,
 * PHPUnit, Rust and AVA.
 */
import { ERROR_LIMITS } from './limits.ts';
import { isAva, readAva } from './read-ava.ts';
import { isDotnet, readDotnet } from './read-dotnet.ts';
import { isGo, readGo } from './read-go.ts';
import { isJava, readJava } from './read-java.ts';
import { readJavaScript } from './read-javascript.ts';
import { isPhp, readPhp } from './read-php.ts';
import { isPython, readPython } from './read-python.ts';
import { isRuby, readRuby } from './read-ruby.ts';
import { isRust, readRust } from './read-rust.ts';
import type { DiffLine, ErrorReading, ErrorTexts, FrameLine, PartialReading } from './reading.ts';

export type { ErrorReading } from './reading.ts';

export interface ReportedText {
  readonly message: string;
  readonly stack: string | null;
  /** The code frame, if the reporter sends it separately from the message. */
  readonly snippet?: string | null | undefined;
  /** The class of the error, if the reporter sends it separately from the message. */
  readonly type?: string | null | undefined;
}

interface FormatReader {
  readonly recognizes: (texts: ErrorTexts) => boolean;
  readonly read: (texts: ErrorTexts) => PartialReading;
}

/** The first that recognizes an error reads it. `readJavaScript` reads all other errors. */
const READERS: readonly FormatReader[] = [
  { recognizes: isAva, read: readAva },
  { recognizes: isRust, read: readRust },
  { recognizes: isGo, read: readGo },
  { recognizes: isPhp, read: readPhp },
  { recognizes: isRuby, read: readRuby },
  { recognizes: isJava, read: readJava },
  { recognizes: isDotnet, read: readDotnet },
  { recognizes: isPython, read: readPython },
];

/** Never throws. Takes linear time, reading only the beginning of each text. Values are masked if the texts are. */
export function readError({ message, stack, snippet, type }: ReportedText): ErrorReading {
  const texts = { message: cleanText(message), stack: cleanText(stack), snippet: cleanText(snippet), type: type ?? '' };
  const reader = READERS.find(({ recognizes }) => recognizes(texts));
  const reading = reader ? reader.read(texts) : readJavaScript(texts);
  const [, networkCode, systemCode] = CODE.exec(texts.message) ?? [];
  return {
    kind: reading.kind ?? 'error',
    title: cut(reading.title),
    matcher: cutOrNull(reading.matcher),
    target: cutOrNull(reading.target),
    expected: cutOrNull(reading.expected),
    received: cutOrNull(reading.received),
    diff: reading.diff?.slice(0, ERROR_LIMITS.diffLines).map(cutLine) ?? null,
    location: reading.location ?? null,
    frame: reading.frame?.slice(0, ERROR_LIMITS.frameLines).map(cutLine) ?? null,
    signals: { lastLog: cutOrNull(reading.lastLog), code: networkCode ?? systemCode ?? null },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with the escape character
const COLOURS = /\u001b\[[\d;]{0,30}[A-Za-z]/g;
/** Color codes without their escape character, which some tools remove when they write JUnit XML. */
const BARE_COLOURS = /\[(?:\d{1,3};){0,5}\d{1,3}m/g;
const HAS_BARE_COLOURS = /\[(?:22|39|0)m/;

function cleanText(text: string | null | undefined): string {
  const cleanBeginning = (text ?? '')
    .slice(0, ERROR_LIMITS.readCharacters)
    .replaceAll(COLOURS, '')
    .replaceAll('\u00a0', ' ');
  return HAS_BARE_COLOURS.test(cleanBeginning) ? cleanBeginning.replaceAll(BARE_COLOURS, '') : cleanBeginning;
}

const cut = (text: string): string =>
  text.length > ERROR_LIMITS.valueCharacters ? `${text.slice(0, ERROR_LIMITS.valueCharacters)}…` : text;
const cutOrNull = (text: string | null | undefined): string | null => (text == null ? null : cut(text.trim()));
const cutLine = <Line extends DiffLine | FrameLine>(line: Line): Line => ({ ...line, text: cut(line.text) });

/** A network error of a browser, or a system error of Node.js. */
const CODE =
  /\bnet::(ERR_[A-Z_]{1,60})|\b(E(?:CONNREFUSED|CONNRESET|NOTFOUND|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN|ADDRINUSE|NOENT|ACCES))\b/;
