import { expect, test } from '@playwright/test';
import { authorizeCard, isCardNumber, type Order, openOrder } from '#test/samples/playwright/shop/payment.ts';

test.describe('payment', () => {
  test('accepts a well-formed card number', () => {
    expect(isCardNumber('4539578763621486')).toBe(true);
  });

  // The defect was repaired, but `test.fail` stayed: a test that should fail and passes is a failure.
  test.fail('refuses a card number with swapped digits', () => {
    expect(isCardNumber('4539578763624186')).toBe(false);
  });

  test('hears from the bank in time', async () => {
    test.setTimeout(250);
    await new Promise(() => {});
  });
});

test.describe('order', { tag: '@order' }, () => {
  test.describe.configure({ mode: 'serial' });
  let order: Order;

  test('opens', () => {
    order = openOrder('A-1001', 2_850);
    expect(order.state).toBe('open');
  });

  test('is authorized by the card', () => {
    order = authorizeCard(order, '4539578763621486');
  });

  test('is paid', () => {
    expect(order.state).toBe('paid');
  });

  test('sends a receipt', () => {
    expect(order.id).toBe('A-1001');
  });
});
