import { describe, expect, test } from 'vitest';

let tries = 0;

describe('cart', () => {
  test('holds an article', () => {
    console.log('one mug');
    expect(['mug']).toHaveLength(1);
  });
  describe('discounts', () => {
    test('apply once', () => {
      console.log('applied twice');
      console.error('a warning');
      expect({ times: 2 }).toEqual({ times: 1 });
    });
    test.each([10, 20])('of %i percent', (percent) => {
      expect(percent).toBeLessThan(100);
    });
  });
});

test('reaches the stock', { retry: 2 }, async () => {
  tries += 1;
  console.log(`try ${tries}`);
  // Vitest tells the millisecond of an output, but not its attempt, so the attempts are some milliseconds apart.
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(tries).toBe(2);
});
test('never reaches the stock', { retry: 1 }, () => {
  throw new TypeError('no stock');
});
test('asks the bank', () => {
  throw { code: 42 };
});
test.skip('gift cards', () => undefined);
test.todo('vouchers');
test('returns', (context) => context.skip('not this year'));
test.fails('sells what is sold out', () => {
  expect(0).toBe(1);
});
test.fails('sells nothing', () => undefined);
test('waits for the bank', { timeout: 20 }, () => new Promise(() => undefined));
test('zahlt in € – schnell 🛒', () => undefined);
for (const name of ['same name', 'same name']) test(name, () => undefined);
