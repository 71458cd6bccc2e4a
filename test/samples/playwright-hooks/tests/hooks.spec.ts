import { test } from '@playwright/test';

test.describe('unstable database', () => {
  test.beforeAll(() => {
    throw new Error('no database');
  });
  test('reads', () => {});
  test('writes', () => {});
});

test.describe('unstable mail', () => {
  test.afterAll(() => {
    throw new Error('no mail');
  });
  test('sends', () => {});
});

test('unstable search never ends', () => new Promise(() => {}));

test('adds up', () => {});
