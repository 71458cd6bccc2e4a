afterAll(() => {
  throw new Error('the folder is not empty');
});

test('writes a file', () => {});
