/** The sources of the release before this version, from the history of this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';

/** The release from which the test updates. After a release, name its tag here. */
export const RELEASE = { version: '0.2.0', commit: 'b50cb2cb' };

const runGit = (...words: string[]): Buffer =>
  execFileSync('git', words, { cwd: PROJECT, maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'pipe'] });

/** A sentence that says why the release is not available, or `undefined` if it is. */
export function findMissingHistory(): string | undefined {
  try {
    runGit('cat-file', '-e', `${RELEASE.commit}^{commit}`);
    return undefined;
  } catch {
    return `The commit ${RELEASE.commit} of release ${RELEASE.version} is not in this clone: fetch the whole history (git fetch --unshallow)`;
  }
}

/** Unpacks the sources of the release into a new folder, with the installed packages of this version. */
export async function unpackRelease(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  execFileSync('tar', ['--extract', '--directory', folder], { input: runGit('archive', RELEASE.commit) });
  if (!existsSync(join(folder, 'node_modules')))
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
}
