/** Decides which of the files that a spool names may be sent. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/**
 * Finds a file that a spool names. Only regular files below the folder are sent, and none of Git, which keeps the
 * credentials of a checkout. Links and `..` are resolved first, so that they do not lead out of the folder.
 */
export async function findFileToSend(
  path: string,
  folder: string,
): Promise<{ readonly path: string } | { readonly problem: string; readonly isKept: boolean }> {
  try {
    const [file, root] = await Promise.all([realpath(path), realpath(folder)]);
    const place = relative(root, file);
    const segments = place.split(sep);
    if (segments[0] === '..' || isAbsolute(place))
      return { problem: `its file is not below ${root}. Run the command in a folder that contains it`, isKept: true };
    if (segments.includes('.git')) return { problem: 'its file belongs to Git', isKept: false };
    if ((await stat(file)).isFile()) return { path: file };
  } catch {
    // Somebody has deleted it since, or must not read it.
  }
  return { problem: 'its file cannot be read', isKept: false };
}
