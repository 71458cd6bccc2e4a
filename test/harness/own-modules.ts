/**
 * Gives each test file its own test modules, environment, file mode mask and clock. A new process per file would have
 * the same effect, but would load the product and all packages again, which takes longer than most test files.
 */
import '#infra/build/jsx.ts';
import { afterAll, vi } from 'vitest';

declare global {
  /** The environment of the process before its first test file. */
  var environmentOfTests: Readonly<NodeJS.ProcessEnv> | undefined;
}

const { env } = process;
globalThis.environmentOfTests ??= { ...env };
const environment = globalThis.environmentOfTests;

function restore(): void {
  vi.useRealTimers();
  for (const name of Object.keys(env)) if (!(name in environment)) delete env[name];
  Object.assign(env, environment);
}

// If a hook of an earlier file has failed, its last hooks did not run.
restore();

// A service with a data folder sets a stricter mask for the whole process, and an earlier file may have started one.
process.umask(0o022);

// Resets the modules below test/. Packages and product modules stay loaded, because they keep no state.
vi.resetModules();

afterAll(restore);
