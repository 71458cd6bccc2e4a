/** The entry point of the CDK CLI, named in cdk.json. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { synthesize } from './synth.ts';

// Outside a checkout, such as in an unpacked archive, git prints no commit.
const described = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
});
const commit = described.stdout?.trim() || undefined;
await synthesize({ environments: join(import.meta.dirname, 'environments'), commit });
