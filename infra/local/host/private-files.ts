/** Makes files readable for this user only, because the data contains signing secrets and credentials. */
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = 0o700;
const FILE = 0o600;
const OF_OTHERS = 0o077;

/** Makes all later files of this process and its engines private. */
export const keepWhatIsWrittenPrivate = (): void => void process.umask(OF_OTHERS);

/** Makes a folder of an earlier version private, with its content. Skips links, because they may lead anywhere. */
export async function makePrivate(folder: string): Promise<void> {
  await chmod(folder, FOLDER);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makePrivate(path);
    else if (entry.isFile()) await restrict(path);
  }
}

/** Ignores files that disappear meanwhile: an ending engine may remove its own. */
async function restrict(path: string): Promise<void> {
  try {
    const { mode } = await lstat(path);
    if (mode & OF_OTHERS) await chmod(path, FILE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
