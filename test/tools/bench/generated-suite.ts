/** Generates suites, and runs them with Playwright for real, with or without a reporter that records them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClient } from '#infra/client/build.ts';
import type { BenchService } from './bench-service.ts';

const PACKAGES = join(import.meta.dirname, '../../../node_modules');
export interface SuiteSize {
  readonly specs: number;
  readonly testsPerSpec: number;
  /** The duration of each test. */
  readonly milliseconds: number;
  /** The number of failing tests, at most one per spec file. */
  readonly failing: number;
  readonly workers: number;
  /**
   * By how many milliseconds each finished test moves the clock of the reporter. A reporter sends batches by the clock, so
   * a slow machine would count more of them.
   */
  readonly tick?: number;
}

/**
 * Quick tests, for which the overhead of a reporter matters most. By its clock, the suite takes ten seconds, as on a
 * machine with nothing else to do.
 */
export const QUICK: SuiteSize = { specs: 20, testsPerSpec: 50, milliseconds: 1, failing: 20, workers: 2, tick: 10 };
/** Tests of five seconds, like browser tests. The published reporter also sends a message about their progress. */
export const SLOW: SuiteSize = { specs: 10, testsPerSpec: 10, milliseconds: 5000, failing: 2, workers: 10 };

export interface GeneratedSuite extends SuiteSize {
  readonly folder: string;
  readonly tests: number;
  remove(): Promise<void>;
}

/** Writes the suite into a temporary folder, with both reporters installed. The folder is a Git repository. */
export async function writeSuite(size: SuiteSize): Promise<GeneratedSuite> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-bench-suite-'));
  await mkdir(join(folder, 'tests'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['@playwright', '@currents'])
    await symlink(join(PACKAGES, name), join(folder, 'node_modules', name));
  await buildClient(join(folder, 'node_modules/rundown-cli'));
  await writeFile(join(folder, '.gitignore'), 'node_modules\ntest-results\n');
  await writeFile(join(folder, 'package.json'), '{ "name": "quick", "private": true }\n');
  await writeFile(join(folder, 'playwright.config.ts'), configurationOf(size));
  await writeFile(join(folder, 'clock.cjs'), CLOCK);
  for (let file = 0; file < size.specs; file += 1) {
    const name = `orders-${String(file).padStart(2, '0')}.spec.ts`;
    await writeFile(join(folder, 'tests', name), specOf(file, size));
  }
  await command(folder, ['git', 'init', '--quiet', '--initial-branch', 'main']);
  await command(folder, ['git', 'add', '.']);
  const author = ['-c', 'user.name=Alex Doe', '-c', 'user.email=alex.doe@example.com'];
  await command(folder, ['git', ...author, 'commit', '--quiet', '--message', 'Keep the discount']);
  return {
    ...size,
    folder,
    tests: size.specs * size.testsPerSpec,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const configurationOf = ({ workers }: SuiteSize): string => `import { defineConfig } from '@playwright/test';

const more = process.env.BENCH_REPORTER;
const clock = process.env.BENCH_TICK ? [['./clock.cjs']] : [];
export default defineConfig({
  testDir: './tests',
  retries: 1,
  workers: ${workers},
  reporter: more ? [['dot'], ...clock, [more]] : [['dot']],
});
`;

/** A reporter that comes before the measured one, and replaces its clock and its timer. Workers have their own clocks. */
const CLOCK = `
const timers = new Set();
let time = Date.now();
Date.now = () => time;
globalThis.setInterval = (call, milliseconds) => {
  const timer = { call, milliseconds, at: time + milliseconds, unref: () => timer };
  timers.add(timer);
  return timer;
};
globalThis.clearInterval = (timer) => timers.delete(timer);

module.exports = class {
  onTestEnd() {
    time += Number(process.env.BENCH_TICK);
    for (const timer of timers)
      if (time >= timer.at) {
        timer.at += timer.milliseconds;
        timer.call();
      }
  }
};
`;

/** If a spec file has a failing test, it is the first one, so that its retry does not delay the end of the suite. */
const specOf = (file: number, { testsPerSpec, milliseconds, failing }: SuiteSize): string => `
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@playwright/test';

test.describe('orders ${file}', () => {
  for (let order = 0; order < ${testsPerSpec}; order += 1) {
    test(\`keeps the discount of order \${order}\`, async () => {
      await setTimeout(${milliseconds});
      if (order === 0) console.log('discount of order', order);
      expect(order === 0 ? ${file < failing ? file + 2 : 1} : 1).toBe(1);
    });
  }
});
`;

/** The environment variables that select and configure each reporter. */
export const REPORTERS = {
  none: () => ({}),
  ours: ({ origin, projectId, recordKey }: Recorder) => ({
    BENCH_REPORTER: 'rundown-cli/playwright',
    RUNDOWN_URL: origin,
    RUNDOWN_PROJECT: projectId,
    RUNDOWN_API_KEY: recordKey,
    RUNDOWN_STRICT: '1',
  }),
  published: ({ origin, projectId, recordKey }: Recorder) => ({
    BENCH_REPORTER: '@currents/playwright',
    CURRENTS_API_URL: origin,
    CURRENTS_PROJECT_ID: projectId,
    CURRENTS_RECORD_KEY: recordKey,
  }),
} as const;

type Recorder = Pick<BenchService, 'origin' | 'projectId' | 'recordKey'>;
export type ReporterName = keyof typeof REPORTERS;

export interface SuiteRun {
  /** Seconds. */
  readonly wall: number;
  /** Seconds that all processes of the test run spend in user and system mode. */
  readonly cpu: number;
  readonly output: string;
}

interface RunOptions {
  readonly reporter: ReporterName;
  readonly recorder: Recorder;
  readonly ciBuildId: string;
  /** The beginning of a command that chooses the processors, such as `taskset --cpu-list 0-2`. */
  readonly pin?: readonly string[];
  /** Whether the finished tests move the clock of the reporter. */
  readonly hasOwnClock?: boolean;
}

/** Runs the suite. Throws unless the expected number of tests failed. */
export async function runSuite(
  { folder, failing, tick }: GeneratedSuite,
  { reporter, recorder, ciBuildId, pin = [], hasOwnClock = false }: RunOptions,
): Promise<SuiteRun> {
  const env = {
    RUNDOWN_CI_BUILD_ID: ciBuildId,
    CURRENTS_CI_BUILD_ID: ciBuildId,
    BENCH_TICK: hasOwnClock && tick !== undefined ? String(tick) : '',
    ...REPORTERS[reporter](recorder),
  };
  const playwright = [process.execPath, join(folder, 'node_modules/@playwright/test/cli.js'), 'test'];
  // Bash reports the CPU time of the test run with all its child processes, which Node cannot do.
  const timed = [...pin, 'bash', '-c', 'TIMEFORMAT="times %R %U %S"; time "$@"', 'bash', ...playwright];
  const { status, output } = await command(folder, timed, env);
  const [, wall, user, system] = /times (\S+) (\S+) (\S+)/.exec(output) ?? [];
  const failed = Number(/(\d+) failed/.exec(output)?.[1] ?? 0);
  if (status !== Math.min(failing, 1) || failed !== failing)
    throw new Error(`The suite did not end as expected: ${output.slice(-4000)}`);
  return { wall: Number(wall), cpu: Number(user) + Number(system), output };
}

/** Runs a program with few environment variables, so that neither a CI system nor other settings are found. */
async function command(cwd: string, [program = '', ...args]: readonly string[], env = {}) {
  const { PATH = '', HOME = cwd } = process.env;
  const child = spawn(program, args, { cwd, env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  return { status: child.exitCode, output };
}
