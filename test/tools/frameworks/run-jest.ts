/**
 * `npm run test:frameworks` installs the oldest and the newest supported version of Jest into temporary folders, runs
 * the sample suite, and records how each version calls its reporter, for `test/client/jest-reporter.test.ts`. Jest is
 * not a dependency of the project, because it would add 50 MB to every installation.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printLine } from '#infra/cli/terminal.ts';

const VERSIONS = ['29.0.0', '30.5.2'];
const CTRF = 'jest-ctrf-json-reporter@0.0.11';
const SAMPLES = join(import.meta.dirname, '../../samples/jest');

for (const version of VERSIONS) {
  const folder = mkdtempSync(join(tmpdir(), 'rundown-jest-'));
  try {
    cpSync(join(SAMPLES, 'suite'), folder, { recursive: true });
    writeFileSync(join(folder, 'broken.test.js'), "test('is not closed', () => {\n");
    writeFileSync(join(folder, 'package.json'), '{}');
    const packages = [`jest@${version}`, CTRF];
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
    const calls = join(folder, 'calls.ndjson');
    const reporters = [
      ['jest-ctrf-json-reporter', { outputDir: folder, outputFile: 'ctrf.json' }],
      [join(import.meta.dirname, 'record-calls.cjs'), { file: calls }],
    ];
    const config = JSON.stringify({ reporters, projects: [{ displayName: 'shop', rootDir: folder }] });
    // With two workers, the process that a test kills is a worker and not the main process of Jest.
    const { status } = spawnSync('node', ['node_modules/jest/bin/jest.js', '--ci', '-w', '2', '--config', config], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status !== 1 || !existsSync(calls))
      throw new Error(`Jest ${version} ended with ${status}. Its tests fail on purpose, so 1 is expected`);
    const recorded = readFileSync(calls, 'utf8').trimEnd().replaceAll('\n', ',\n');
    writeFileSync(join(SAMPLES, `jest-${version}.json`), `[\n${recorded}\n]\n`);
    const ctrf = readFileSync(join(folder, 'ctrf.json'), 'utf8').replaceAll(folder, '/project');
    writeFileSync(join(SAMPLES, 'ctrf.json'), ctrf);
    printLine(`Recorded Jest ${version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
