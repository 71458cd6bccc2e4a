/** The local service cannot start. The message tells the user what is wrong and what to do. */
export class CannotStart extends Error {
  override name = 'CannotStart';
}

export const getErrorCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Explains system errors about the data folder, from any step of the start. Returns other errors unchanged. */
export function explainStartError(error: unknown, dataFolder: string): unknown {
  if (error instanceof CannotStart || !(error instanceof Error)) return error;
  const code = getErrorCode(error);
  // Errors about other files or about the port do not concern the folder.
  const path = 'path' in error ? String(error.path) : '';
  const isOfFolder = path !== '' && (path.startsWith(dataFolder) || dataFolder.startsWith(path));
  if (isOfFolder && (code === 'ENOTDIR' || code === 'EEXIST'))
    return new CannotStart(
      `${dataFolder} is a file or lies in a file. Set RUNDOWN_DATA to a folder, for example RUNDOWN_DATA=/some/folder`,
    );
  if (isOfFolder && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS'))
    return new CannotStart(
      `This user may not write to ${dataFolder}. Make the user the owner of the folder, or set RUNDOWN_DATA to another folder`,
    );
  if (code === 'ENOSPC' || FULL.test(error.message))
    return new CannotStart(
      `The disk with ${dataFolder} is full. Free some space, or set RUNDOWN_DATA to a folder on another disk`,
    );
  return error;
}

const FULL = /ENOSPC|no space left|disk is full/i;

/** Replaces SQLite errors about a damaged file, which do not name the file. Returns other errors unchanged. */
export const explainDamage = (file: string, error: unknown, fix: string): unknown =>
  error instanceof Error && DAMAGE.test(error.message) ? new CannotStart(`${file} is damaged. ${fix}`) : error;

const DAMAGE = /not a (valid SQLite )?database|malformed|corrupt|no such (table|column)|has no column/i;
