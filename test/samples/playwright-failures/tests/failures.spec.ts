import { expect, test } from '@playwright/test';

test('an assertion fails in a nested step', async () => {
  console.log('the warehouse has 2 mugs');
  await test.step('fill the cart', async () => {
    await test.step('add a mug', () => {});
    await test.step('compare the sum', () => {
      expect(3).toBe(2);
    });
    await test.step('never reached', () => {});
  });
});

test('the time runs out while a step waits', async () => {
  test.setTimeout(700);
  await test.step('order a courier', () => {});
  await test.step('wait for the courier', () => new Promise(() => {}));
});

test.describe('a hook fails', () => {
  test.beforeEach(async () => {
    await test.step('open the shop', () => {
      throw new Error('The shop is closed on sundays');
    });
  });

  test('before the test begins', () => {});
});

test('is flaky', async () => {
  const { retry } = test.info();
  console.error(`attempt ${retry} at the door`);
  await test.step('knock', () => {
    expect(retry, 'somebody opens').toBeGreaterThan(0);
  });
});

test('fails twice, each time otherwise', () => {
  if (test.info().retry === 0) throw new Error('Order 4711 has no address');
  throw new TypeError('price is not a number');
});

test('several soft assertions fail', async () => {
  await test.step('look at the receipt', () => {
    expect.soft('2 mugs').toBe('3 mugs');
    expect.soft(19).toBe(28.5);
  });
  await test.step('take the receipt', () => {});
});
