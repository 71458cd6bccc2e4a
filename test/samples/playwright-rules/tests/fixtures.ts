import type { CurrentsFixtures, CurrentsWorkerFixtures } from '@currents/playwright';
import { test as base } from '@playwright/test';

const { RUNDOWN_FIXTURES } = process.env;

/** Set up as the guide says: with the fixtures of the published reporter, with our own, or without any (`none`). */
export const test: typeof base = await makeTest();

async function makeTest(): Promise<typeof base> {
  if (RUNDOWN_FIXTURES === 'none') return base;
  if (RUNDOWN_FIXTURES) return base.extend((await import(RUNDOWN_FIXTURES)).fixtures);
  // Each worker loads this file, so only those that use the published fixtures load them.
  const { fixtures } = await import('@currents/playwright');
  return base.extend<CurrentsFixtures, CurrentsWorkerFixtures>({
    ...fixtures.baseFixtures,
    ...fixtures.actionFixtures,
  });
}
