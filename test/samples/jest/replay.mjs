/**
 * Repeats the recorded calls of a run of Jest: `node replay.mjs <package> <calls>`. With `--exit`, it exits before the
 * run ends.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, file, option] = process.argv.slice(2);
// The recorded paths begin with `/project`, the root of the suite.
const calls = JSON.parse(readFileSync(file, 'utf8').replaceAll('/project', process.cwd()));
// Jest loads reporters of both module formats.
const { default: Reporter } = createRequire(import.meta.url)(join(folder, 'jest.cjs'));
const reporter = new Reporter(
  { rootDir: process.cwd(), bail: 0, watch: false, watchAll: false },
  { tags: ['nightly'] },
);
for (const [call, ...args] of calls) {
  if (call === 'onRunComplete' && option === '--exit') process.exit(3);
  await reporter[call](...args);
}
