/** Tests of every outcome that Jest has. */
describe('cart', () => {
  test('adds an article', () => {});
  test('counts the articles', () => {
    console.log('the cart holds 2 articles');
    expect(2).toBe(3);
  });
  test.skip('is sold out', () => {});
  test.todo('gives a discount');
  test.failing('has a known bug', () => {
    throw new Error('known');
  });
  test.failing('has a bug that somebody fixed', () => {});
  test('takes too long', () => new Promise(() => {}), 20);
  test('shows "quotes", grüße 日本語 🎉 and \u001b[31mred\u001b[0m', () => {});
  describe('same', () => {
    const fail = () => {
      throw new TypeError('the second of two');
    };
    for (const check of [() => {}, fail]) test('name', check);
  });
});

describe('without a database', () => {
  beforeAll(() => {
    throw new Error('the database is down');
  });
  test('saves the cart', () => {});
});

describe('checks afterwards', () => {
  afterEach(() => {
    throw new Error('a request is open');
  });
  test('sends a request', () => {});
});
