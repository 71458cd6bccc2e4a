/**
 * Texts for invalid values. Each text is appended to the name of the value and says what to send instead, such as `must
 * be a number`.
 */
import * as z from 'zod';

/** The Zod error map of all request schemas. `undefined` keeps the text of Zod. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${nouns[issue.expected] ?? `of the type ${issue.expected}`}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `must ${describeBound('at least', Number(issue.minimum), issue.origin)}`;
  if (issue.code === 'too_big') return `must ${describeBound('at most', Number(issue.maximum), issue.origin)}`;
  if (issue.code === 'unrecognized_keys') return describeUnknownMembers(issue);
  return undefined;
}

/** As with query parameters, so that a misspelled member is not taken for one that was left out. */
function describeUnknownMembers({ keys, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const unknownNames = keys.slice(0, SHOWN_NAMES).map((name) => name.slice(0, SHOWN_CHARACTERS).toWellFormed());
  const knownNames = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  const noun = unknownNames.length === 1 ? 'the unknown member' : 'the unknown members';
  return `has ${noun} ${quoteNames(unknownNames)}. Known members: ${quoteNames(knownNames)}`;
}

const SHOWN_NAMES = 3;
const SHOWN_CHARACTERS = 64;
const quoteNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const nouns: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: '`true` or `false`',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function describeBound(limit: 'at least' | 'at most', amount: number, origin: string): string {
  const plural = amount === 1 ? '' : 's';
  if (origin === 'string') return `have ${limit} ${amount} character${plural}`;
  if (origin === 'array') return `have ${limit} ${amount} element${plural}`;
  return `be ${limit} ${amount}`;
}

/** Such as `tests[3].title`. */
export const formatMemberName = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('');
