/** Screenshots that differ from those of an earlier run with another `VITE_COLOR`. */
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';

const show = (...names) => {
  const color = import.meta.env.VITE_COLOR ?? 'red';
  document.body.innerHTML = names
    .map((name) => `<div data-testid="${name}" style="width: 100px; height: 50px; background: ${color}">${name}</div>`)
    .join('');
};

test('shows the shop', async () => {
  show('shop');
  await expect.element(page.getByTestId('shop')).toMatchScreenshot('home');
});

test('shows the cart and the sum', async () => {
  show('cart', 'sum');
  await expect.soft(page.getByTestId('cart')).toMatchScreenshot();
  await expect.soft(page.getByTestId('sum')).toMatchScreenshot();
});
