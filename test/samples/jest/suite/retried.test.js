jest.retryTimes(2);

let tries = 0;

test('passes at the second try', () => {
  tries += 1;
  expect(tries).toBe(2);
});

test('fails at each try', () => {
  throw new Error('always');
});
