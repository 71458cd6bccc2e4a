import { test } from '@playwright/test';

test('the worker dies', () => {
  process.exit(7);
});
