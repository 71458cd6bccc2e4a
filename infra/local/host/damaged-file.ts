/** Errors for unreadable data files: the file, the fix, and what the fix costs. */
import { CannotStart } from './cannot-start.ts';

export const damaged = (file: string, fix: string) => new CannotStart(`${file} is damaged. ${fix}`);

/** Adds the file name to an error of SQLite, which omits it. Returns other errors unchanged. */
export const damageOf = (file: string, error: unknown, fix: string): unknown =>
  error instanceof Error && DAMAGE.test(error.message) ? damaged(file, fix) : error;

const DAMAGE = /not a (valid SQLite )?database|malformed|corrupt|no such (table|column)|has no column/i;
