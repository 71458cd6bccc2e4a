/** `npm run test:changed`: runs the tests that the uncommitted changes reach, or all changes since a commit. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { printLine, quiet, runProgram, TEXT } from '#infra/cli/terminal/terminal.ts';
import { readCalledFunctions } from '#test/harness/called-functions.ts';
import { PROJECT, readSources } from '#test/harness/sources.ts';
import { findReachedTests } from './reached-tests.ts';

const USAGE = `Usage: npm run test:changed -- [--base <commit>] [--list]

Runs the test files that your changes reach: through imports, and through the functions that a test file called over HTTP
when it last ran. A test file that has not run here yet counts as calling all functions.

  --base <commit>   what counts as unchanged. Default: HEAD, so that uncommitted and new files count as changed
  --list            only prints the test files`;

async function run(): Promise<void> {
  const { base, list, help } = parseArgs({
    options: { base: { ...TEXT, default: 'HEAD' }, list: { type: 'boolean' }, help: { type: 'boolean' } },
  }).values;
  if (help) return printLine(USAGE);
  const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  const sources = await readSources();
  const tests = sources.map(({ file }) => file).filter((file) => file.endsWith('.test.ts'));
  const notes = await Promise.all(tests.map(async (file) => [file, await readCalledFunctions(file)] as const));
  const calls = new Map(notes.flatMap(([file, names]) => (names === undefined ? [] : [[file, names] as const])));
  const reached = findReachedTests(changed, { sources, calls });
  printLine(quiet(`${changed.length} changed files reach ${reached.length} of ${tests.length} test files`));
  if (list || reached.length === 0) {
    for (const file of reached) printLine(file);
    return;
  }
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...reached];
  process.exitCode = spawnSync(process.execPath, args, { cwd: PROJECT, stdio: 'inherit' }).status ?? 1;
}

/** The lines that git prints. Throws its error, for example for an unknown commit. */
function git(...args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

await runProgram(USAGE, run);
