/** What errors are called, and what tells them apart. */
import type { ErrorRow } from '#shared/analytics/metrics/errors-wire.ts';
import { computeFingerprint } from '#shared/errors/classify.ts';
import type { IssueLookup } from '#shared/results/failures/known-issues.ts';

const ERROR_KEYS = ['message', 'target', 'action', 'category'] as const;
/** The values that identify an error. */
export type ErrorKey = Pick<ErrorRow, (typeof ERROR_KEYS)[number]>;

export const isSameError = (one: ErrorKey, other: ErrorKey): boolean =>
  ERROR_KEYS.every((key) => one[key] === other[key]);

/** The issues that were created or linked for this error, in any test. */
export const findErrorIssues = (
  { message, target, action, category }: ErrorKey,
  issuesBy: IssueLookup,
): ReturnType<IssueLookup> =>
  issuesBy({
    fingerprint: computeFingerprint({
      message: message ?? null,
      target: target ?? null,
      action: action ?? null,
      category: category ?? null,
    }),
  });

export type ErrorNames = Omit<ErrorKey, 'message'> & { readonly message?: string | null | undefined };

/**
 * What an error is about, such as `toHaveText · getByRole('alert')`. Many errors have the same first line, so the title
 * is what differs, if it is known.
 */
export const formatErrorTitle = ({ message, action, target }: ErrorNames): string =>
  (action && target ? `${action} · ${target}` : message) || 'No message';

/** Stored errors have names of categories that say too much. */
const CATEGORY_NAMES: Readonly<Record<string, string>> = { 'Infra / Misc': 'Other error' };

/** What the title leaves out: the message or the action and target, and the category. */
export function formatErrorKind(error: ErrorNames): string {
  const { message, action, target, category } = error;
  const isInTitle = Boolean(action && target);
  const otherNames = isInTitle ? [message] : [action, target];
  const categoryName = category && (CATEGORY_NAMES[category] ?? category);
  return [...otherNames, categoryName].filter(Boolean).join(' · ');
}
