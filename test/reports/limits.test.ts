import { expect, test } from 'vitest';
import { parseBytes } from './samples.ts';

const suite = (count: number, row: (index: number) => string) =>
  `<testsuite name="s">${Array.from({ length: count }, (_, index) => row(index)).join('')}</testsuite>`;

test('A report with too many tests keeps the first ones, and says so', async () => {
  const ofOneFile = await parseBytes(suite(10_005, (index) => `<testcase name="t${index}" file="a.js"/>`));
  expect(ofOneFile.instances.map(({ tests }) => tests.length)).toEqual([10_000]);
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

test('A report with more text than fits keeps all tests, and short messages', async () => {
  const stack = 'at somewhere\n'.repeat(5000);
  const file = await parseBytes(
    suite(550, (index) => `<testcase name="t${index}"><failure message="no ${index}">${stack}</failure></testcase>`),
  );
  const tests = file.instances.flatMap((instance) => instance.tests);
  expect(tests).toHaveLength(550);
  expect(tests.every(({ outcome }) => outcome === 'failed')).toBe(true);
  expect(tests.at(-1)?.attempts[0]?.errors).toEqual([
    { message: 'no 549', stack: null, location: null, snippet: null },
  ]);
  expect(tests[0]?.attempts[0]?.errors[0]?.stack).toHaveLength(65_000);
});

test('A test keeps 50 attempts, the last one among them', async () => {
  const reruns = Array.from({ length: 80 }, (_, index) => `<flakyFailure message="try ${index}"/>`).join('');
  const { instances } = await parseBytes(`<testsuite><testcase name="x">${reruns}</testcase></testsuite>`);
  const [one] = instances.flatMap(({ tests }) => tests);
  expect(one).toMatchObject({ outcome: 'passed', flaky: true });
  expect(one?.attempts).toHaveLength(50);
  expect(one?.attempts.at(-1)?.state).toBe('passed');
});

test('Repeated tests of Playwright share a signature and have ids of their own', async () => {
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
