import { expect, test } from '@playwright/test';

test('comes after the gate', () => {
  expect(2 + 2).toBe(4);
});
