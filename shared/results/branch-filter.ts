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
  .overwrite((filter) => {
    const { name, isPrefix } = parseBranchFilter(filter);
    return isPrefix ? `${limitCommitText(name)}*` : limitCommitText(name);
  });

/** The schema of the query parameter `branches`, which was called `branch` in earlier versions. */
export const makeBranchFilters = (filter: typeof BranchFilter) =>
  z
    .array(filter)
    .max(RESULT_LIMITS.filterValues)
    .optional()
    .meta({ description: 'Branch names, or prefixes with a trailing `*`' })
    .register(aliases, { deprecated: ['branch'] });

/** The whole name of a branch, or a prefix of it. */
interface ParsedFilter {
  readonly name: string;
  readonly isPrefix: boolean;
}

const parseBranchFilter = (filter: string): ParsedFilter =>
  filter.endsWith('*') ? { name: filter.slice(0, -1), isPrefix: true } : { name: filter, isPrefix: false };

/** A name with accents has several Unicode forms, and a CI machine may send another one than people type. */
const normalizeBranch = (name: string): string => name.normalize('NFC');

/** Whether one of the filters matches the branch. */
export function matchesBranch(filters: readonly string[], branch: string | null): boolean {
  if (branch === null) return false;
  const branchName = normalizeBranch(branch);
  return filters.some((filter) => {
    const { name, isPrefix } = parseBranchFilter(filter);
    const filterName = normalizeBranch(name);
    return isPrefix ? branchName.startsWith(filterName) : branchName === filterName;
  });
}

/** The only other characters with a normal form in ASCII: the Greek question mark and varia, and the Kelvin sign. */
const HAVE_ASCII_FORM = ['\u037e', '\u1fef', '\u212a'];

/**
 * Lets the database leave out most rows that do not match. `path` is the attribute with the branch. The condition is
 * necessary, but not sufficient: each branch that matches meets it, and `matchesBranch` decides about those that meet
 * it. The database compares characters and not normal forms, so branches with a character of `HAVE_ASCII_FORM` always
 * meet it. `undefined` if every row must be read: without filters, and for filters with other than ASCII characters.
 */
export function toBranchCondition(filters: readonly string[], path: string): Condition | undefined {
  if (filters.length === 0 || !filters.every((filter) => /^[\x20-\x7e]*$/.test(filter))) return undefined;
  const conditions = [...new Set(filters)].map((filter) => {
    const { name, isPrefix } = parseBranchFilter(filter);
    return isPrefix ? { path, beginsWith: name } : { path, equals: name };
  });
  return { any: [...conditions, ...HAVE_ASCII_FORM.map((character) => ({ path, contains: character }))] };
}
