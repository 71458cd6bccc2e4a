import { expect } from '@playwright/test';
import { test } from '#test/samples/playwright/market.ts';
import { Cart, reserveLastPiece } from '#test/samples/playwright/shop/cart.ts';

const mug = { article: 'mug', unitCents: 950, costCents: 400 };

test.describe('cart', () => {
  test('sums equal articles', { annotation: { type: 'requirement', description: 'CART-3' } }, async () => {
    const cart = new Cart();
    await test.step('fill the cart', async () => {
      cart.add({ ...mug, pieces: 2 });
      await test.step('add the same article again', () => cart.add({ ...mug, pieces: 1 }));
    });
    console.log(`cart holds ${cart.articles.length} article`);
    console.error('no warehouse is connected');
    test.info().annotations.push({ type: 'total', description: `${cart.totalCents()} cents` });
    await test.info().attach('cart', { body: JSON.stringify(cart.articles), contentType: 'application/json' });
    expect(cart.totalCents()).toBe(2_850);
  });

  test('refuses a line without pieces', () => {
    expect(() => new Cart().add({ ...mug, pieces: 0 })).toThrow('at least one piece');
  });

  test('reserves the last piece in stock', { tag: '@stock' }, () => {
    const { retry } = test.info();
    console.log(`request ${retry + 1} to the warehouse`);
    expect(reserveLastPiece(retry)).toBe('reserved');
  });
});
