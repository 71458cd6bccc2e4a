/** Runs the published reporter against the deployment. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';
import type { Emulator } from './emulator.ts';
import type { Account } from './recording.ts';

/**
 * Records the sample suite, some of whose tests fail on purpose. Its output goes to `reporter.log`. Returns the id of
 * the CI build.
 */
export async function runReporter(
  { emulator, origin, directory }: { readonly emulator: Emulator; readonly origin: string; readonly directory: string },
  { projectId, recordKey }: Account,
): Promise<string> {
  const { AWS_CA_BUNDLE } = emulator.environment;
  const ciBuildId = `reporter-${Date.now()}`;
  const results = join(directory, 'results');
  const child = spawn(
    process.execPath,
    [
      join(PROJECT, 'node_modules/@playwright/test/cli.js'),
      'test',
      '--config',
      'test/samples/playwright',
      '--output',
      results,
    ],
    {
      cwd: PROJECT,
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        FORCE_COLOR: '0',
        CURRENTS_API_URL: origin,
        CURRENTS_PROJECT_ID: projectId,
        CURRENTS_RECORD_KEY: recordKey,
        CURRENTS_CI_BUILD_ID: ciBuildId,
        ...(AWS_CA_BUNDLE === undefined ? {} : { NODE_EXTRA_CA_CERTS: AWS_CA_BUNDLE }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const log = join(directory, 'reporter.log');
  const file = createWriteStream(log);
  for (const output of [child.stdout, child.stderr]) output.pipe(file, { end: false });
  const [status]: unknown[] = await once(child, 'exit');
  // Playwright exits with status 1 if tests fail.
  assert.equal(status, 1, `The reporter ended with ${status}. Read ${log}`);
  return ciBuildId;
}

/** Runs test files with their output. */
export async function runTests(config: string): Promise<void> {
  const child = spawn('npx', ['vitest', 'run', '--config', config], { cwd: PROJECT, stdio: 'inherit' });
  const [status]: unknown[] = await once(child, 'exit');
  assert.equal(status, 0, 'The tests failed: see above');
}
