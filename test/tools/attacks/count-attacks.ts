/**
 * `npm run attacks` runs the tests that attack the service, stores how many attacks they made, and writes the numbers
 * into SECURITY.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FLAG, printError, printLine, runProgram } from '#infra/cli/terminal/terminal.ts';
import { ATTACKS_FILE, CountedAttacks } from '#test/harness/attack-classes.ts';
import { PROJECT } from '#test/harness/sources.ts';
import { readCountedAttacks, storeAttacks } from './attack-table.ts';
import { listAttackingFiles } from './attacking-files.ts';

const USAGE = `Usage: npm run attacks -- [--stored] [<test file> …]

Runs the tests that attack the service, and writes the numbers of attacks into SECURITY.md. With test files, counts only
those again.

  --stored   counts nothing, and writes the stored numbers again, for example after a text has changed`;

/** Returns what the files counted, or `undefined` if a test failed or was left out. */
async function count(files: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-attacks-'));
  const place = join(folder, 'counts');
  try {
    const words = ['node_modules/.bin/vitest', 'run', '--config', 'test/vitest.config.ts', ...files];
    const env = { ...process.env, [ATTACKS_FILE]: place };
    const [code] = await once(spawn(process.execPath, words, { cwd: PROJECT, env, stdio: 'inherit' }), 'exit');
    if (code !== 0) return undefined;
    const lines = (await readFile(place, 'utf8')).trim().split('\n');
    const counted = CountedAttacks.parse(Object.fromEntries(lines.map((line) => JSON.parse(line))));
    const left = files.filter((file) => !(file in counted));
    if (left.length > 0) printError(`Tests were left out in ${left.join(', ')}`);
    return left.length > 0 ? undefined : counted;
  } finally {
    await rm(folder, { recursive: true });
  }
}

await runProgram(USAGE, async () => {
  const { values, positionals } = parseArgs({ options: { stored: FLAG, help: FLAG }, allowPositionals: true });
  if (values.help) return printLine(USAGE);
  const attacking = (await listAttackingFiles()).map(({ file }) => file);
  const unknown = positionals.filter((file) => !attacking.includes(file));
  if (unknown.length > 0) throw new Error(`These files count no attacks: ${unknown.join(', ')}`);
  const counted = values.stored ? {} : await count(positionals.length > 0 ? positionals : attacking);
  if (!counted) throw new Error('Nothing was written');
  const earlier = Object.entries(await readCountedAttacks()).filter(([file]) => attacking.includes(file));
  await storeAttacks({ ...Object.fromEntries(earlier), ...counted });
  printLine('SECURITY.md has the numbers of attacks.');
});
