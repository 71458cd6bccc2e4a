import { expect } from '@playwright/test';
import { test } from './fixtures.ts';

test.describe('payment', () => {
  test('pays with a card', () => {
    expect('declined').toBe('accepted');
  });

  test('pays by invoice @slow', () => {
    expect('sent').toBe('sent');
  });

  test('pays by cheque', () => {
    expect('lost').toBe('most');
  });

  test('refunds', () => {
    throw new Error('This test must not run');
  });
});
