test('adds an article', () => {});

test('sends an order', () => {
  throw new Error('no stock');
});

test.skip('returns an order', () => {});
