/**
 * `npm run test:frameworks` installs versions of Vitest that differ in their retries into temporary folders, runs a
 * sample suite, and records what each version says about the tests, for `test/client/vitest-reporter.test.ts`. The
 * project itself has only the newest version.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printLine } from '#infra/cli/terminal/terminal.ts';

const VERSIONS = ['3.0.0', '4.1.12', '5.1.2'];
const SAMPLES = join(import.meta.dirname, '../../samples/vitest-retries');

for (const version of VERSIONS) {
  const folder = mkdtempSync(join(tmpdir(), 'rundown-vitest-'));
  try {
    cpSync(join(SAMPLES, 'suite.spec.ts'), join(folder, 'suite.spec.ts'));
    writeFileSync(join(folder, 'package.json'), '{}');
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `vitest@${version}`];
    execFileSync('npm', install, { cwd: folder });
    // Vitest 3 loads only reporters in the folder of the suite.
    cpSync(join(import.meta.dirname, 'record-vitest.mjs'), join(folder, 'record-vitest.mjs'));
    const recorded = join(SAMPLES, `vitest-${version}.json`);
    rmSync(recorded, { force: true });
    const run = ['node_modules/vitest/vitest.mjs', 'run', '--reporter', './record-vitest.mjs'];
    const env = { ...process.env, RECORDED: recorded };
    const { status } = spawnSync('node', run, { cwd: folder, env, stdio: 'inherit' });
    if (status !== 1 || !existsSync(recorded))
      throw new Error(`Vitest ${version} ended with ${status}. Its tests fail on purpose, so 1 is expected`);
    printLine(`Recorded Vitest ${version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
