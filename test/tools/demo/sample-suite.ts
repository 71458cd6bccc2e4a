/** Runs the sample suite with the published reporter, which records it on the local service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';
import { CannotShow, type Local } from './local-service.ts';

const SUITE = 'test/samples/playwright';
/** The expected exit status of Playwright, because some tests of the sample suite fail on purpose. */
const ENDED_WITH_FAILURES = 1;
const LAST_OUTPUT_CHARACTERS = 2000;

/**
 * Runs the suite without printing anything. If the suite fails unexpectedly, throws `CannotShow` with the end of
 * Playwright's output.
 */
export async function runSampleSuite({ recordUrl, projects, apiKeys }: Local, ciBuildId: string): Promise<void> {
  const output = await mkdtemp(join(tmpdir(), 'rundown-demo-'));
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const child = spawn(process.execPath, [playwright, 'test', '--config', SUITE, '--output', output], {
    cwd: PROJECT,
    env: {
      ...process.env,
      CURRENTS_API_URL: recordUrl,
      CURRENTS_PROJECT_ID: projects[0].projectId,
      CURRENTS_RECORD_KEY: apiKeys.readWrite,
      CURRENTS_CI_BUILD_ID: ciBuildId,
      CURRENTS_CONSOLE_OUTPUT: 'summary',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed = (printed + chunk).slice(-LAST_OUTPUT_CHARACTERS);
    });
  }
  try {
    await once(child, 'close');
  } finally {
    await rm(output, { recursive: true, force: true });
  }
  if (child.exitCode === ENDED_WITH_FAILURES) return;
  throw new CannotShow(
    `Playwright ended with ${child.exitCode ?? child.signalCode} instead of ${ENDED_WITH_FAILURES}. Its output ends with:\n${printed}`,
  );
}
