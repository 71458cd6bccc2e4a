/** Errors for unreadable data files. They say how to fix it, and what is lost. */
import { CannotStart } from './cannot-start.ts';

export const damaged = (file: string, fix: string) => new CannotStart(`${file} is damaged. ${fix}`);

/** Adds the file name to SQLite errors, which omit it. Returns other errors unchanged. */
export const damageOf = (file: string, error: unknown, fix: string): unknown =>
  error instanceof Error && DAMAGE.test(error.message) ? damaged(file, fix) : error;

const DAMAGE = /not a (valid SQLite )?database|malformed|corrupt|no such (table|column)|has no column/i;
