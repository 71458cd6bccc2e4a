import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type EvidenceStep, flattenSteps, type PlacedStep } from '#shared/model/results/evidence.ts';
import { loadRecording, loadReport } from '#test/harness/recording-replay.ts';
import { formatSample } from './formats.ts';
import { parseBytes, parseSample, type Told, toldBy } from './samples.ts';
import { sampleFile } from './sources.ts';

const JSON_REPORT = 'playwright-json-1.65.1.json';

const Streamed = z.object({
  groupId: z.string(),
  spec: z.string(),
  title: z.array(z.string()),
  tags: z.array(z.string()),
});
const keyOf = ({ group, spec, title }: Told): string => JSON.stringify([group, spec, title]);
const facts = ({ outcome, flaky, attempts }: Told) => ({ outcome, flaky, attempts });

/**
 * Compares the tests of two files: counts the tests that both have, and lists those whose outcome, flakiness or number
 * of attempts differs.
 */
async function compared(one: string, other: string) {
  const first = toldBy(await parseSample(one));
  const second = toldBy(await parseSample(other));
  const known = new Map(second.map((told) => [keyOf(told), facts(told)]));
  const shared = first.filter((told) => known.has(keyOf(told)));
  const different = shared.filter((told) => JSON.stringify(known.get(keyOf(told))) !== JSON.stringify(facts(told)));
  return { tests: first.length, shared: shared.length, different: different.map(({ title }) => title.join(' › ')) };
}

test('Importing the JSON report gives the same test names and tags as the streaming reporter', async () => {
  const messages = await loadRecording();
  const streamed = messages.flatMap(({ body }) => {
    const { data } = Streamed.safeParse(body);
    return data ? JSON.stringify([data.groupId, data.spec, data.title, data.tags]) : [];
  });
  const { instances } = await parseBytes(JSON.stringify(await loadReport()));
  const imported = instances.flatMap(({ groupId, spec, tests }) =>
    tests.map(({ title, tags }) => JSON.stringify([groupId, spec, title, tags])),
  );
  expect(imported.length).toBeGreaterThan(20);
  expect(imported.filter((one) => !streamed.includes(one))).toEqual([]);
  expect(streamed.filter((one) => !imported.includes(one))).toEqual([]);
});

test('The JSON and blob reports of a run give the same tests, outcomes and attempts', async () => {
  expect(await compared(JSON_REPORT, 'playwright-blob-1.65.1.zip')).toEqual({ tests: 15, shared: 15, different: [] });
});

test('The JSON report gives each test of each project the id that Playwright gave it', async () => {
  const idsOf = async (report: string) =>
    (await parseSample(report)).instances
      .flatMap(({ groupId, tests }) => tests.map(({ title, testId }) => `${groupId} ${title.join(' ')} ${testId}`))
      .sort();
  const ids = await idsOf(JSON_REPORT);
  // The blob report contains the id of each test. The JSON report contains only the id of the first test of a spec, so
  // the other ids are computed.
  expect(ids).toEqual(await idsOf('playwright-blob-1.65.1.zip'));
  expect(ids.filter((id) => id.startsWith('mobile '))).toHaveLength(2);
});

test('If the id of a spec does not follow Playwright’s rule, its first test gets that id, and its other tests get generated ids', async () => {
  const report = JSON.parse(Buffer.from(await sampleFile(JSON_REPORT)).toString());
  const [first] = report.suites[0].suites[0].specs;
  first.id = 'another recipe';
  const { instances } = await parseBytes(JSON.stringify(report));
  const ids = instances.flatMap(({ groupId, tests }) =>
    tests.flatMap(({ title, testId }) => (title.join(' ') === 'cart passes' ? { groupId, testId } : [])),
  );
  expect(ids).toEqual([
    { groupId: 'desktop', testId: 'another recipe' },
    { groupId: 'mobile', testId: expect.stringMatching(/^[0-9a-f]{16}$/) },
  ]);
});

test('The JSON and CTRF reports of a run give the same tests, outcomes and attempts', async () => {
  expect(await compared(JSON_REPORT, 'ctrf-playwright-0.0.29.json')).toEqual({ tests: 15, shared: 15, different: [] });
});

test('The JUnit file of Playwright differs from the JSON report in two titles and in a flaky test, whose retry is missing in the JUnit file', async () => {
  expect(await compared(JSON_REPORT, 'playwright-junit-1.65.1.xml')).toEqual({
    tests: 15,
    shared: 13,
    different: ['cart › is flaky @smoke'],
  });
});

test('Both formats of JUnit files that pytest writes give the same tests and outcomes', async () => {
  expect(await compared('pytest-9.2.0-xunit1.xml', 'pytest-9.2.0-xunit2.xml')).toEqual({
    tests: 23,
    shared: 23,
    different: [],
  });
});

test('The CTRF report of pytest agrees with its JUnit file, but lacks the collection error', async () => {
  expect(await compared('pytest-9.2.0-xunit2.xml', 'ctrf-pytest-json-ctrf-0.6.1.json')).toEqual({
    tests: 23,
    shared: 22,
    different: [],
  });
});

test('The JUnit file of Vitest lacks retries, and the CTRF report of Vitest does not say that a hook failed', async () => {
  const { shared, different } = await compared('vitest-junit-5.1.1.xml', 'ctrf-vitest-d2t-1.3.0.json');
  expect(shared).toBe(21);
  expect(different).toEqual([
    'cart › fails with an assertion',
    'cart › passes though expected to fail',
    'cart › is flaky',
    'cart › nested › deeper › adds 3 and 4',
    'cart › same › twice (2)',
    'cart › setup fails › first after setup',
    'cart › setup fails › second after setup',
    'other › cannot find it',
  ]);
});

test('Two reporters of Jest give different names to the same tests, and so do two reporters of mocha', async () => {
  expect((await compared('jest-junit-17.0.0.xml', 'ctrf-jest-0.0.11.json')).shared).toBe(0);
  expect((await compared('mocha-junit-reporter-2.2.1.xml', 'mocha-xunit-11.xml')).shared).toBe(0);
});

/** The own formats of tools beside other formats of the same run. */
async function comparedFormats(one: string, other: string) {
  const rows = (name: string) =>
    formatSample(name)
      .then((bytes) => parseBytes(bytes, { name }))
      .then(toldBy);
  const known = new Set((await rows(other)).map(keyOf));
  const first = await rows(one);
  return { tests: first.length, shared: first.filter((told) => known.has(keyOf(told))).length };
}

test('Allure results of pytest have the names of its JSON report, but for a broken file, and a parameter that Allure cuts', async () => {
  expect(await comparedFormats('allure-pytest-2.16.2.zip', 'pytest-json-report-1.5.0.json')).toEqual({
    tests: 26,
    shared: 25,
  });
});

test('The JSON of mocha and mochawesome have the same names, but for nested describes and tests outside of describes', async () => {
  expect(await comparedFormats('mocha-json-10.8.2.json', 'mochawesome-8.1.1.json')).toEqual({ tests: 22, shared: 18 });
});

test('Output files of Robot Framework have the same names in XML and JSON, and after a merge', async () => {
  expect(await comparedFormats('robot-output-7.5-one-suite.json', 'robot-output-7.5.xml')).toEqual({
    tests: 18,
    shared: 18,
  });
  expect(await comparedFormats('robot-output-7.5-merged.xml', 'robot-output-7.5.xml')).toEqual({
    tests: 22,
    shared: 22,
  });
});

test('Cucumber Messages have the names of the JSON formatter, as far as the run had come', async () => {
  const { tests, shared } = await comparedFormats(
    'cucumber-messages-js-13.3.0-truncated.ndjson',
    'cucumber-json-js-13.3.0.json',
  );
  expect({ tests, shared }).toEqual({ tests: 12, shared: 12 });
});

/** A file of `test/samples/pairs`, where each pair was written by one run. */
const parsePair = async (name: string) =>
  parseBytes(await readFile(join(import.meta.dirname, '../samples/pairs', name)), { name, root: '/project' });

const readPair = async (name: string): Promise<readonly Told[]> => toldBy(await parsePair(name));

test.each([
  ['go-test.jsonl', 'gotestsum.xml', { tests: 20, missing: [], different: [] }],
  // JUnit files of nextest omit ignored tests.
  ['nextest.jsonl', 'nextest.xml', { tests: 15, missing: ['tests › ignored'], different: [] }],
  ['robot.xml', 'robot-junit.xml', { tests: 10, missing: [], different: [] }],
  ['robot.json', 'robot-junit.xml', { tests: 10, missing: [], different: [] }],
  ['pytest.json', 'pytest-junit.xml', { tests: 17, missing: [], different: [] }],
  ['pytest-reportlog.jsonl', 'pytest-junit.xml', { tests: 17, missing: [], different: [] }],
  // The writer of Allure cuts a parameter at `::`, and `@allure.title` replaces the name.
  [
    'allure-pytest.zip',
    'pytest-junit.xml',
    { tests: 16, missing: ['test_names[a › test_names[a::b]', 'A title of its own'], different: [] },
  ],
  // Allure has no word for a test that did not run.
  ['allure-playwright.zip', 'playwright.json', { tests: 10, missing: [], different: ['cart › nested › second'] }],
  // CTRF lacks broken files, and hooks that failed after all tests.
  ['jest.json', 'jest-ctrf.json', { tests: 18, missing: ['(file)', '(file)', '(file)'], different: [] }],
  ['rspec.json', 'rspec-junit.xml', { tests: 14, missing: [], different: [] }],
  // The JSON names no rules and no tries.
  [
    'cucumber.ndjson',
    'cucumber.json',
    {
      tests: 13,
      missing: ['passes', 'hook fails', 'is flaky', 'after hook fails'].map(
        (name) => `Cart grüße 日本語 › A rule › ${name}`,
      ),
      different: [],
    },
  ],
] as const)(
  '%s and %s of one run give the same tests, outcomes and attempts, but for known ones',
  async (one, other, expected) => {
    const rows = await readPair(one);
    const known = new Map((await readPair(other)).map((told) => [keyOf(told), facts(told)]));
    const nameOf = ({ title }: Told): string => title.join(' › ');
    const missing = rows.filter((told) => !known.has(keyOf(told))).map(nameOf);
    const different = rows
      .filter(
        (told) => known.has(keyOf(told)) && JSON.stringify(known.get(keyOf(told))) !== JSON.stringify(facts(told)),
      )
      .map(nameOf);
    expect({ tests: rows.length, missing, different }).toEqual(expected);
  },
);

test.each(['pytest.json', 'pytest-reportlog.jsonl', 'allure-pytest.zip'])(
  'The reason of a skip is read without its place, and that of an expected failure without its stack: %s',
  async (name) => {
    const { instances } = await parsePair(name);
    const tests = instances.flatMap((instance) => instance.tests);
    const annotationsOf = (title: string) => tests.find((one) => one.title.at(-1) === title)?.annotations ?? [];
    expect(annotationsOf('test_skips')).toEqual([{ type: 'skip', description: 'Skipped: no network' }]);
    for (const { description } of annotationsOf('test_xfails')) expect(description).toBe('known');
  },
);

test('Cucumber JSON and Messages give a failed scenario the same steps, output, tags and attached files', async () => {
  const readFailure = async (name: string) => {
    const { instances, files } = await parsePair(name);
    const failure = instances.flatMap(({ tests }) => tests).find(({ title }) => title.at(-1) === 'fails');
    const { steps = [], stdout } = failure?.evidence().at(-1) ?? {};
    return {
      steps: steps.map(({ title, error }) => [title, error?.message ?? '']),
      stdout,
      tags: failure?.tags,
      attached: files.filter(({ testId }) => testId === failure?.testId).map(({ contentType }) => contentType),
    };
  };
  const expected = {
    steps: [
      ['Given a cart', ''],
      ['When I add 2', ''],
      ['Then it breaks', 'Error: the total'],
    ],
    stdout: ['adding 2\n'],
    tags: ['smoke'],
    attached: ['text/x.cucumber.log+plain'],
  };
  expect(await readFailure('cucumber.json')).toEqual(expected);
  expect(await readFailure('cucumber.ndjson')).toEqual(expected);
});

test.each(['robot.xml', 'robot.json'])(
  'A failed test of Robot Framework has its keywords with their arguments: %s',
  async (name) => {
    const { instances } = await parsePair(name);
    const failure = instances.flatMap(({ tests }) => tests).find(({ title }) => title.at(-1) === 'Fails');
    const [outer] = failure?.evidence().at(-1)?.steps ?? [];
    expect([outer, ...(outer?.steps ?? [])].map((step) => [step?.title, step?.error?.message])).toEqual([
      ['Nested Keyword', 'the total: 1 != 2'],
      ['Log: before', undefined],
      ['Should Be Equal: 1, 2, the total', 'the total: 1 != 2'],
    ]);
  },
);

test.each(['robot-loops.xml', 'robot-loops.json'])(
  'Loops and branches of a failed test of Robot Framework show their values: %s',
  async (name) => {
    const { instances } = await parsePair(name);
    const steps = instances[0]?.tests[0]?.evidence()[0]?.steps ?? [];
    // Without the sign of variables, because these texts must not look like templates.
    const listTitles = (placedSteps: readonly PlacedStep<EvidenceStep>[]) =>
      placedSteps.map(({ step: { title } }) => title.replaceAll('$', ''));
    const allSteps = flattenSteps(steps);
    // The failure that `EXCEPT` handled is none.
    expect(listTitles(allSteps.filter(({ step: { error } }) => error !== null))).toEqual([
      'FOR {a}, {b} IN 1, 2, 3, 4',
      '{a} = 3, {b} = 4',
      'Should Be Equal: {a}, 1',
    ]);
    expect(listTitles(allSteps)).toEqual([
      'FOR {i} IN RANGE 2',
      '{i} = 0',
      '{sum} = Evaluate: {i} + 1',
      'IF/ELSE',
      'IF {i} == 1',
      'BREAK',
      'ELSE',
      'Log: go on',
      '{i} = 1',
      '{sum} = Evaluate: {i} + 1',
      'IF/ELSE',
      'IF {i} == 1',
      'BREAK',
      'ELSE',
      'Log: go on',
      'TRY/EXCEPT',
      'TRY',
      'Fail: caught',
      'EXCEPT caught',
      'Log: {error}',
      'VAR {x} = 1',
      'WHILE {x} < 3',
      'ITERATION',
      '{x} = Evaluate: {x} + 1',
      'ITERATION',
      '{x} = Evaluate: {x} + 1',
      'FOR {a}, {b} IN 1, 2, 3, 4',
      '{a} = 1, {b} = 2',
      'Should Be Equal: {a}, 1',
      '{a} = 3, {b} = 4',
      'Should Be Equal: {a}, 1',
    ]);
  },
);

/** A failed scenario whose step has a table and another one a doc string, as each writer writes it. */
const GHERKIN_ARGUMENTS: Readonly<Record<string, (steps: readonly object[]) => string>> = {
  'the JVM, Ruby and Go': ([table, text]) =>
    buildScenario([
      { ...table, rows: [{ cells: ['item', 'n'] }, { cells: ['a|b', '2'] }] },
      { ...text, doc_string: { value: 'hello\nyou', line: 3 } },
    ]),
  JavaScript: ([table, text]) =>
    buildScenario([
      { ...table, arguments: [{ rows: [{ cells: ['item', 'n'] }, { cells: ['a|b', '2'] }] }] },
      { ...text, arguments: [{ content: 'hello\nyou', line: 3 }] },
    ]),
  behave: ([table, text]) =>
    buildScenario([
      { ...table, table: { headings: ['item', 'n'], rows: [['a|b', '2']] } },
      { ...text, text: ['hello', 'you'] },
    ]),
  'Cucumber Messages': () =>
    [
      { gherkinDocument: { uri: 'cart.feature', feature: { name: 'Cart', children: [] } } },
      {
        pickle: {
          ...{ id: 'p', uri: 'cart.feature', name: 'Adds', tags: [], astNodeIds: [] },
          steps: [
            {
              ...{ id: 's1', text: 'these items' },
              argument: {
                dataTable: {
                  rows: [
                    ['item', 'n'],
                    ['a|b', '2'],
                  ].map((cells) => ({ cells: cells.map((value) => ({ value })) })),
                },
              },
            },
            { id: 's2', text: 'a letter', argument: { docString: { content: 'hello\nyou' } } },
          ],
        },
      },
      {
        testCase: {
          ...{ id: 'c', pickleId: 'p' },
          testSteps: [
            { id: 't1', pickleStepId: 's1' },
            { id: 't2', pickleStepId: 's2' },
          ],
        },
      },
      { testCaseStarted: { id: 'r', testCaseId: 'c' } },
      { testStepFinished: { testCaseStartedId: 'r', testStepId: 't1', testStepResult: { status: 'PASSED' } } },
      { testStepFinished: { testCaseStartedId: 'r', testStepId: 't2', testStepResult: { status: 'FAILED' } } },
      { testCaseFinished: { testCaseStartedId: 'r' } },
      { testRunFinished: { success: false } },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n'),
};

const buildScenario = (steps: readonly object[]): string =>
  JSON.stringify([{ uri: 'cart.feature', keyword: 'Feature', name: 'Cart', elements: [{ name: 'Adds', steps }] }]);

test.each(Object.entries(GHERKIN_ARGUMENTS))(
  'A step of a Cucumber scenario has its data table or doc string, as written by %s',
  async (_, build) => {
    const { instances } = await parseBytes(
      build([
        { name: 'these items', result: { status: 'passed' } },
        { name: 'a letter', result: { status: 'failed' } },
      ]),
    );
    expect(instances[0]?.tests[0]?.evidence()[0]?.steps.map(({ title }) => title)).toEqual([
      'these items\n| item | n |\n| a\\|b | 2 |',
      'a letter\n"""\nhello\nyou\n"""',
    ]);
  },
);

test('The dash that mocha writes as the reason of a skip is none', async () => {
  const { instances } = await parseBytes('1..1\nok 1 cart adds # SKIP -\n');
  expect(instances[0]?.tests[0]?.annotations).toEqual([{ type: 'skip', description: null }]);
});

test('The error of a hook that Allure repeats outside of the tests which show it is not an error of the run', async () => {
  expect(await parsePair('allure-playwright.zip')).toMatchObject({ runErrors: [] });
});

test('trx, NUnit 3, xUnit.net and JUnit files of a class in the namespace of its assembly give its tests the same names', async () => {
  const files = [
    `<TestRun><Results><UnitTestResult testId="1" testName="Shop.Tests.CartTests.Adds(1)" outcome="Passed"/></Results><TestDefinitions><UnitTest id="1"><TestMethod className="Shop.Tests.CartTests" codeBase="/project/bin/Shop.Tests.dll"/></UnitTest></TestDefinitions><ResultSummary outcome="Completed"/></TestRun>`,
    `<test-run><test-suite type="Assembly" name="Shop.Tests.dll" fullname="/project/bin/Shop.Tests.dll"><test-suite type="TestFixture" name="CartTests" fullname="Shop.Tests.CartTests"><test-case name="Adds(1)" fullname="Shop.Tests.CartTests.Adds(1)" classname="Shop.Tests.CartTests" methodname="Adds" result="Passed"/></test-suite></test-suite></test-run>`,
    `<assemblies><assembly name="/project/bin/Shop.Tests.dll"><collection name="c"><test name="Shop.Tests.CartTests.Adds(1)" type="Shop.Tests.CartTests" method="Adds" result="Pass"/></collection></assembly></assemblies>`,
    `<testsuites><testsuite name="Shop.Tests.dll"><testcase classname="Shop.Tests.CartTests" name="Adds(1)"/></testsuite></testsuites>`,
  ];
  const names = await Promise.all(files.map(async (file) => toldBy(await parseBytes(file)).map(keyOf)));
  expect(names).toEqual(files.map(() => [JSON.stringify(['default', 'Shop.Tests.CartTests', ['Adds(1)']])]));
});
