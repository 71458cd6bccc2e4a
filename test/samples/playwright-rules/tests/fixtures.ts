import { type CurrentsFixtures, type CurrentsWorkerFixtures, fixtures } from '@currents/playwright';
import { test as base } from '@playwright/test';

/** Set up as the guide of the API says. */
export const test = base.extend<CurrentsFixtures, CurrentsWorkerFixtures>({
  ...fixtures.baseFixtures,
  ...fixtures.actionFixtures,
});
