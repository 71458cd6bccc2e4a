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

/** What a rule returns for an error that it recognizes. */
export interface Finding {
  readonly category: ErrorCategory;
  readonly action: string | null;
  readonly target: string | null;
}

export type ErrorReader = (error: ParsedError) => Finding | undefined;

/**
 * The name or the code of an error that precedes its text: `Name: `, `module.Name: `, `Name [CODE]: ` or `[CODE]: `.
 */
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
  const read = [message, stack, name].find((part) => part?.trim()) ?? '';
  const all = plain(read)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .filter((line) => line.trim() !== '');
  const [beginning = '', ...more] = errorLines(all);
  const first = IN_FIXTURE.exec(beginning)?.[1] ?? beginning;
  const dropped = withoutPrefixes(first.trim());
  const lines = dropped.text === '' ? more : [dropped.text, ...more];
  const named = dropped.name ?? (name?.trim() ? lastSegment(plain(name).trim()) : null);
  return { name: named, headline: (lines[0] ?? named ?? '').trim(), lines };
}

const plain = (text: string): string =>
  removeControlSequences(text.slice(0, ERROR_LIMITS.readCharacters).toWellFormed());

/**
 * Finds the lines that describe the error. A Python traceback ends with them, and a pytest report marks them with `E`.
 */
function errorLines(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines;
  if (first.trim() === TRACEBACK) {
    const last = lines.findLastIndex((line) => PREFIX.test(line) || /^\w/.test(line));
    return last > 0 ? lines.slice(last) : lines;
  }
  if (withoutPrefixes(first.trim()).text !== first.trim()) return lines;
  const marked = lines.filter((line) => PYTEST.test(line));
  return marked.length > 0 ? marked.map((line) => line.replace(PYTEST, '')) : lines;
}

function withoutPrefixes(line: string): { readonly text: string; readonly name: string | null } {
  let text = line;
  let name: string | null = null;
  for (let drops = 0; drops < ERROR_LIMITS.prefixes; drops += 1) {
    const [prefix, qualified] = PREFIX.exec(text) ?? [];
    if (!prefix || !(qualified === undefined ? prefix !== ':' : isName(qualified))) break;
    if (qualified !== undefined && !MARKERS.has(qualified)) name = lastSegment(qualified);
    text = text.slice(prefix.length).trim();
  }
  return { text, name };
}

/**
 * Whether a prefix is the name of an error. After the name of a module or object, an error class begins with a capital
 * letter, unlike a method such as `page.goto`.
 */
function isName(qualified: string): boolean {
  if (MARKERS.has(qualified)) return true;
  const last = lastSegment(qualified);
  return NAME.test(last) || (last !== qualified && /^[A-Z]/.test(last));
}

const lastSegment = (qualified: string): string => qualified.slice(qualified.lastIndexOf('.') + 1);
