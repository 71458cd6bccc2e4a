import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ARCHIVE_LIMITS } from '#shared/engine/archives/limits.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { archive } from '#test/context/trace/archives.ts';
import { parseAll, parseBytes, parseSample, toldBy } from './samples.ts';
import { sampleFile } from './sources.ts';

const bytesOf = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const part of chunks) parts.push(part);
  return Buffer.concat(parts);
};
const JUNIT = 'pytest-9.2.0-xunit2.xml';
const CTRF = 'ctrf-mocha-0.0.11.json';
const BLOB = 'playwright-blob-1.65.1.zip';

describe('A zip archive', () => {
  test('may contain several reports, each of which is returned with the name of its file', async () => {
    const zip = archive([
      { name: 'reports/TEST-a.xml', content: await sampleFile(JUNIT) },
      { name: 'reports/ctrf.json', content: await sampleFile(CTRF) },
    ]);
    const files = await parseAll(zip);
    expect(files.map(({ name, format }) => [name, format])).toEqual([
      ['reports/TEST-a.xml', 'junit'],
      ['reports/ctrf.json', 'ctrf'],
    ]);
    expect(files.map(toldBy)).toEqual([toldBy(await parseSample(JUNIT)), toldBy(await parseSample(CTRF))]);
  });

  test('may contain files that are not reports, and a warning says why they are left out', async () => {
    const zip = archive([
      { name: 'package.json', content: '{"name": "shop"}' },
      { name: 'junit.xml', content: await sampleFile(JUNIT) },
    ]);
    const files = await parseAll(zip);
    expect(files.map(({ name }) => name)).toEqual(['junit.xml']);
    expect(files[0]?.warnings).toEqual([
      {
        line: null,
        message: expect.stringContaining('package.json is left out: The file "package.json" is not a known'),
      },
    ]);
  });

  test('A zip archive with several blob reports gives a separate result for each of them, because each belongs to one machine', async () => {
    const shards = ['playwright-blob-1.65.1-shard-1-of-2.zip', 'playwright-blob-1.65.1-shard-2-of-2.zip'];
    const members = await Promise.all(shards.map(async (name) => ({ name, content: await sampleFile(name) })));
    for (const method of [0, 8]) {
      const files = await parseAll(archive(members.map((member) => ({ ...member, method }))));
      expect(files.map(({ shard }) => shard)).toEqual([
        { current: 1, total: 2 },
        { current: 2, total: 2 },
      ]);
      expect(files.map(toldBy)).toEqual(await Promise.all(shards.map(async (name) => toldBy(await parseSample(name)))));
    }
  });

  test('is refused if it contains no report, and the error lists the accepted formats', async () => {
    const zip = archive([{ name: 'readme.txt', content: 'hello' }]);
    await expect(parseAll(zip, { name: 'all.zip' })).rejects.toThrow(
      /"all.zip" is not a known test report. Accepted formats/,
    );
  });

  test('may contain the attachments of a CTRF report as files next to the report', async () => {
    const zip = archive([
      {
        name: 'ctrf-playwright.json',
        content: await sampleFile('ctrf-playwright-0.0.29.json'),
      },
      { name: 'test-results/cart-no-retries-setup-fails-first-desktop/error-context.md', content: '# first' },
    ]);
    const [file] = await parseAll(zip);
    expect(file?.files.map(({ spec, name, contentType, size }) => ({ spec, name, contentType, size }))).toEqual([
      { spec: 'cart.spec.js', name: 'error-context', contentType: 'text/markdown', size: 7 },
    ]);
    const [attachment] = file?.files ?? [];
    expect(attachment && String(await bytesOf(attachment.read()))).toBe('# first');
  });

  test('provides the attachments that a JUnit file names in the output of its tests', async () => {
    const folder = 'test-results/cart-no-retries-setup-fails-first-desktop';
    const zip = archive([
      { name: 'junit.xml', content: await sampleFile('playwright-junit-1.65.1.xml') },
      { name: `${folder}/error-context.md`, content: '# first' },
    ]);
    const [file] = await parseAll(zip);
    expect(file?.files.map(({ name, contentType, size }) => ({ name, contentType, size }))).toEqual([
      { name: 'error-context.md', contentType: 'text/markdown', size: 7 },
    ]);
  });

  test.each([
    ['a path outside it', archive([{ name: '../junit.xml', content: '<testsuite/>' }]), 'contains a path with ".."'],
    ['an encrypted report', archive([{ name: 'a.xml', content: '<testsuite/>', encrypted: true }]), 'is encrypted'],
    ['a missing end', archive([{ name: 'a.xml', content: '<testsuite/>' }]).subarray(0, -30), 'zip archive'],
  ])('An archive with %s is refused', async (_, zip, problem) => {
    await expect(parseAll(zip, { name: 'all.zip' })).rejects.toThrow(problem);
  });

  test('An archive whose report decompresses to more than 200 times its size is refused with this reason', async () => {
    const zip = archive([{ name: 'a.xml', content: `<testsuite>${' '.repeat(9_000_000)}</testsuite>` }]);
    await expect(parseAll(zip)).rejects.toThrow('decompresses to more than 200 times its size');
  });
});

test('The last attempt in a blob report determines the outcome of a test, even if the test has more attempts than are kept', async () => {
  const line = (method: string, params: object) => JSON.stringify({ method, params });
  const attempt = (number: number, status: string) => [
    line('onTestBegin', { testId: 't', result: { id: `r${number}`, retry: number, startTime: 1_795_293_623_571 } }),
    line('onTestEnd', {
      test: { testId: 't', expectedStatus: 'passed' },
      result: { id: `r${number}`, duration: 1, status, errors: [] },
    }),
  ];
  const suite = { title: 'a.spec.ts', entries: [{ testId: 't', title: 'pays' }] };
  const lines = [
    line('onBlobReportMetadata', { version: 2, userAgent: 'Playwright/1.65.1' }),
    line('onProject', { project: { name: 'shop', suites: [suite] } }),
    ...Array.from({ length: REPORT_LIMITS.attemptsPerTest + 5 }, (_, number) => attempt(number, 'failed')).flat(),
    ...attempt(100, 'passed'),
    line('onEnd', { result: { status: 'passed' } }),
  ];
  const { instances } = await parseBytes(Buffer.from(lines.join('\n')));
  const [test] = instances[0]?.tests ?? [];
  expect(test?.attempts).toHaveLength(REPORT_LIMITS.attemptsPerTest);
  expect(test?.attempts.at(-1)).toMatchObject({ state: 'passed' });
  expect(test).toMatchObject({ outcome: 'passed', flaky: true });
});

test('Results of the same test in two Surefire files become attempts of one test', async () => {
  const schema = 'xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire-test-report.xsd"';
  const file = (child: string) =>
    `<testsuite ${schema} name="shop.A"><testcase name="pays" classname="shop.A" time="1">${child}</testcase></testsuite>`;
  const passed = file('');
  const failed = file('<failure message="no"/><rerunFailure message="again"/>');
  for (const [first, second] of [
    [failed, passed],
    [passed, failed],
  ] as const) {
    const files = await parseAll(
      archive([
        { name: 'TEST-1.xml', content: first },
        { name: 'TEST-2.xml', content: second },
      ]),
    );
    expect(files.flatMap(toldBy)).toEqual([
      { group: 'default', spec: 'shop.A', title: ['pays'], outcome: 'passed', flaky: true, attempts: 3 },
    ]);
  }
});

test('Reports are refused if one of them exceeds the size limit, or if all of them together do', async () => {
  const report = `<testsuite name="s"><testcase name="x"/>${' '.repeat(10_000)}</testsuite>`;
  const within = (bytes: number) => ({ most: { ...REPORT_LIMITS.reading, bytes } });
  const refusal = { statusCode: 413, details: { code: 'REPORT_TOO_LARGE' } };
  await expect(parseBytes(report, within(9000))).rejects.toMatchObject(refusal);
  await expect(parseBytes(gzipSync(report), within(9000))).rejects.toMatchObject(refusal);
  const zip = archive([1, 2, 3].map((number) => ({ name: `${number}.xml`, content: report })));
  await expect(parseAll(zip, within(25_000))).rejects.toMatchObject(refusal);
  expect(await parseAll(zip, within(35_000))).toHaveLength(3);
});

test('An archive with too many files is refused, and the error suggests several smaller archives', async () => {
  const file = { name: 'a', content: '', method: 0 };
  const zip = archive(Array.from({ length: REPORT_LIMITS.entriesPerArchive + 1 }, () => file));
  await expect(parseAll(zip)).rejects.toMatchObject({
    statusCode: 413,
    message: expect.stringContaining('has more than 100000 files. Send several smaller archives'),
  });
});

const ALLURE_ID = '0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
const ALLURE_RESULT = {
  name: `allure-results/${ALLURE_ID}-result.json`,
  content: JSON.stringify({
    uuid: ALLURE_ID,
    name: 'adds',
    fullName: 'shop.Cart',
    status: 'passed',
    stage: 'finished',
  }),
};

test('A folder of results is read although its tests have more files than a trace may have', async () => {
  const container = { name: 'allure-results/a-container.json', content: '{}', method: 0 };
  const zip = archive([ALLURE_RESULT, ...Array.from({ length: ARCHIVE_LIMITS.entries }, () => container)]);
  expect((await parseAll(zip)).flatMap(toldBy)).toMatchObject([{ title: ['adds'], outcome: 'passed' }]);
});

test.each(['a-container.json', 'a-globals.json'])(
  'A folder of Allure with a damaged %s, which may hide a failed hook, is incomplete, and a warning names the file',
  async (name) => {
    const damaged = { name: `allure-results/${name}`, content: '{"befores": [{"name": "set up", "status": "bro' };
    const [file] = await parseAll(archive([ALLURE_RESULT, damaged]));
    expect(file?.truncated).toBe(true);
    expect(JSON.stringify(file?.warnings)).toContain(name);
    const [whole] = await parseAll(archive([ALLURE_RESULT, { ...damaged, content: '{}' }]));
    expect(whole?.truncated).not.toBe(true);
  },
);

test('Files of an archive with one name are all read, as those of different modules, and a file that is twice the same only once', async () => {
  const write = (content: string) => ({
    name: 'test-results/TEST-shop.CartTest.xml',
    content: `<testsuite name="shop.CartTest"><properties/><testcase name="adds" classname="shop.CartTest" time="0">${content}</testcase></testsuite>`,
  });
  const outcomesOf = async (...contents: readonly string[]) =>
    (await parseAll(archive(contents.map(write)))).flatMap(toldBy).map(({ outcome }) => outcome);
  expect(await outcomesOf('', '<failure message="no"/>', '<skipped/>')).toEqual(['passed', 'failed', 'pending']);
  expect(await outcomesOf('', '<failure message="no"/>', '', '<failure message="no"/>')).toEqual(['passed', 'failed']);
});

const OTHER_ID = '1a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';

test.each([
  ['its container names no test', 'allure-results', []],
  ['the result of its test is missing', 'allure-results', [OTHER_ID]],
  ['its folder has no results', 'other/allure-results', [ALLURE_ID]],
])('A failed hook of Allure is an error of the run if %s', async (_, folder, children) => {
  const hook = { name: 'set up', status: 'broken', statusDetails: { message: 'no database' } };
  const content = JSON.stringify({ children, befores: [hook] });
  const files = await parseAll(archive([ALLURE_RESULT, { name: `${folder}/${OTHER_ID}-container.json`, content }]));
  expect(files.flatMap(({ runErrors }) => runErrors)).toEqual(['no database']);
});

describe('Several results of Allure', () => {
  const outcomesOf = async (...results: readonly object[]) => {
    const members = results.map((result, index) => ({
      name: `${ALLURE_ID.replace('0', String(index))}-result.json`,
      content: JSON.stringify({
        uuid: `id-${index}`,
        name: 'adds',
        fullName: 'shop.Cart',
        stage: 'finished',
        ...result,
      }),
    }));
    return (await parseAll(archive(members))).flatMap(toldBy).map(({ outcome, attempts }) => ({ outcome, attempts }));
  };

  test('Several results of Allure without an id are tries of one test only if their names are equal', async () => {
    expect(await outcomesOf({ status: 'failed', start: 1 }, { status: 'passed', start: 2, name: 'removes' })).toEqual([
      { outcome: 'failed', attempts: 1 },
      { outcome: 'passed', attempts: 1 },
    ]);
    expect(await outcomesOf({ status: 'failed', start: 1 }, { status: 'passed', start: 2 })).toEqual([
      { outcome: 'passed', attempts: 2 },
    ]);
  });

  test.each([
    ['the last one passed', 'passed', [5, 9], [9, 12]],
    ['both took no time, and one passed', 'passed', [5, 5], [5, 5]],
    ['the one that failed was the last one', 'failed', [5, 9], [1, 4]],
    ['one that failed ran at the same time as one that passed', 'failed', [5, 9], [8, 12]],
    ['nothing tells which one was the last one', 'failed', [undefined, 9], [5, 12]],
  ])('Several results of Allure with one id: %s, so the test has %s', async (_, outcome, failed, passed) => {
    const rows = [
      { historyId: 'x', status: 'failed', start: failed[0], stop: failed[1] },
      { historyId: 'x', status: 'passed', start: passed[0], stop: passed[1] },
    ];
    expect(await outcomesOf(...rows)).toEqual([{ outcome, attempts: 2 }]);
    expect(await outcomesOf(...rows.toReversed())).toEqual([{ outcome, attempts: 2 }]);
  });
});

describe('A blob report', () => {
  test('provides the content of its attachments, and the steps of failed tests', async () => {
    const { files, instances } = await parseSample(BLOB);
    const first = files.find(({ name }) => name === 'error-context');
    expect(first).toMatchObject({ contentType: 'text/markdown', groupId: 'desktop', spec: 'cart.spec.js' });
    const bytes = first && (await bytesOf(first.read()));
    expect(bytes?.length).toBe(first?.size);
    expect(String(bytes)).toContain('# Test info');
    const note = files.find(({ name }) => name === 'note.txt');
    expect(note && String(await bytesOf(note.read()))).toBe('hello');
    const hook = instances.flatMap(({ tests }) => tests).find(({ title }) => title.at(-1) === 'first');
    expect(hook?.evidence()[0]?.steps.map(({ title }) => title)).toContain('Before Hooks');
    expect(hook?.evidence()[0]?.steps[0]?.steps[0]).toMatchObject({
      title: 'beforeAll hook',
      error: { message: 'Error: database is down' },
    });
  });

  test('is marked as truncated if its end is missing, and has a warning if its version is not supported', async () => {
    const lines = [
      { method: 'onBlobReportMetadata', params: { version: 3, userAgent: 'Playwright/2.0.0 (x64)' } },
      { method: 'onSomethingNew', params: { anything: true } },
    ];
    const file = await parseBytes(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(file).toMatchObject({ format: 'playwright-blob', truncated: true, framework: { version: '2.0.0' } });
    expect(file.warnings.map(({ message }) => message)).toEqual([
      'The blob report has format version 3. Versions up to 2 are supported',
      'The report is incomplete: its machine crashed, or the file was truncated',
    ]);
  });
});

describe('A Playwright run that was interrupted', () => {
  const NEVER_RAN = { outcome: 'skipped', flaky: false, attempts: [{ rawStatus: 'skipped', workerIndex: -1 }] };

  test('The JSON report of an interrupted Playwright run gives skipped results for the tests that never ran', async () => {
    const test = { projectId: 'one', projectName: 'one', expectedStatus: 'passed', annotations: [] };
    const passed = { status: 'passed', duration: 5, startTime: '2026-11-02T09:00:00Z', workerIndex: 0, errors: [] };
    const specs = [
      { title: 'ran', tests: [{ ...test, results: [passed] }] },
      { title: 'did not', tests: [{ ...test, results: [] }] },
      { title: 'would be skipped', tests: [{ ...test, expectedStatus: 'skipped', results: [] }] },
    ];
    const { instances } = await parseBytes(
      JSON.stringify({ config: { version: '1.65.1' }, suites: [{ title: 'a.spec.ts', file: 'a.spec.ts', specs }] }),
    );
    expect(instances[0]?.tests).toMatchObject([{ outcome: 'passed' }, NEVER_RAN, { outcome: 'pending' }]);
  });

  test('The blob report of an interrupted Playwright run gives skipped results for the tests that never ran, unless the machine died', async () => {
    const tests = [{ title: 'never ran', testId: 'a-b' }];
    const suites = [{ title: 'a.spec.ts', location: { file: 'a.spec.ts' }, entries: tests }];
    const lines = [
      { method: 'onBlobReportMetadata', params: { version: 2, userAgent: 'Playwright/1.65.1 (x64)' } },
      { method: 'onProject', params: { project: { name: 'one', suites } } },
      { method: 'onEnd', params: { result: { status: 'interrupted', startTime: Date.parse('2026-11-02T09:00:00Z') } } },
    ].map((line) => JSON.stringify(line));
    expect((await parseBytes(lines.join('\n'))).instances[0]?.tests).toMatchObject([NEVER_RAN]);
    expect((await parseBytes(lines.slice(0, 2).join('\n'))).instances).toEqual([]);
  });
});

test('A compressed report gives the same results as the original, and a truncated one gives the results before the cut', async () => {
  const bytes = await sampleFile(JUNIT);
  expect(toldBy(await parseBytes(gzipSync(bytes)))).toEqual(toldBy(await parseBytes(bytes)));
  const cut = await parseBytes(gzipSync(Buffer.concat([bytes, Buffer.alloc(2_000_000, ' ')])).subarray(0, 1900));
  expect(cut.truncated).toBe(true);
  expect(cut.instances.length).toBeGreaterThan(0);
});
