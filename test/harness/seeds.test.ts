import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from './cases.ts';

const small = fc.property(fc.nat(), (number) => number < 10);

const messageOf = (act: () => void): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('Expected an error');
};

test('A property that fails names the command that reproduces the failure, even if the name of its test contains " > "', () => {
  const [, seed = '', path = '', file, name = ''] =
    /^PROPERTY_SEED=(-?\d+) PROPERTY_PATH=([\d:]+) npx vitest run --config test\/vitest\.config\.ts (\S+) -t '([^'\n]+)'$/m.exec(
      messageOf(() => fc.assert(small, { numRuns: cases(100) })),
    ) ?? [];
  expect(file).toBe('test/harness/seeds.test.ts');
  expect(expect.getState().currentTestName).toMatch(new RegExp(name));
  expect(fc.check(small, { seed: Number(seed), path, endOnFailure: true })).toMatchObject({
    failed: true,
    numRuns: 1,
    counterexample: [10],
  });
});
