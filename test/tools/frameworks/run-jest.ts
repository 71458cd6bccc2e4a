/**
 * `npm run test:frameworks` installs the oldest and the newest supported version of Jest into temporary folders, runs
 * the sample suites, and records how each version calls its reporter, for `test/client/jest-reporter.test.ts`. Jest is
 * not a dependency of the project, because it would add 50 MB to every installation.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printLine } from '#infra/cli/terminal/terminal.ts';

const VERSIONS = ['29.0.0', '30.5.2'];
const CTRF = 'jest-ctrf-json-reporter@0.0.11';
const SAMPLES = join(import.meta.dirname, '../../samples/jest');

/** The projects of each sample suite, by the folder of the suite. */
const SUITES: Readonly<Record<string, (folder: string) => readonly object[]>> = {
  suite: (rootDir) => [{ displayName: 'shop', rootDir }],
  projects: (folder) =>
    ['a', 'b'].map((displayName) => {
      const rootDir = join(folder, 'packages', displayName);
      return { displayName, rootDir, roots: [rootDir, join(folder, 'both')] };
    }),
};

for (const version of VERSIONS)
  for (const [suite, projectsIn] of Object.entries(SUITES)) {
    const folder = mkdtempSync(join(tmpdir(), 'rundown-jest-'));
    try {
      cpSync(join(SAMPLES, suite), folder, { recursive: true });
      if (suite === 'suite') writeFileSync(join(folder, 'broken.test.js'), "test('is not closed', () => {\n");
      writeFileSync(join(folder, 'package.json'), '{}');
      const packages = [`jest@${version}`, CTRF];
      execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
      const calls = join(folder, 'calls.ndjson');
      const reporters = [
        ['jest-ctrf-json-reporter', { outputDir: folder, outputFile: 'ctrf.json' }],
        [join(import.meta.dirname, 'record-calls.cjs'), { file: calls }],
      ];
      const config = JSON.stringify({ reporters, projects: projectsIn(folder) });
      // With two workers, the process that a test kills is a worker and not the main process of Jest.
      const { status } = spawnSync('node', ['node_modules/jest/bin/jest.js', '--ci', '-w', '2', '--config', config], {
        cwd: folder,
        stdio: 'inherit',
      });
      if (status !== 1 || !existsSync(calls))
        throw new Error(`Jest ${version} ended with ${status}. Its tests fail on purpose, so 1 is expected`);
      const recorded = readFileSync(calls, 'utf8').trimEnd().replaceAll('\n', ',\n');
      const name = suite === 'suite' ? `jest-${version}` : `jest-${version}-${suite}`;
      writeFileSync(join(SAMPLES, `${name}.json`), `[\n${recorded}\n]\n`);
      const ctrf = readFileSync(join(folder, 'ctrf.json'), 'utf8').replaceAll(folder, '/project');
      if (suite === 'suite') writeFileSync(join(SAMPLES, 'ctrf.json'), ctrf);
      printLine(`Recorded the suite "${suite}" with Jest ${version}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
