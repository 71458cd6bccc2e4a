import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listCauseTraits } from '#shared/errors/cause-traits.ts';
import { groupByCause } from '#shared/results/failures/causes.ts';
import type { MarkedTest } from '#shared/results/failures/marked-tests.ts';
import { cases } from '#test/harness/cases.ts';

interface Failing {
  readonly message: string;
  readonly stack?: string | null;
  readonly spec?: string;
}

const markTest = (place: number, spec: string, traits: readonly string[] | undefined): MarkedTest => ({
  ...{ organizationId: 'org', runId: 'run', mark: 'f', groupId: 'unit', expiresAt: undefined },
  ...{ instanceId: `run${spec}`, testKey: `${place}`, place: `${spec}#${place}`, spec, traits },
});

const markFailures = (all: readonly Failing[]): MarkedTest[] =>
  all.map(({ message, stack = null, spec = 'a.test.ts' }, index) =>
    markTest(index, spec, listCauseTraits({ message, stack })),
  );

const listCauses = (all: readonly Failing[]): string[] =>
  groupByCause(markFailures(all)).map(({ text, tests }) => `${tests.length} × ${text}`);

const repeat = (count: number, make: (index: number) => Failing): Failing[] =>
  Array.from({ length: count }, (_, index) => make(index));

const expects = (received: string | number, expected: string | number): string =>
  `AssertionError: expected ${received} to be ${expected} // Object.is equality\n\n- Expected\n+ Received\n\n- ${expected}\n+ ${received}\n`;
const equals = (received: string, expected: string): string =>
  `AssertionError: expected '${received}' to deeply equal '${expected}'\n\nExpected: "${expected}"\nReceived: "${received}"`;
const locator = (target: string, received: string): string =>
  `Error: expect(locator).toHaveText(expected) failed\n\nLocator:  ${target}\nExpected: "Paid"\nReceived: "${received}"\nTimeout:  5000ms\n`;

describe('The causes of the failures of a run', () => {
  test('name the value that most tests received, whatever they expected and wherever they stand', () => {
    const failures = [
      ...repeat(60, (index) => ({ message: expects(404, 200), spec: `${index}.test.ts` })),
      ...repeat(12, (index) => ({ message: expects(404, 201), spec: `${index}.test.ts` })),
      ...repeat(9, () => ({ message: equals('404 Not Found', 'hono') })),
      ...repeat(3, () => ({ message: "TypeError: Cannot read properties of null (reading 'get')" })),
    ];
    expect(listCauses(failures)).toEqual([
      '72 × received 404',
      '9 × received "404 Not Found" instead of "hono"',
      "3 × Cannot read properties of null (reading 'get')",
    ]);
  });

  test('name the status that tests received which compare whole answers, together with those that compare the status', () => {
    const answers = (received: readonly string[], expected: string) => ({
      message: `AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n${received.map((line) => `+   ${line}`).join(',\n')}\n-   ${expected}\n  }\n`,
    });
    const failures = [
      ...repeat(9, (index) =>
        answers(
          ["error: 'Not Found'", `message: 'Route GET:/${index} not found'`, 'statusCode: 404'],
          "hello: 'world'",
        ),
      ),
      ...repeat(3, () => ({ message: 'AssertionError: Expected values to be strictly equal:\n\n404 !== 200\n' })),
      ...repeat(2, () => answers(["hello: 'moon'"], 'statusCode: 500')),
    ];
    expect(listCauses(failures)).toEqual(['12 × received 404', '2 × Expected values to be strictly deep-equal']);
  });

  test('name a value that some tests print as a whole, and others as what they got', () => {
    const log = (text: string, test: string) => ({
      message: text,
      stack: `    ${test.toLowerCase()}_test.go:132: ${text}\n`,
    });
    const failures = [
      ...repeat(15, (index) => log('404 page not found', `Mux${index}`)),
      log('expecting "/hubs/{hubID}", got "404 page not found\\n"', 'Pattern'),
      log('expected:hub1 got:404 page not found', 'Server'),
      log("response text doesn't match; expected:'hub', got:'404 page not found'", 'Text'),
      ...repeat(2, (index) => log('root 7 mw with', `Root${index}`)),
    ];
    expect(listCauses(failures)).toEqual(['18 × received 404 page not found', '2 × root 7 mw with']);
  });

  test('begin with the one that says most: a value before the words of an assertion that received many values', () => {
    const differs = (received: string) => `Expected values to be strictly equal:\n\n${received} !== 200\n`;
    const failures = [
      ...repeat(23, (index) => ({ message: differs(`${500 + index}`) })),
      ...repeat(20, (index) => ({
        message: `The expression evaluated to a falsy value:\n\n  ${'x'.repeat(index)}()\n`,
      })),
      ...repeat(18, () => ({ message: differs('404') })),
      { message: '2 subtests failed' },
    ];
    expect(listCauses(failures)).toEqual([
      '18 × received 404 instead of 200',
      '23 × Expected values to be strictly equal',
      '20 × The expression evaluated to a falsy value',
      '1 × 2 subtests failed',
    ]);
  });

  test('begin with a value rather than with the words of an assertion, though that received false in more tests', () => {
    const differs = 'Expected values to be strictly equal:\n\n404 !== 200\n';
    const falsy = (index: number) =>
      `The expression evaluated to a falsy value:\n\n  ${'x'.repeat(index)}()\n\n+ actual - expected\n\n+ false\n- true\n`;
    const failures = [
      ...repeat(20, (index) => ({ message: falsy(index) })),
      ...repeat(18, () => ({ message: differs })),
    ];
    expect(listCauses(failures)).toEqual([
      '18 × received 404 instead of 200',
      '20 × The expression evaluated to a falsy value',
    ]);
  });

  test('tell three assertions with the same message but other values apart', () => {
    const failures = [
      ...repeat(75, () => ({ message: expects('false', 'true'), spec: 'a.test.ts' })),
      ...repeat(74, () => ({ message: expects(99, 11), spec: 'b.test.ts' })),
      ...repeat(73, () => ({ message: expects(2, 1), spec: 'c.test.ts' })),
    ];
    expect(listCauses(failures)).toEqual([
      '75 × received false instead of true',
      '74 × received 99 instead of 11',
      '73 × received 2 instead of 1',
    ]);
  });

  test('are one for a message whose value differs in each test, and list its values', () => {
    const [cause, ...others] = groupByCause(markFailures(repeat(8, (index) => ({ message: expects(100 + index, 7) }))));
    expect(others).toEqual([]);
    expect(cause?.text).toBe('expected <n> to be <n>');
    expect(cause?.received.map(({ value }) => value)).toEqual(['100', '101', '102', '103', '104', '105', '106', '107']);
  });

  test('are one for each element that a page shows wrongly, with any value', () => {
    const failures = [
      { message: locator("getByRole('alert')", 'Declined') },
      { message: locator("getByRole('alert')", 'Expired') },
      { message: locator("getByTestId('total')", '12') },
    ];
    expect(listCauses(failures)).toEqual([
      "2 × toHaveText on getByRole('alert')",
      '1 × toHaveText on getByTestId(\'total\'): received "12" instead of "Paid"',
    ]);
  });

  test('are one for the cases of a parametrized test, which fail in one line with different values', () => {
    const stack = 'AssertionError\n    at /home/ci/app/test/prices.test.ts:3:1';
    const failures = [...repeat(3, () => ({ message: expects(99, 11), stack })), { message: expects(2, 1), stack }];
    const others = repeat(3, (index) => ({
      message: expects(5, index),
      stack: `${stack.slice(0, -3)}${index + 10}:1`,
    }));
    expect(listCauses([...failures.slice(2), ...others])).toEqual([
      '3 × received 5',
      '2 × expected <n> to be <n> at app/test/prices.test.ts:3',
    ]);
    expect(listCauses(failures)).toEqual(['3 × received 99 instead of 11', '1 × received 2 instead of 1']);
  });

  test('do not join tests only because they received a value that says nothing', () => {
    const failures = [
      { message: locator("getByRole('alert')", '') },
      { message: expects('undefined', 3) },
      { message: 'AssertionError: expected undefined to include \'a\'\n\nExpected: "a"\nReceived: undefined' },
    ];
    expect(groupByCause(markFailures(failures))).toHaveLength(3);
  });

  test('include tests that failed without an error, and no tests that an older version recorded', () => {
    const tests = [markTest(1, 'a.test.ts', []), markTest(2, 'a.test.ts', []), markTest(3, 'a.test.ts', undefined)];
    expect(groupByCause(tests).map((cause) => [cause.text, cause.tests.length])).toEqual([['no error message', 2]]);
  });

  test('contain each test once, in whatever order the tests come', () => {
    const trait = fc.constantFrom('', 'a', 'b', '404', '500', 'expected <n> to be <n>');
    const all = fc.array(fc.tuple(trait, trait, trait, trait, trait), { maxLength: 40 });
    fc.assert(
      fc.property(all, (traits) => {
        const tests = traits.map((of, index) => markTest(index, 'a.test.ts', of));
        const outlines = [tests, tests.toReversed()].map((some) =>
          groupByCause(some).map((cause) => [cause.id, cause.text, cause.tests.map(({ place }) => place).sort()]),
        );
        expect(outlines[0]).toEqual(outlines[1]);
        expect(outlines[0]?.flatMap(([, , places]) => places).sort()).toEqual(tests.map(({ place }) => place).sort());
      }),
      { numRuns: cases(300, 60) },
    );
  });
});
