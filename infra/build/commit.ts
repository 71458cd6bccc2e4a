import { spawnSync } from 'node:child_process';

/** The commit of this checkout, which a deployment shows. Outside a checkout, as in an unpacked archive, git prints none. */
export function describeCommit(): string | undefined {
  const described = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return described.stdout?.trim() || undefined;
}
