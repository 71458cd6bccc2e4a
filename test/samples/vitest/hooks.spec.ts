import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';

describe('without a database', () => {
  beforeAll(() => {
    throw new Error('no database');
  });
  test('stores an order', () => undefined);
});
describe('without a user', () => {
  beforeEach(() => {
    throw new Error('no user');
  });
  test('signs in', () => undefined);
});
describe('without a broom', () => {
  afterAll(() => {
    throw new Error('cannot clean up');
  });
  test('leaves a mess', () => undefined);
});
