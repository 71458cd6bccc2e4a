/** Splits an error into its name, its headline and its lines. */
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { ERROR_LIMITS } from './limits.ts';

/** An error as test runners report it. Any part may be missing. */
export interface ReportedError {
  readonly name?: string | null;
  readonly message: string | null;
  readonly stack?: string | null;
}

export interface ParsedError {
  /** The class name of the error, without the name of its module. */
  readonly name: string | null;
  /** The first line of the message, without prefixes such as `Error: `. */
  readonly headline: string;
  /** The lines that describe the error, beginning with the headline. Empty lines are left out. */
  readonly lines: readonly string[];
}

export type ErrorCategory = 'Assertion' | 'Async Assertion' | 'Action' | 'Timeout' | 'Infra / Misc';

export interface Finding {
  readonly category: ErrorCategory;
  readonly action: string | null;
  readonly target: string | null;
}

export type ErrorReader = (error: ParsedError) => Finding | undefined;

/** `Name: `, `module.Name: `, `Name [CODE]: ` or `[CODE]: `, before the text of an error. */
const PREFIX = /^(?:(?:Uncaught )?([\w$.]{1,200}))?(?: ?\[\w{1,64}\])?:(?=\s|$)/;
const NAME = /(?:Error|Exception|Failure|(?<=\w)(?:Failed|Timeout|Interrupt|Exit|Warning))\d?$/;
/** The form in which pytest reports errors in fixtures. */
const IN_FIXTURE = /^failed on (?:setup|teardown) with "(.{0,4096}?)"?$/;
/** Words that may precede an error message but are not the class of the error. */
const MARKERS: ReadonlySet<string> = new Set(['Failed', 'thrown', 'Thrown', 'Uncaught']);
const TRACEBACK = 'Traceback (most recent call last):';
/** The prefix of error lines in a pytest report. */
const PYTEST = /^E {2,20}/;

export function parseError({ name, message, stack }: ReportedError): ParsedError {
  const text = [message, stack, name].find((part) => part?.trim()) ?? '';
  const all = cleanText(text)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .filter((line) => line.trim() !== '');
  const [beginning = '', ...more] = findErrorLines(all);
  const first = IN_FIXTURE.exec(beginning)?.[1] ?? beginning;
  const headlineParts = removePrefixes(first.trim());
  const lines = headlineParts.text === '' ? more : [headlineParts.text, ...more];
  const className = headlineParts.name ?? (name?.trim() ? getLastSegment(cleanText(name).trim()) : null);
  return { name: className, headline: (lines[0] ?? className ?? '').trim(), lines };
}

const cleanText = (text: string): string =>
  removeControlSequences(text.slice(0, ERROR_LIMITS.readCharacters).toWellFormed());

/** A Python traceback ends with the lines that describe the error. A pytest report marks them with `E`. */
function findErrorLines(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines;
  if (first.trim() === TRACEBACK) {
    const last = lines.findLastIndex((line) => PREFIX.test(line) || /^\w/.test(line));
    return last > 0 ? lines.slice(last) : lines;
  }
  if (removePrefixes(first.trim()).text !== first.trim()) return lines;
  const markedLines = lines.filter((line) => PYTEST.test(line));
  return markedLines.length > 0 ? markedLines.map((line) => line.replace(PYTEST, '')) : lines;
}

function removePrefixes(line: string): { readonly text: string; readonly name: string | null } {
  let text = line;
  let name: string | null = null;
  for (let drops = 0; drops < ERROR_LIMITS.prefixes; drops += 1) {
    const [prefix, qualifiedName] = PREFIX.exec(text) ?? [];
    if (prefix === undefined || prefix === ':') break;
    if (qualifiedName !== undefined && !isName(qualifiedName)) break;
    if (qualifiedName !== undefined && !MARKERS.has(qualifiedName)) name = getLastSegment(qualifiedName);
    text = text.slice(prefix.length).trim();
  }
  return { text, name };
}

/** After a module or an object, an error class begins with a capital letter, unlike a method such as `page.goto`. */
function isName(qualifiedName: string): boolean {
  if (MARKERS.has(qualifiedName)) return true;
  const last = getLastSegment(qualifiedName);
  return NAME.test(last) || (last !== qualifiedName && /^[A-Z]/.test(last));
}

const getLastSegment = (qualifiedName: string): string => qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
