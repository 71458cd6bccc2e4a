import { expect, test } from '@playwright/test';
import { readPriceList } from '#test/samples/playwright/shop/price-list.ts';

test.describe('price import', () => {
  let prices: Map<string, number>;

  test.beforeAll(() => {
    prices = readPriceList('article,cents\nmug,950\nplate,1250');
  });

  test('reads every article', () => {
    expect(prices.size).toBe(2);
  });

  test('reads prices in cents', () => {
    expect(prices.get('mug')).toBe(950);
  });
});

test('an empty price list is accepted', () => {
  expect(readPriceList('article,cents,cost').size).toBe(0);
});
