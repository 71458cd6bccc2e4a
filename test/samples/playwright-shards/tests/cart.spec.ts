import { expect, test } from '@playwright/test';

test.describe
  .serial('cart', () => {
    test('opens', () => {});
    test('closes', () => {
      expect(process.env.REPAIRED).toBe('1');
    });
  });

test('counts', () => {});
