/** Writes what the errors of several failures have in common, in words. */
import type { CauseKind } from './cause-candidates.ts';
import { getTellingValue, type Traits } from './failure-traits.ts';

/** Vitest and Jest name the kind of equality behind the message. */
const EQUALITY_NOTE = ' // ';

export function writeCauseText(kind: CauseKind, failures: readonly Traits[]): string {
  const received = findCommonTrait(failures, 'received');
  if (kind === 'received' && !received) return writeTellingValue(failures);
  const target = findCommonTrait(failures, 'target');
  const values = received && writeValues(received, findCommonTrait(failures, 'expected'));
  if (kind === 'received' && !target) return values ?? '';
  const what = findCommonTrait(failures, 'what')?.split(EQUALITY_NOTE, 1)[0];
  const message = (findCommonTrait(failures, 'line') || what || 'no error message').replace(/:$/, '');
  if (target) return values ? `${message} on ${target}: ${values}` : `${message} on ${target}`;
  // Most messages of assertions contain their values, or say nothing without them.
  if (values && /expect|assert/i.test(message)) return values;
  return kind === 'place' ? `${message} at ${findCommonTrait(failures, 'place')}` : message;
}

/** `undefined` unless all failures have the same trait. */
function findCommonTrait(failures: readonly Traits[], name: keyof Traits): string | undefined {
  const trait = failures[0]?.[name];
  return trait && failures.every((traits) => traits[name] === trait) ? trait : undefined;
}

const writeValues = (received: string, expected: string | undefined): string =>
  expected ? `received ${received} instead of ${expected}` : `received ${received}`;

/** A value that some tests received and others have as their message, or wrote with other quotes. */
function writeTellingValue(failures: readonly Traits[]): string {
  const [first] = failures;
  const text = getTellingValue(first?.received || first?.line || '');
  return failures.some(({ received }) => received !== '') ? `received ${text}` : text;
}
