import { test as base, expect } from '@playwright/test';

const test = base.extend<object, { connection: string }>({
  connection: [
    async ({ browserName }, use) => {
      await use(browserName);
      throw new Error('The connection cannot be closed');
    },
    { scope: 'worker' },
  ],
});

test('unstable search', ({ connection }) => {
  expect(connection).toBe('closed');
});

test('adds up', ({ connection }) => {
  expect(connection).toBe('chromium');
});
