/**
 * Gives each test file its own modules, environment and clock. A new process per file would do the same. But it would load
 * all packages again, which takes longer than most files.
 */
import { afterAll, vi } from 'vitest';

const { env } = process;
const before = { ...env };

// Forgets the modules of this project. Packages stay.
vi.resetModules();

afterAll(() => {
  vi.useRealTimers();
  for (const name of Object.keys(env)) if (!(name in before)) delete env[name];
  Object.assign(env, before);
});
