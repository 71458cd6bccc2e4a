/** Tests of every outcome that node:test has. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

describe('cart', () => {
  test('adds an article', () => {});
  test('counts the articles', () => {
    console.log('the cart holds 2 articles');
    assert.equal(2, 3);
  });
  test('asks the bank', () => {
    throw { code: 42 };
  });
  test('is sold out', { skip: 'no stock' }, () => {});
  test('gives a discount', { todo: true }, () => {
    throw new Error('not written yet');
  });
  test('takes too long', { timeout: 20 }, () => pause(2000));
  test('shows "quotes", grüße 日本語 🎉 and \u001b[31mred\u001b[0m', () => {});
  describe('same', () => {
    const fail = () => {
      throw new TypeError('the second of two');
    };
    for (const check of [() => {}, fail]) test('name', check);
  });
});

describe('without a database', () => {
  before(() => {
    throw new Error('the database is down');
  });
  test('saves the cart', () => {});
  test('loads the cart', () => {});
});

describe('cleans up badly', () => {
  after(() => {
    throw new Error('the folder is not empty');
  });
  test('writes a file', () => {});
});

describe('checks afterwards', () => {
  afterEach(() => {
    throw new Error('a request is open');
  });
  test('sends a request', () => {});
});

test('order', async (context) => {
  await context.test('is placed', () => {});
  await context.test('is paid', () => {
    throw new Error('the card was refused');
  });
});

test('delivery', async (context) => {
  await context.test('is sent', () => {});
  throw new Error('the parcel is lost');
});
