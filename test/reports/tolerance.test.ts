import { describe, expect, test } from 'vitest';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import { NOW, parseBytes, parseSample, signaturesOf, toldBy } from './samples.ts';
import { sampleFile, sourceOf } from './sources.ts';

const testcase = (attributes: string, children = '') => `<testcase ${attributes}>${children}</testcase>`;
const outcomes = (file: Awaited<ReturnType<typeof parseBytes>>) =>
  toldBy(file).map(({ title, outcome }) => [title.join(' › '), outcome]);

describe('A JUnit file', () => {
  test.each([
    ['raw control characters', `<testsuite name="a">${testcase('name="x\u001b[31m\u0007"')}</testsuite>`],
    ['a bare ampersand', `<testsuite name="a">${testcase('name="x" file="a & b"')}</testsuite>`],
    ['two roots', `<testsuite name="a">${testcase('name="x"')}</testsuite><testsuite name="b"></testsuite>`],
    ['a prefix', `<j:testsuite xmlns:j="x" name="a"><j:testcase name="x"/></j:testsuite>`],
    ['testcases beside suites', `<testsuites>${testcase('name="x"')}<testsuite name="a"/></testsuites>`],
    [
      'an entity bomb',
      `<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><testsuite name="&c;">${testcase('name="x"')}</testsuite>`,
    ],
    ['UTF-16 without a mark', Buffer.from(`<testsuite name="a">${testcase('name="x"')}</testsuite>`, 'utf16le')],
    ['an unknown encoding', `<?xml version="1.0" encoding="x-unknown"?><testsuite>${testcase('name="x"')}</testsuite>`],
    [
      'latin 1',
      Buffer.from(
        `<?xml version="1.0" encoding="ISO-8859-1"?><testsuite name="ü">${testcase('name="x"')}</testsuite>`,
        'latin1',
      ),
    ],
  ])('A JUnit file with %s is still parsed', async (_, content) => {
    expect(outcomes(await parseBytes(content))).toEqual([['x', 'passed']]);
  });

  test('is accepted as a report without tests if it has no test cases', async () => {
    expect(await parseBytes('<testsuites/>')).toMatchObject({ instances: [], truncated: false, dialect: 'generic' });
  });

  test('may use names such as __proto__ and constructor like any other name', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const file = await parseBytes(`<testsuite>${names.map((name) => testcase(`name="${name}"`)).join('')}</testsuite>`);
    expect(toldBy(file).map(({ title }) => title[0])).toEqual(names);
  });

  test('The last test of a JUnit file does not count as passed if the file ends within that test', async () => {
    const whole = `<testsuite name="a">${testcase('name="one"')}<testcase name="two">`;
    expect(outcomes(await parseBytes(`${whole}<system-out>text`))).toEqual([['one', 'passed']]);
    expect(outcomes(await parseBytes(`${whole}<failure>bad`))).toEqual([
      ['one', 'passed'],
      ['two', 'failed'],
    ]);
  });

  test('may contain reruns of failed and flaky tests, which become attempts', async () => {
    const flaky = testcase(
      'name="f" time="1"',
      '<flakyFailure message="no"><stackTrace>at a</stackTrace></flakyFailure>',
    );
    const failing = testcase(
      'name="r" time="2"',
      '<failure message="a"/><rerunFailure message="b"/><rerunError message="c"/>',
    );
    const { instances } = await parseBytes(`<testsuite name="s">${flaky}${failing}</testsuite>`);
    const [first, second] = instances.flatMap(({ tests }) => tests);
    expect(first).toMatchObject({ outcome: 'passed', flaky: true });
    expect(first?.attempts.map(({ state, duration }) => [state, duration])).toEqual([
      ['failed', 0],
      ['passed', 1000],
    ]);
    expect(second?.attempts.map(({ errors }) => errors[0]?.message)).toEqual(['a', 'b', 'c']);
    expect(first?.evidence()).toHaveLength(2);
  });

  test('is read to a depth of 64 levels, and keeps the tests before a deeper level', async () => {
    const deep = '<testsuite name="s">'.repeat(100_000);
    const file = await parseBytes(`<testsuite>${testcase('name="x"')}${deep}${testcase('name="y"')}`);
    expect(outcomes(file)).toEqual([['x', 'passed']]);
    expect(file.warnings[0]?.message).toContain('nested deeper than 64 levels');
  });

  test('keeps the end of a test’s output, even if it is one long CDATA section', async () => {
    const output = `<system-out><![CDATA[${'x'.repeat(3_000_000)}]] ]>the end]]></system-out>`;
    const file = await parseBytes(
      `<testsuite>${testcase('name="x"', `<failure/>${output}`)}${testcase('name="y"')}</testsuite>`,
    );
    expect(outcomes(file)).toEqual([
      ['x', 'failed'],
      ['y', 'passed'],
    ]);
    const [text = ''] = file.instances[0]?.tests[0]?.evidence()[0]?.stdout ?? [];
    expect(text).toHaveLength(65_536);
    expect(text.endsWith('xxx]] ]>the end')).toBe(true);
  });
});

describe('Names:', () => {
  test('The names in a report do not depend on the root folder, the path separators or the order of tests', async () => {
    const rows = ['a', 'b'].map(
      (name) => (folder: string, separator: string) =>
        testcase(
          `name="${name} at 0x7f74600bb9d0 in /tmp/run-1/x" file="${[folder, 'tests', 'cart.js'].join(separator)}"`,
        ),
    );
    const file = (folder: string, separator: string, order: typeof rows) =>
      `<testsuite name="s">${order.map((row) => row(folder, separator)).join('')}</testsuite>`;
    const first = await parseBytes(file('/home/runner/work/shop/shop', '/', rows));
    const second = await parseBytes(file('D:\\a\\shop\\shop', '\\', rows.toReversed()));
    const third = await parseBytes(file('/srv/ci/shop', '/', rows), { root: '/srv/ci/shop/' });
    expect(signaturesOf(second).sort()).toEqual(signaturesOf(first).sort());
    expect(signaturesOf(third).sort()).toEqual(signaturesOf(first).sort());
    expect(first.instances.map(({ spec }) => spec)).toEqual(['tests/cart.js']);
  });

  test('The names in a report are cut if they are too long, and get a hash that distinguishes them', async () => {
    const long = 'x'.repeat(20_000);
    const file = await parseBytes(
      `<testsuite>${['1', '2'].map((end) => testcase(`name="${long}${end}" file="${long}${end}"`)).join('')}</testsuite>`,
    );
    const told = toldBy(file);
    expect(new Set(signaturesOf(file)).size).toBe(2);
    for (const { spec, title } of told) {
      expect(spec).toHaveLength(1024);
      expect(title.map((part) => part.length)).toEqual([2048]);
    }
  });

  test('The ids of tests are the same each time a report is parsed', async () => {
    const idsOf = async () =>
      (await parseSample('nextest-0.9.148.xml')).instances.flatMap(({ tests }) => tests.map(({ testId }) => testId));
    const ids = await idsOf();
    expect(ids).toEqual(await idsOf());
    expect(new Set(ids).size).toBe(12);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });
});

test('Times without a time zone are read in the time zone of the sender, and impossible times are ignored', async () => {
  const startOf = async (timestamp: string, timezone?: string) =>
    (await parseBytes(`<testsuite timestamp="${timestamp}">${testcase('name="x"')}</testsuite>`, { timezone }))
      .startedAt;
  expect(await startOf('2026-11-21T20:00:00')).toBe(Date.parse('2026-11-21T20:00:00Z'));
  expect(await startOf('2026-11-21T20:00:00', '-05:00')).toBe(Date.parse('2026-11-22T01:00:00Z'));
  expect(await startOf('2026-11-21T20:00:00', 'Europe/Berlin')).toBe(Date.parse('2026-11-21T19:00:00Z'));
  expect(await startOf('2026-11-21T20:00:00+02:00', 'Europe/Berlin')).toBe(Date.parse('2026-11-21T18:00:00Z'));
  expect(await startOf('Sat, 21 Nov 2026 20:00:00 GMT')).toBe(Date.parse('2026-11-21T20:00:00Z'));
  // Both are written by versions of TestNG.
  expect(await startOf('21 Nov 2026 20:00:00 GMT', 'Europe/Berlin')).toBe(Date.parse('2026-11-21T20:00:00Z'));
  expect(await startOf('2026-11-21T20:00:00 UTC', 'Europe/Berlin')).toBe(Date.parse('2026-11-21T20:00:00Z'));
  for (const wrong of ['0001-01-01T00:00:00', '1970-01-01T00:00:00.000', 'yesterday', '2031-01-01T00:00:00Z'])
    expect(await startOf(wrong)).toBeNull();
});

test('The output of a suite is not shown as the output of one of its tests', async () => {
  const failing = testcase('name="x"', '<failure message="no"/>');
  const { instances } = await parseBytes(`<testsuite>${failing}<system-out>of the suite</system-out></testsuite>`);
  expect(instances[0]?.tests[0]?.evidence()).toEqual([{ steps: [], stdout: [], stderr: [] }]);
});

test.each([
  ['0.160', 160],
  ['0,160', 160],
  ['12,5', 12_500],
  ['3,226', 3_226_000],
  ['3,226.156', 3_226_156],
  ['1.234,56', 1_234_560],
  ['4.9e-02', 49],
  ['-0.000000', 0],
  ['1.2s', 1200],
  ['12ms', 12],
  ['80.803us', 0],
  ['00:01:02.500', 62_500],
  ['00:00:12,500', 12_500],
  ['PT12,500S', 12_500],
  ['01:02', 62_000],
  ['PT1M1.5S', 61_500],
  ['soon', 0],
  ['12 parsecs', 0],
])('The duration %s of a test is %i ms', async (time, duration) => {
  const { instances } = await parseBytes(`<testsuite>${testcase(`name="x" time="${time}"`)}</testsuite>`);
  expect(instances[0]?.tests[0]?.attempts[0]?.duration).toBe(duration);
});

test('Three sample reports give the same results when they are read in chunks of 1 to 1,000 bytes', async () => {
  for (const name of ['vitest-junit-5.1.1.xml', 'ctrf-mocha-0.0.11.json', 'playwright-blob-1.65.1.zip']) {
    const bytes = await sampleFile(name);
    const hints = { root: '/project', now: NOW };
    const whole = toldBy(await parseBytes(bytes));
    for (const chunk of [1, 2, 3, 7, 1000]) {
      const [file] = await parseReports(sourceOf(bytes, chunk), hints);
      expect(file && toldBy(file), `${name} in chunks of ${chunk}`).toEqual(whole);
    }
  }
});
