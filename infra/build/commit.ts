import { spawnSync } from 'node:child_process';

/** The commit of this checkout, which a deployment shows. Outside a checkout, as in an unpacked archive, git prints none. */
export function describeCommit(): string | undefined {
  const result = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return result.stdout?.trim() || undefined;
}
