/** Filters by branch. A filter is an exact name, or a prefix with one trailing `*`. */
import * as z from 'zod';
import { aliases } from '#shared/engine/http/query.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { limitCommitText } from '#shared/model/runs/commit.ts';
import { RESULT_LIMITS } from './limits.ts';

/** §4.1 A branch filter consists of printable ASCII characters without spaces. */
const BRANCH = /^[\x21-\x29\x2b-\x7e]*\*?$/;
export const BranchFilter = z
  .string()
  .min(1)
  .max(MODEL_LIMITS.branchFilterCharacters)
  .regex(BRANCH, 'must be a branch name, or a prefix with one trailing `*`, in printable ASCII without spaces');

/** Accepts any branch name that a run may have. Long names are shortened in the same way as recorded names. */
export const RecordedBranchFilter = z
  .string()
  .min(1)
  .overwrite((filter) => (filter.endsWith('*') ? `${limitCommitText(filter.slice(0, -1))}*` : limitCommitText(filter)));

export const branches = (filter: typeof BranchFilter) =>
  z
    .array(filter)
    .max(RESULT_LIMITS.filterValues)
    .optional()
    .meta({ description: 'Branch names, or prefixes with a trailing `*`' })
    .register(aliases, { deprecated: ['branch'] });

/** A name with accents has several Unicode forms, and a CI machine may send another one than people type. */
const normalizeBranch = (name: string): string => name.normalize('NFC');

export function matchesBranch(filters: readonly string[], branch: string | null): boolean {
  if (branch === null) return false;
  const name = normalizeBranch(branch);
  return filters.some((filter) =>
    filter.endsWith('*') ? name.startsWith(normalizeBranch(filter.slice(0, -1))) : name === normalizeBranch(filter),
  );
}

/** The characters with an ASCII normal form. A name that has one may match although the database sees other characters. */
const HAVE_ASCII_FORM = ['\u037e', '\u1fef', '\u212a'];

/** What the database can say of a matching branch: each name that matches meets it. */
export function toBranchCondition(filters: readonly string[], path: string): Condition | undefined {
  if (filters.length === 0 || !filters.every((filter) => /^[\x20-\x7e]*$/.test(filter))) return undefined;
  const conditions = [...new Set(filters)].map((filter) =>
    filter.endsWith('*') ? { path, beginsWith: filter.slice(0, -1) } : { path, equals: filter },
  );
  return { any: [...conditions, ...HAVE_ASCII_FORM.map((character) => ({ path, contains: character }))] };
}
