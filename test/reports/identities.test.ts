/** The spec files, titles and outcomes of imported tests, for writers that look alike or say the same thing in several ways. */
import { describe, expect, test } from 'vitest';
import { parseBytes } from './samples.ts';

type Place = [spec: string, ...title: string[]];

async function placesIn(report: string): Promise<Place[]> {
  const { instances } = await parseBytes(report);
  return instances.flatMap(({ spec, tests }) => tests.map(({ title }): Place => [spec, ...title]));
}

const suite = (rows: string, attributes = 'name="s"'): string =>
  `<testsuites><testsuite ${attributes}>${rows}</testsuite></testsuites>`;
const row = (attributes: string, content = ''): string => `<testcase ${attributes}>${content}</testcase>`;

describe('The class of a test whose spec file is known', () => {
  test.each([
    ['tests/test_cart.py', 'tests.test_cart'],
    ['src/test/java/org/shop/CartTest.java', 'org.shop.CartTest'],
    ['src/test/java/org/shop/CartTest.java', 'CartTest'],
    ['tests/Unit/CartTest.php', 'Unit\\CartTest'],
    ['test/models/cart_test.rb', 'CartTest'],
    ['src/cart_test.cpp', 'cart'],
    ['src/cart.test.ts', 'src/cart.test.ts'],
    ['src/cart.test.ts', 'cart.test'],
  ])(
    'The class of a test is no part of its title if it only names the spec file: in %s, %s',
    async (file, classname) => {
      expect(await placesIn(suite(row(`name="sums" file="${file}" classname="${classname}"`)))).toEqual([
        [file, 'sums'],
      ]);
    },
  );

  test.each([
    ['test/cart_test.rb', 'Cart::Sums'],
    ['src/cart.test.ts', 'when empty'],
    ['src/test/java/org/shop/CartTest.java', 'org.shop.OrderTest'],
    ['src/cart.test.ts', 'test'],
    ['test/models/cart_test.rb', 'Cart'],
  ])('The class of a test is a part of its title if its spec file is known: in %s, %s', async (file, classname) => {
    expect(await placesIn(suite(row(`name="sums" file="${file}" classname="${classname}"`)))).toEqual([
      [file, classname, 'sums'],
    ]);
  });

  test.each(['cart sums', 'cart', 'sums cart'])(
    'A class that the name of its test contains is not repeated: %s',
    async (name) => {
      expect(await placesIn(suite(row(`name="${name}" file="a.rb" classname="cart"`)))).toEqual([['a.rb', name]]);
    },
  );

  test('Tests of the same name in two classes keep their titles in any order, and beside any other test', async () => {
    const rows = ['Cart::Sums', 'Cart::Lines', 'Order'].map((name) =>
      row(`name="is empty" file="a.rb" classname="${name}"`),
    );
    const titles = [
      ['a.rb', 'Cart::Lines', 'is empty'],
      ['a.rb', 'Cart::Sums', 'is empty'],
      ['a.rb', 'Order', 'is empty'],
    ];
    expect((await placesIn(suite(rows.join('')))).sort()).toEqual(titles);
    expect((await placesIn(suite(rows.toReversed().join('')))).sort()).toEqual(titles);
    expect(await placesIn(suite(rows[1] ?? ''))).toEqual([titles[0]]);
  });

  test('The names of nested suites stand for a class that is missing', async () => {
    const nested = (name: string) => `<testsuite name="${name}">${row('name="sums" file="a.kt"')}</testsuite>`;
    expect(await placesIn(suite(nested('when empty') + nested('when full'), 'name="all"'))).toEqual([
      ['a.kt', 'when empty', 'sums'],
      ['a.kt', 'when full', 'sums'],
    ]);
  });
});

describe('Bun', () => {
  const bun = (content: string): string =>
    `<testsuites name="bun test"><testsuite name="a.test.ts" file="a.test.ts">${content}</testsuite></testsuites>`;
  const nested = `<testsuite name="cart" file="a.test.ts"><testsuite name="empty" file="a.test.ts">${row('name="sums" classname="empty &gt; cart" file="a.test.ts"')}</testsuite></testsuite>`;

  test.each([
    ['nested', nested],
    ['flat', row('name="sums" classname="empty &gt; cart" file="a.test.ts"')],
  ])(
    'The describes of a test of Bun come in their usual order, whether its suites are nested or flat: %s',
    async (_, content) => {
      expect(await placesIn(bun(content))).toEqual([['a.test.ts', 'cart', 'empty', 'sums']]);
    },
  );
});

describe('jest-junit', () => {
  const jest = (attributes: string): string =>
    suite(
      row(attributes),
      'name="cart" errors="0" failures="0" skipped="0" timestamp="2026-11-21T20:14:02" time="1" tests="1"',
    );

  test.each([
    ['name="cart sums" classname="cart sums" file="src/cart.test.js"', ['cart sums']],
    ['name="cart sums" classname="cart" file="src/cart.test.js"', ['cart sums']],
    ['name="sums" classname="src/cart.test.js" file="src/cart.test.js"', ['sums']],
    ['name="sums" classname="cart.test.js" file="src/cart.test.js"', ['sums']],
    ['name="sums" classname="cart" file="src/cart.test.js"', ['cart', 'sums']],
    ['name="sums" classname="cart › when empty" file="src/cart.test.js"', ['cart', 'when empty', 'sums']],
  ])(
    'The describes of a test of jest-junit stand before its name only if they stand nowhere else: %s',
    async (attributes, title) => {
      expect(await placesIn(jest(attributes))).toEqual([['src/cart.test.js', ...title]]);
    },
  );
});

describe('pytest', () => {
  const pytest = (rows: string): string =>
    `<testsuites name="pytest tests"><testsuite name="pytest">${rows}</testsuite></testsuites>`;

  test.each<[string, string, Place]>([
    [
      'tests.Integration.test_pay.TestPay',
      'tests/Integration/test_pay.py',
      ['tests/Integration/test_pay.py', 'TestPay', 'test_ok'],
    ],
    ['Tests.test_root', 'Tests/test_root.py', ['Tests/test_root.py', 'test_ok']],
    ['docs.guide.rst', 'docs/guide.rst', ['docs/guide.rst', 'test_ok']],
    ['tests.test_api.checks', 'tests/test_api/checks.py', ['tests/test_api/checks.py', 'test_ok']],
  ])(
    'A test of pytest in %s has the same spec file and title with and without the attribute `file`',
    async (classname, file, place) => {
      const attributes = `classname="${classname}" name="test_ok"`;
      expect(await placesIn(pytest(row(`${attributes} file="${file}"`)))).toEqual([place]);
      expect(await placesIn(pytest(row(attributes)))).toEqual([place]);
    },
  );

  test('A test that a class of pytest inherits belongs to the spec file of the class, not of its base class', async () => {
    const inherited = row('classname="tests.test_pay.TestPay" name="test_ok" file="tests/base.py"');
    expect(await placesIn(pytest(inherited))).toEqual([['tests/test_pay.py', 'TestPay', 'test_ok']]);
  });
});

describe('Karma', () => {
  test('An update of the browser changes neither the spec files and titles of the tests of Karma nor their groups', async () => {
    const karma = (version: string, written: string): string =>
      `<testsuite name="Chrome ${version} (Mac OS 10.15.7)">${row(`name="Cart adds" classname="Chrome_${written}_(Mac_OS_10_15_7).Cart"`)}</testsuite>`;
    const [before] = (await parseBytes(karma('146.0.0.0', '146_0_0_0'))).instances;
    const [after] = (await parseBytes(karma('147.0.7', '147_0_7'))).instances;
    for (const instance of [before, after])
      expect(instance).toMatchObject({ groupId: 'Chrome (Mac OS)', spec: 'Cart', tests: [{ title: ['Cart adds'] }] });
  });
});

describe('A writer is not taken for another', () => {
  const dialectOf = async (report: string) => (await parseBytes(report)).dialect;

  test.each([
    [
      'vitest',
      'a Java report with times',
      `<testsuites time="1" errors="0"><testsuite name="a.B">${row('name="x" classname="a.B"')}</testsuite></testsuites>`,
    ],
    [
      'vitest',
      'Deno',
      `<testsuites name="deno test" time="1" errors="0"><testsuite name="./a.ts">${row('name="x" classname="./a.ts"')}</testsuite></testsuites>`,
    ],
    [
      'behave',
      'a bare suite with statuses',
      `<testsuite name="a.b">${row('name="x" classname="a.b" status="passed"')}</testsuite>`,
    ],
    [
      'robot',
      'nested suites with files',
      `<testsuite name="a"><testsuite name="b">${row('name="x" classname="a.b" file="b.c"')}</testsuite></testsuite>`,
    ],
    [
      'robot',
      'nested suites with other classes',
      `<testsuite name="a"><testsuite name="b">${row('name="x" classname="b"')}</testsuite></testsuite>`,
    ],
  ])('A report is not taken for one of %s: %s', async (dialect, _, report) => {
    expect(await dialectOf(report)).not.toBe(dialect);
  });
});

describe('CTRF', () => {
  const outcomeOf = async (status: string) => {
    const report = {
      reportFormat: 'CTRF',
      results: { tool: { name: 'x' }, tests: [{ name: 'a', status, duration: 1 }] },
    };
    const { instances, warnings } = await parseBytes(JSON.stringify(report));
    return { outcome: instances[0]?.tests[0]?.outcome, warnings: warnings.length };
  };

  test.each([
    ['Passed', 'passed', 0],
    ['PASS', 'passed', 0],
    ['FAILED', 'failed', 0],
    ['fail', 'failed', 0],
    ['timed out', 'failed', 0],
    ['Skipped', 'pending', 0],
    ['other', 'skipped', 0],
    ['purple', 'skipped', 1],
    ['', 'skipped', 1],
  ])(
    'Status words of CTRF in other spellings count, and unknown ones cause a warning: %s',
    async (status, outcome, warnings) => {
      expect(await outcomeOf(status)).toEqual({ outcome, warnings });
    },
  );
});
