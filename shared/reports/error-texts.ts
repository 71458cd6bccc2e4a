/** Builds errors from the texts in report files. */
import { cutText } from '#shared/engine/cut-text.ts';
import { copyText } from '#shared/engine/own-copy.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { AttemptError } from '#shared/model/results/attempt.ts';
import { REPORT_LIMITS } from './limits.ts';

interface ErrorParts {
  readonly message: string;
  /** The class of the error, such as `AssertionError`. */
  readonly type?: string;
  readonly stack: string;
  readonly snippet?: string;
  readonly spec: string;
}

const NO_MESSAGE = 'Error without a message';
/** Error types that say nothing about the error, so they are not put before its message. */
const PLAIN_TYPES = /^(?:|failure|failed|error|none|nonetype|undefined)$/i;
const ONE_WORD = /^[\w$.\\:]+$/;

export function buildAttemptError({ message, type = '', stack, snippet, spec }: ErrorParts): AttemptError {
  const text = message.trim() === '' ? getFirstLine(stack) : message;
  const isNamed = PLAIN_TYPES.test(type) || !ONE_WORD.test(type) || text.includes(getLastPart(type));
  const fullText = isNamed ? text : text === '' ? type : `${type}: ${text}`;
  return {
    message: cut(fullText, REPORT_LIMITS.messageCharacters) || NO_MESSAGE,
    stack: stack.trim() === '' ? null : cut(stack, REPORT_LIMITS.stackCharacters),
    location: findLocation(stack, spec),
    snippet: snippet ? cut(snippet, REPORT_LIMITS.snippetCharacters) : null,
  };
}

const cut = (text: string, characters: number): string => copyText(cutText(text, characters));

const getFirstLine = (text: string): string => /\S[^\n\r]*/.exec(text)?.[0].trimEnd() ?? '';

const getLastPart = (type: string): string => type.split(/[.\\:]/).at(-1) ?? type;

const COLUMNS = /^:(\d{1,9})(?::(\d{1,9}))?/;
const PYTHON = /^", line (\d{1,9})/;

/** The location from the first line of the stack that names the spec file with a line number. */
function findLocation(stack: string, spec: string): AttemptError['location'] {
  if (spec.length < 3 || spec.length > MODEL_LIMITS.specCharacters) return null;
  let from = 0;
  for (let line = 0; line < REPORT_LIMITS.locationLines; line += 1) {
    const at = stack.indexOf(spec, from);
    if (at < 0) return null;
    const rest = stack.slice(at + spec.length, at + spec.length + 40);
    const [, row, column] = COLUMNS.exec(rest) ?? PYTHON.exec(rest) ?? [];
    if (row !== undefined) return { file: spec, line: Number(row), column: Number(column ?? 0) };
    from = at + spec.length;
  }
  return null;
}
