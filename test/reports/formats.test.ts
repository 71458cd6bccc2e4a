import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#shared/engine/errors.ts';
import type { ReportedTest } from '#shared/ingest/reported.ts';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { normalizeTitle } from '#shared/model/short-names.ts';
import { readHead } from '#shared/reports/head.ts';
import { FORMAT_TABLE } from '#shared/reports/reading/formats.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import { archive } from '#test/context/trace/archives.ts';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { CORPUS } from './corpus.ts';
import { type ExpectedFile, FORMAT_SAMPLES, formatSample, REFUSED_SAMPLES } from './formats.ts';
import { buildReport, readMembers, type SampleFile } from './sample-documents.ts';
import { sampleFile, sourceOf } from './sources.ts';

const NOW = Date.parse('2026-11-30T00:00:00Z');
const DAY = 86_400_000;

/** As if the file had arrived the day after. Some samples are years old. */
async function parse(bytes: Uint8Array, name: string, chunk?: number): Promise<ParsedFile> {
  const start = FORMAT_SAMPLES.find(({ report }) => report === name)?.firstStart;
  const now = start === undefined ? NOW : start + DAY;
  const [file] = await parseReports(sourceOf(bytes, chunk), { root: '/project', now, name });
  if (!file) throw new Error('The file has no result');
  return file;
}

/** `undefined` if the file is refused, because it ends before anything tells its format. */
async function parsePart(bytes: Uint8Array, name: string): Promise<ParsedFile | undefined> {
  try {
    return await parse(bytes, name);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

interface Row extends Pick<ExpectedFile['tests'][number], 'spec' | 'outcome' | 'flaky' | 'attempts'> {
  readonly group: string;
  readonly title: readonly string[];
}

const listRows = ({ instances }: ParsedFile): (Row & { readonly test: ReportedTest })[] =>
  instances.flatMap(({ groupId, spec, tests }) =>
    tests.map((one) => ({
      group: groupId,
      spec,
      title: one.title,
      outcome: one.outcome,
      flaky: one.flaky,
      attempts: one.attempts.length,
      test: one,
    })),
  );

/** The expected values of equal names have no numbers. */
function listExpected({ tests }: ExpectedFile) {
  const seen = new Map<string, number>();
  return tests.map(({ group = 'default', ...one }) => {
    const key = JSON.stringify([group, one.spec, one.title]);
    const copies = (seen.get(key) ?? 0) + 1;
    seen.set(key, copies);
    const last = copies === 1 ? one.title.at(-1) : `${one.title.at(-1)} (${copies})`;
    return { ...one, group, title: normalizeTitle([...one.title.slice(0, -1), last ?? '']) };
  });
}

const keyOf = ({ group, spec, title }: Pick<Row, 'group' | 'spec' | 'title'>): string =>
  JSON.stringify([group, spec, title]);
const byKey = (one: Row, other: Row): number => (keyOf(one) < keyOf(other) ? -1 : 1);
const facts = ({ group, spec, title, outcome, flaky, attempts }: Row): Row => ({
  group,
  spec,
  title,
  outcome,
  flaky,
  attempts,
});

const countPassed = (rows: readonly Row[]): number => rows.filter(({ outcome }) => outcome === 'passed').length;

const findError = ({ attempts }: ReportedTest): string =>
  attempts
    .at(-1)
    ?.errors.map(({ message }) => message)
    .join('\n') ?? '';

/** Their samples say in words what the reporters hide. */
const SAYS_MORE: ReadonlySet<string | null> = new Set(['allure', 'pytest-json-report', 'pytest-reportlog']);

const countSteps = (steps: readonly EvidenceStep[]): number =>
  steps.reduce((sum, step) => sum + 1 + countSteps(step.steps), 0);

describe.each(FORMAT_SAMPLES.map((sample) => [sample.report, sample] as const))('%s', (name, sample) => {
  const expected = listExpected(sample);
  const expectedOf = new Map(expected.map((one) => [keyOf(one), one]));

  test('A sample in the own format of a tool gives each test its group, spec file, title, outcome, flakiness and attempts', async () => {
    const file = await parse(await formatSample(name), name);
    expect(listRows(file).map(facts).sort(byKey)).toEqual(expected.map(facts).sort(byKey));
    expect({ format: file.format, truncated: file.truncated }).toEqual({
      format: sample.format,
      truncated: sample.truncated ?? false,
    });
  });

  test('The errors, durations, tags, attachments, start and errors outside tests of a sample are read', async () => {
    const file = await parse(await formatSample(name), name);
    for (const row of listRows(file)) {
      const one = expectedOf.get(keyOf(row));
      const label = row.title.join(' › ');
      if (one?.error !== undefined) expect(findError(row.test), label).toContain(one.error);
      expect(
        row.test.attempts.map(({ duration }) => duration),
        label,
      ).toContain(one?.durationMs);
      if (one?.tags) expect(row.test.tags, label).toEqual(expect.arrayContaining(normalizeTags(one.tags)));
      if (one?.raw && !SAYS_MORE.has(sample.format))
        expect(row.test.annotations, label).toContainEqual({ type: 'status', description: one.raw });
      if (one?.steps && one.outcome === 'failed')
        expect(countSteps(row.test.evidence().at(-1)?.steps ?? []), label).toBe(one.steps);
    }
    expect(file.runErrors).toHaveLength(sample.runErrors?.length ?? 0);
    if (sample.attachments !== undefined) expect(file.files).toHaveLength(sample.attachments);
    if (sample.firstStart !== undefined) expect(file.startedAt).toBe(sample.firstStart);
  });

  test('A sample gives the same tests after each change that does not change its content', async () => {
    const bytes = await formatSample(name);
    const rows = listRows(await parse(bytes, name)).map(facts);
    for (const [change, changed] of listVariants(name, bytes))
      expect(listRows(await parse(changed.bytes, name, changed.chunk)).map(facts), change).toEqual(rows);
  });

  test('A sample that is cut has no further tests, and nothing in it becomes passed', async () => {
    const bytes = await formatSample(name);
    const whole = await parse(bytes, name);
    const wholeRows = listRows(whole);
    const wholeNames = Map.groupBy(wholeRows, nameOf);
    const members = name.endsWith('.zip') ? await readMembers(bytes) : [];
    const checkPart = async (length: number): Promise<void> => {
      const part = members.length > 0 ? cutMember(members, length) : bytes.subarray(0, length);
      const file = await parsePart(part, name);
      const rows = file ? listRows(file) : [];
      expect(rows.length).toBeLessThanOrEqual(wholeRows.length);
      // Without its last try or its hook, a test of a folder may pass. The run fails, because its report is incomplete.
      if (members.length > 0 && file?.truncated) return;
      expect(countPassed(rows)).toBeLessThanOrEqual(countPassed(wholeRows));
      for (const [testName, namesakes] of Map.groupBy(rows, nameOf)) {
        // The class of a test of a trx file follows the tests.
        if (namesakes.some(({ spec }) => spec === '(unknown)')) continue;
        const label = `${length} bytes: ${testName}`;
        const wholeNamesakes = wholeNames.get(testName) ?? [];
        expect(namesakes.length, label).toBeLessThanOrEqual(wholeNamesakes.length);
        expect(countPassed(namesakes), label).toBeLessThanOrEqual(countPassed(wholeNamesakes));
      }
    };
    await fc.assert(
      fc.asyncProperty(anyPlace, (place) => checkPart(Math.floor(place * bytes.length))),
      { numRuns: cases(400, 12), endOnFailure: true },
    );
  });
});

/**
 * The name of a test without the number or the parameters that tell it from others of this name. If a cut takes one of
 * two such tests, the other one no longer needs them.
 */
const nameOf = ({ group, spec, title }: Pick<Row, 'group' | 'spec' | 'title'>): string =>
  keyOf({ group, spec, title: title.map((part) => part.replace(/ \([^()]*\)$/, '')) });

interface Variant {
  readonly bytes: Buffer;
  readonly chunk?: number;
}

function listVariants(name: string, bytes: Buffer): (readonly [string, Variant])[] {
  if (name.endsWith('.zip')) return [['in small chunks', { bytes, chunk: 977 }]];
  const chunks = IS_DEEP ? [1, 2, 3, 7, 64, 977, 4096] : [7];
  const isUtf16 = bytes[0] === 0xff;
  const text = isUtf16 ? '' : bytes.toString();
  return [
    ['compressed with gzip', { bytes: gzipSync(bytes) }],
    ...chunks.map((chunk) => [`in chunks of ${chunk} bytes`, { bytes, chunk }] as const),
    ['in a zip archive', { bytes: archive([{ name, content: bytes }]) }],
    ...(isUtf16
      ? []
      : ([
          ['with a byte order mark', { bytes: Buffer.from(`\ufeff${text.replace(/^\ufeff/, '')}`) }],
          ['with Windows line breaks', { bytes: Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')) }],
          ['in UTF-16', { bytes: Buffer.from(`\ufeff${text.replace(/^\ufeff/, '')}`, 'utf16le') }],
          ['after blank lines', { bytes: Buffer.from(`\n \n${text.replace(/^\ufeff/, '')}`) }],
        ] as const)),
  ];
}

/** The folder, of which one file ends at this place. */
function cutMember(members: readonly SampleFile[], length: number): Buffer {
  const cutIndex = length % members.length;
  const files = members.map(({ name, text }, index) => ({
    name,
    text: index === cutIndex ? text.slice(0, Math.floor((text.length * length) / PLACES) % text.length) : text,
  }));
  return buildReport(true, files);
}
const PLACES = 1009;

/** A part of the file, from 0 to 1. */
const anyPlace = fc.noBias(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

test('Each sample is recognized by exactly one format, and a refused one by none', async () => {
  const samples = [
    ...CORPUS.filter(({ report }) => !report.endsWith('.zip')).map(async ({ report, format }) => ({
      report,
      format,
      bytes: await sampleFile(report),
    })),
    ...[...FORMAT_SAMPLES, ...REFUSED_SAMPLES]
      .filter(({ report }) => !report.endsWith('.zip'))
      .map(async ({ report, format }) => ({ report, format, bytes: await formatSample(report) })),
  ];
  for (const { report, format, bytes } of await Promise.all(samples)) {
    const encoding = bytes[0] === 0xff ? 'utf16le' : 'utf8';
    const head = readHead(bytes.subarray(0, 64 * 1024).toString(encoding));
    const found = FORMAT_TABLE.filter(({ recognizes }) => recognizes(head)).map((one) => one.format);
    expect(found, report).toEqual(format === null ? [] : [format]);
  }
});

test.each(REFUSED_SAMPLES.map(({ report }) => report))('%s is refused with what to send instead', async (report) => {
  await expect(parse(await formatSample(report), report)).rejects.toThrow(/which is not accepted\. ./);
});

/** Reports of 60 repetitions of one test, of which only one fails. */
const REPETITIONS: Readonly<Record<string, (failed: number) => string>> = {
  'go.jsonl': (failed) => {
    const rows = Array.from({ length: 60 }, (_, index) => [
      { Action: 'run', Package: 'shop', Test: 'TestAdds' },
      { Action: index === failed ? 'fail' : 'pass', Package: 'shop', Test: 'TestAdds', Elapsed: 0 },
    ]);
    return toLines([
      { Action: 'start', Package: 'shop' },
      ...rows.flat(),
      { Action: 'fail', Package: 'shop', Elapsed: 1 },
    ]);
  },
  'nextest.jsonl': (failed) => {
    const rows = Array.from({ length: 60 }, (_, index) => {
      const name = `shop::cart@stress-${index}$adds`;
      return [
        { type: 'test', event: 'started', name },
        { type: 'test', event: index === failed ? 'failed' : 'ok', name },
      ];
    });
    return toLines([{ type: 'suite', event: 'started' }, ...rows.flat(), { type: 'suite', event: 'failed' }]);
  },
  'newman.json': (failed) =>
    JSON.stringify({
      collection: { info: { name: 'shop' }, item: [{ id: 'a', name: 'cart' }] },
      run: {
        executions: Array.from({ length: 60 }, (_, iteration) => ({
          cursor: { iteration },
          item: { id: 'a', name: 'cart' },
          assertions: [{ assertion: 'adds', ...(iteration === failed && { error: { message: 'wrong' } }) }],
        })),
      },
    }),
};

const toLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

test.each(Object.entries(REPETITIONS))(
  'A test in %s fails if one of 60 repetitions fails, even if a test keeps fewer repetitions',
  async (name, write) => {
    for (const failed of [0, 30, 59]) {
      const file = await parse(Buffer.from(write(failed)), name);
      expect(listRows(file).map(({ outcome }) => outcome)).toEqual(['failed']);
    }
  },
);

test('A failure of nextest without a panic has the first line of its output as its message', async () => {
  const messagesOf = async (stdout: string) => {
    const file = await parse(
      Buffer.from(
        toLines([
          { type: 'suite', event: 'started', nextest: { crate: 'shop', test_binary: 'shop', kind: 'lib' } },
          { type: 'test', event: 'failed', name: 'shop::shop$adds', stdout },
          { type: 'suite', event: 'failed' },
        ]),
      ),
      'nextest.jsonl',
    );
    return listRows(file).flatMap(({ test }) => test.attempts.flatMap(({ errors }) => errors[0]?.message));
  };
  const note = 'note: test did not panic as expected at src/lib.rs:3:107';
  expect(
    await messagesOf(
      `test adds - should panic ... FAILED\n\nfailures:\n\n---- adds stdout ----\n${note}\n\nfailures:\n`,
    ),
  ).toEqual([note]);
  expect(await messagesOf('Error: "sold out"\nof all\n')).toEqual(['Error: "sold out"']);
});

test('A failure in a worker of pytest-xdist has the message that it has without workers', async () => {
  const write = (before: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        created: 1,
        exitcode: 1,
        collectors: [{ nodeid: 'test_shop.py', outcome: 'failed', longrepr: `${before}no module shop` }],
        tests: [
          {
            nodeid: 'test_cart.py::test_adds',
            outcome: 'failed',
            call: { outcome: 'failed', longrepr: `${before}[XPASS(strict)]` },
          },
        ],
      }),
    );
  const messagesOf = async (before: string) =>
    listRows(await parse(write(before), 'report.json')).flatMap(({ test }) =>
      test.attempts.flatMap(({ errors }) => errors.map(({ message }) => message)),
    );
  const messages = ['[XPASS(strict)]', 'no module shop'];
  expect((await messagesOf('')).toSorted()).toEqual(messages);
  expect((await messagesOf('[gw1] linux -- Python 3.11.7 /usr/bin/python\n')).toSorted()).toEqual(messages);
});

describe('Microsoft.Testing.Platform', () => {
  const trx = (rows: Readonly<Record<string, string>>, codeBase = 'Shop.dll'): string => {
    const results = Object.entries(rows).map(
      ([name, outcome]) => `<UnitTestResult testId="${name}" testName="${name}" outcome="${outcome}"/>`,
    );
    const definitions = Object.keys(rows).map(
      (name) => `<UnitTest id="${name}"><TestMethod className="Shop.CartTests" codeBase="${codeBase}"/></UnitTest>`,
    );
    return `<TestRun><Results>${results.join('')}</Results><TestDefinitions>${definitions.join('')}</TestDefinitions><ResultSummary outcome="Completed"/></TestRun>`;
  };

  test('The tries that Microsoft.Testing.Platform leaves in the folder Retries are joined with the last one', async () => {
    const zip = archive([
      { name: 'TestResults/shop.trx', content: trx({ IsFlaky: 'Passed', Fails: 'Failed' }) },
      { name: 'TestResults/Retries/x/2/shop.trx', content: trx({ IsFlaky: 'Failed', Fails: 'Failed' }) },
      {
        name: 'TestResults/Retries/x/1/shop.trx',
        content: trx({ IsFlaky: 'Failed', Fails: 'Failed', Adds: 'Passed' }),
      },
    ]);
    const files = await parseReports(sourceOf(zip), { now: NOW });
    const rows = files
      .flatMap(listRows)
      .map(({ title, outcome, flaky, attempts }) => ({ title, outcome, flaky, attempts }));
    expect(rows).toEqual([
      { title: ['IsFlaky'], outcome: 'passed', flaky: true, attempts: 3 },
      { title: ['Fails'], outcome: 'failed', flaky: false, attempts: 3 },
      { title: ['Adds'], outcome: 'passed', flaky: false, attempts: 1 },
    ]);
  });

  test('Two projects with a test of one name, whose files lie in different folders, keep both results', async () => {
    const zip = archive([
      { name: 'a/TestResults/shop.trx', content: trx({ Adds: 'Passed' }) },
      { name: 'b/TestResults/shop.trx', content: trx({ Adds: 'Failed' }) },
    ]);
    const files = await parseReports(sourceOf(zip), { now: NOW });
    expect(files.flatMap(listRows).map(({ outcome }) => outcome)).toEqual(['passed', 'failed']);
  });

  test('The tests of a project that is built for two target frameworks are in a group for each, and those of other projects are not', async () => {
    const built = (framework: string) => `/project/bin/Release/${framework}/Shop.dll`;
    const zip = archive([
      { name: 'TestResults/1.trx', content: trx({ Adds: 'Passed', OnlyHere: 'Passed' }, built('net8.0')) },
      { name: 'TestResults/2.trx', content: trx({ Adds: 'Failed' }, built('net48')) },
      { name: 'TestResults/3.trx', content: trx({ Other: 'Passed' }, built('net8.0')) },
    ]);
    const files = await parseReports(sourceOf(zip), { now: NOW });
    const rows = files.flatMap(listRows).map(({ group, title, outcome }) => [group, ...title, outcome].join(' '));
    expect(rows).toEqual(['net8.0 Adds passed', 'net8.0 OnlyHere passed', 'net48 Adds failed', 'default Other passed']);
  });

  test('Two projects of a solution with a class of one name are two spec files', async () => {
    const zip = archive([
      { name: 'TestResults/1.trx', content: trx({ Adds: 'Passed' }, '/project/bin/Web.Tests.dll') },
      { name: 'TestResults/2.trx', content: trx({ Adds: 'Failed' }, '/project/bin/Api.Tests.dll') },
    ]);
    const files = await parseReports(sourceOf(zip), { now: NOW });
    expect(files.flatMap(listRows).map(({ spec, outcome }) => `${spec} ${outcome}`)).toEqual([
      'Web.Tests/Shop.CartTests passed',
      'Api.Tests/Shop.CartTests failed',
    ]);
  });
});
