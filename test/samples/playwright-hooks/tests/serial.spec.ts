import { expect, test } from '@playwright/test';

test.describe
  .serial('order', () => {
    test('unstable payment', () => {
      expect(1).toBe(2);
    });
    test('ships', () => {});
  });
