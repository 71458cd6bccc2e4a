import { type CurrentsFixtures, type CurrentsWorkerFixtures, fixtures } from '@currents/playwright';
import { test as base } from '@playwright/test';

const { RUNDOWN_FIXTURES } = process.env;

/** Set up as the guide of the API says: with the fixtures of the published reporter, or with our own. */
export const test: typeof base = RUNDOWN_FIXTURES
  ? base.extend((await import(RUNDOWN_FIXTURES)).fixtures)
  : base.extend<CurrentsFixtures, CurrentsWorkerFixtures>({ ...fixtures.baseFixtures, ...fixtures.actionFixtures });
