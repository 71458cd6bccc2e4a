/** Errors for unreadable data files. Each error says how to fix the file, and what is lost. */
import { CannotStart } from './cannot-start.ts';

export const damaged = (file: string, fix: string) => new CannotStart(`${file} is damaged. ${fix}`);

/** Replaces SQLite errors about a damaged file, which do not name the file. Returns other errors unchanged. */
export const damageOf = (file: string, error: unknown, fix: string): unknown =>
  error instanceof Error && DAMAGE.test(error.message) ? damaged(file, fix) : error;

const DAMAGE = /not a (valid SQLite )?database|malformed|corrupt|no such (table|column)|has no column/i;
