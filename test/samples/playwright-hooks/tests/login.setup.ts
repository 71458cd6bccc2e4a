import { expect, test } from '@playwright/test';

test('unstable login', () => {
  expect(1).toBe(2);
});
