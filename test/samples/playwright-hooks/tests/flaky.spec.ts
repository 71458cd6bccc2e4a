import { expect, test } from '@playwright/test';

test('unstable search', () => {
  expect(1).toBe(2);
});

test('passes on the second try', () => {
  expect(test.info().retry).toBe(1);
});
