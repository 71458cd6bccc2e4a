import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ARCHIVE_LIMITS } from '#shared/engine/archives/limits.ts';
import { REST_CUT } from '#shared/engine/cut-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { archive } from '#test/context/trace/archives.ts';
import { replaceValues } from './report-attacks.ts';
import { readSample } from './sample-documents.ts';
import { parseAll, parseBytes } from './samples.ts';
import { checkReport } from './valid-report.ts';

const suite = (count: number, row: (index: number) => string) =>
  `<testsuite name="s">${Array.from({ length: count }, (_, index) => row(index)).join('')}</testsuite>`;

test('A report with too many tests keeps as many tests as the limits allow, and has a warning', async () => {
  const ofOneFile = await parseBytes(suite(10_005, (index) => `<testcase name="t${index}" file="a.js"/>`));
  expect(ofOneFile.instances.map(({ tests }) => tests.length)).toEqual([10_000]);
  expect(ofOneFile.instances[0]?.tests.at(-1)?.title).toEqual(['t9999']);
  expect(ofOneFile).toMatchObject({ truncated: true });
  expect(ofOneFile.warnings[0]?.message).toBe(
    'a.js has more than 10000 tests. The others are left out. Split the file',
  );
  const ofMany = await parseBytes(suite(100_010, (index) => `<testcase name="t${index}" file="${index % 20}.js"/>`));
  expect(ofMany.instances.reduce((sum, { tests }) => sum + tests.length, 0)).toBe(100_000);
  expect(ofMany.warnings.map(({ message }) => message)).toEqual([
    'The file has more than 100000 tests. The others are left out. Split the file',
  ]);
});

test('A report with too much text keeps all its tests and the beginning of its last message, but omits the last stack trace', async () => {
  const stack = 'at somewhere\n'.repeat(5000);
  const message = (index: number) => `no ${index} ${'x'.repeat(600)}`;
  const file = await parseBytes(
    suite(
      550,
      (index) => `<testcase name="t${index}"><failure message="${message(index)}">${stack}</failure></testcase>`,
    ),
  );
  const tests = file.instances.flatMap((instance) => instance.tests);
  expect(tests).toHaveLength(550);
  expect(tests.every(({ outcome }) => outcome === 'failed')).toBe(true);
  const [last, ...others] = tests.at(-1)?.attempts[0]?.errors ?? [];
  expect(others).toEqual([]);
  expect(last).toMatchObject({
    message: expect.stringMatching(/^no 549 x+/),
    stack: null,
    location: null,
    snippet: null,
  });
  expect(last?.message).toHaveLength(500);
  expect(tests[0]?.attempts[0]?.errors[0]).toMatchObject({ message: message(0), stack });
});

test('A test keeps at most 50 attempts, including its last attempt', async () => {
  const reruns = Array.from({ length: 80 }, (_, index) => `<flakyFailure message="try ${index}"/>`).join('');
  const { instances } = await parseBytes(`<testsuite><testcase name="x">${reruns}</testcase></testsuite>`);
  const [one] = instances.flatMap(({ tests }) => tests);
  expect(one).toMatchObject({ outcome: 'passed', flaky: true });
  expect(one?.attempts).toHaveLength(50);
  expect(one?.attempts.at(-1)?.state).toBe('passed');
});

test.each(['playwright-json', 'playwright-blob'] as const)(
  'A status in a report of the format %s may be any text: it becomes valid Unicode, and keeps 256 characters',
  async (format) => {
    const [sample] = (await readSample(format)).files;
    const status = `"\\ud800${'x'.repeat(300)}"`;
    const report = ['status', 'expectedStatus'].reduce(
      (content, member) => replaceValues(content, member, { json: status, plain: '' }),
      sample?.text ?? '',
    );
    const file = await parseBytes(report);
    checkReport(file);
    const kept = `\ufffd${'x'.repeat(255 - REST_CUT.length)}${REST_CUT}`;
    const tests = file.instances.flatMap((instance) => instance.tests);
    expect(tests.map(({ expectedStatus }) => expectedStatus)).toContain(kept);
    expect(tests.flatMap(({ attempts }) => attempts.map(({ rawStatus }) => rawStatus))).toContain(kept);
  },
);

test('Repetitions of a Playwright test have the same title but different ids, and are counted as duplicates', async () => {
  const result = (status: string) => ({ status, duration: 1, workerIndex: 0 });
  const spec = (status: string) => ({
    title: 'pays',
    tests: [{ projectName: 'chrome', expectedStatus: 'passed', results: [result(status)] }],
  });
  const report = { config: { version: '1.65.1' }, suites: [{ file: 'a.js', specs: [spec('passed'), spec('failed')] }] };
  const { instances, duplicates } = await parseBytes(JSON.stringify(report));
  const tests = instances.flatMap((instance) => instance.tests);
  expect(tests.map(({ title, outcome }) => [title, outcome])).toEqual([
    [['pays'], 'passed'],
    [['pays'], 'failed'],
  ]);
  expect(new Set(tests.map(({ testId }) => testId)).size).toBe(2);
  expect(duplicates).toBe(1);
});

test('A CTRF report is not read beyond the maximum number of tests', async () => {
  const tests = Array.from({ length: 100_001 }, (_, index) => `{"name":"${index}","filePath":"${index % 20}.js"}`);
  const beyond = '}]'.repeat(100_000);
  const file = await parseBytes(`{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"tests":[${tests},${beyond}`);
  expect(file.instances.reduce((sum, { tests: { length } }) => sum + length, 0)).toBe(REPORT_LIMITS.testsPerFile);
  expect(file).toMatchObject({ truncated: true });
  expect(file.warnings.map(({ message }) => message)).toEqual([
    'Tests with a status that CTRF does not have count as skipped, because it does not say how they ended',
    'The file has more than 100000 tests. The others are left out. Split the file',
  ]);
});

/** Returns a report of exactly this size in bytes. */
const padded = (bytes: number): string => {
  const before = '<testsuite name="s"><testcase name="x"/>';
  const after = '</testsuite>';
  return `${before}${' '.repeat(bytes - before.length - after.length)}${after}`;
};

describe('A gzip file that decompresses to more than 200 times its size', () => {
  const { fromBytes, times } = ARCHIVE_LIMITS.inflation;
  const refusal = {
    statusCode: 413,
    message: expect.stringContaining(`more than ${times} times its size. Send it uncompressed`),
  };
  const whole = (text: string) => gzipSync(text);
  const members = (text: string) => Buffer.concat([gzipSync(text.slice(0, 5000)), gzipSync(text.slice(5000))]);
  /** A gzip file without its last bytes. */
  const cut = (text: string) => gzipSync(`${text}${' '.repeat(10_000)}`).subarray(0, -20);

  test.each([
    ['in one member', whole, false],
    ['in several members', members, false],
    ['without its end', cut, true],
  ])(
    'A highly compressed gzip file is read if it decompresses to at most 8 MiB, and refused otherwise (%s)',
    async (_, compressed, truncated) => {
      const lost = truncated ? 10_000 : 0;
      for (const bytes of [fromBytes - 1 - lost, fromBytes - lost])
        expect(await parseBytes(compressed(padded(bytes)))).toMatchObject({ truncated, instances: [{ spec: 's' }] });
      await expect(parseBytes(compressed(padded(fromBytes + 1)))).rejects.toMatchObject(refusal);
    },
  );

  test('The limit for highly compressed content applies to all gzip files of an archive together: files beyond it are left out', async () => {
    const part = gzipSync(padded(fromBytes / 2 + 1));
    const stored = { content: part, method: 0 };
    await expect(parseAll(archive([{ name: 'a.xml.gz', ...stored }]))).resolves.toHaveLength(1);
    const [first, ...others] = await parseAll(
      archive([
        { name: 'a.xml.gz', ...stored },
        { name: 'b.xml.gz', ...stored },
      ]),
    );
    expect(others).toEqual([]);
    expect(first?.warnings).toMatchObject([{ message: expect.stringContaining('b.xml.gz is left out') }]);
  });
});

test.each([
  [
    'JUnit elements',
    (count: number) => `<testsuite name="s"><testcase name="x"/>${'<a/>'.repeat(count)}</testsuite>`,
    1,
  ],
  [
    'CTRF values',
    (count: number) =>
      `{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"x":[${'0,'.repeat(count)}0],"tests":[{"name":"a"}]}}`,
    1,
  ],
  [
    'Playwright values',
    (count: number) =>
      `{"config":{"rootDir":"/"},"x":[${'0,'.repeat(count)}0],"suites":[{"specs":[{"tests":[{"results":[{}]}]}]}]}`,
    1,
  ],
  [
    'blob values',
    (count: number) => `{"method":"onBlobReportMetadata","params":{"version":2,"x":[${'0,'.repeat(count)}0]}}\n`,
    0,
  ],
])('A report is refused with 413 if reading it takes more work than the limit allows: %s', async (_, report, tests) => {
  const most = { ...REPORT_LIMITS.reading, work: 10_000 };
  const file = await parseBytes(report(1000), { most });
  expect(file.instances.flatMap((instance) => instance.tests)).toHaveLength(tests);
  await expect(parseBytes(report(10_000), { most })).rejects.toMatchObject({
    statusCode: 413,
    details: { code: 'REPORT_TOO_LARGE' },
  });
});

const { jsonValue, jsonContainer } = REPORT_LIMITS.work;

test.each([
  ['numbers', '0,', jsonValue],
  ['texts', '"[{,\\"",', 2 * jsonValue],
  ['arrays', '[],', jsonContainer + jsonValue],
  ['objects', '{},', jsonContainer + jsonValue],
])(
  'Each value in a line of a blob report counts toward the work limit for reading: %s',
  async (_, value, workOfOne) => {
    const report = `{"method":"onBlobReportMetadata","params":{"version":2,"x":[${value.repeat(10_000)}0]}}\n`;
    const least = 10_000 * workOfOne;
    const readWith = (work: number) => parseBytes(report, { most: { ...REPORT_LIMITS.reading, work } });
    await expect(readWith(least)).rejects.toMatchObject({ statusCode: 413 });
    // Without the repeated values, reading the report takes less than 1,000 units of work.
    await expect(readWith(least + 1000)).resolves.toMatchObject({ format: 'playwright-blob' });
  },
);
