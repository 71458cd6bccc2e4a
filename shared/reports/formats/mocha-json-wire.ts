/** The JSON reporter of mocha. All tests come first, and then those that are pending, failed and passed. */
import * as z from 'zod';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import { buildAttempt, buildTest, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { cleanHookTitle, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseTime, roundDuration, UTC } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { takeRows } from '#shared/reports/waiting-rows.ts';

export const MOCHA_JSON: Format = {
  format: 'mocha-json',
  recognizes: ({ members }) => members.has('stats.passes') && members.has('tests') && !members.has('results'),
  parse: parseMocha,
};

const MochaTest = z.object({
  title: textField,
  fullTitle: textField,
  file: textField,
  duration: numberField,
  currentRetry: numberField,
  /** Only passed tests have a speed. Old versions do not write it. */
  speed: textField,
  err: orNull(z.object({ message: textField, stack: textField, name: textField })).transform(
    (error) => error ?? { message: '', stack: '', name: '' },
  ),
});
type MochaTest = z.output<typeof MochaTest>;

interface Row {
  readonly key: string;
  readonly hasError: boolean;
  readonly hasPassed: boolean;
  readonly build: (ending: Ending) => FoundTest;
}

const keyOf = ({ file, fullTitle }: MochaTest): string => JSON.stringify([file, fullTitle]);
const hasError = ({ err }: MochaTest): boolean => err.message !== '' || err.stack !== '';

async function parseMocha(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const rows: Row[] = [];
  const rowErrors = new Map<string, number>();
  const failures = new Map<string, number>();
  const pendingKeys = new Set<string>();
  const passes = new Set<string>();
  const hooks: FoundTest[] = [];
  const rowKeys = new Set<string>();
  let start: unknown;
  const addRow = (test: MochaTest) => {
    if (!report.hasRoom(rows.length)) return;
    const key = keyOf(test);
    rowKeys.add(key);
    if (hasError(test)) rowErrors.set(key, (rowErrors.get(key) ?? 0) + 1);
    // Long errors are cut at once, because the rows wait for the end of the file.
    const failedTest = hasError(test) ? report.collector.trim(buildMochaTest(test, FAILED, input)) : undefined;
    const { err: _error, ...facts } = test;
    const build = (ending: Ending): FoundTest =>
      ending === FAILED && failedTest ? failedTest : buildMochaTest({ ...facts, err: NO_ERROR }, ending, input);
    rows.push({ key, hasError: failedTest !== undefined, hasPassed: test.speed !== '', build });
  };
  const take = (path: string, value: unknown, cut: ReadonlySet<unknown>) => {
    if (path === 'stats.start') start = value;
    const test = path === 'stats.start' || cut.has(value) ? undefined : report.collector.read(MochaTest, value);
    if (!test) return;
    const key = keyOf(test);
    if (path === 'tests.*') addRow(test);
    else if (path === 'pending.*') pendingKeys.add(key);
    else if (path === 'passes.*') passes.add(key);
    // Hooks that failed are only in this list.
    else if (rowKeys.has(key)) failures.set(key, (failures.get(key) ?? 0) + 1);
    else if (hooks.length < REPORT_LIMITS.testsPerSpec)
      hooks.push(report.collector.trim(buildMochaTest(test, FAILED, input)));
  };
  const reader = new PieceReader(
    ['stats.start', 'tests.*', 'pending.*', 'failures.*', 'passes.*'],
    { full: false, take },
    input,
  );
  await reader.read(text);
  if (!reader.whole && rows.length === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  for (const { key, hasError: isFailed, hasPassed, build } of takeRows(rows)) {
    // A test may fail after it passed, for example if it calls its callback twice. Its entry then has no error.
    const unseen = (failures.get(key) ?? 0) - (rowErrors.get(key) ?? 0);
    if (isFailed || unseen > 0) {
      if (!isFailed) failures.set(key, (failures.get(key) ?? 0) - 1);
      report.addKept(build(FAILED));
    } else if (pendingKeys.has(key)) report.addKept(build(PENDING));
    else if (hasPassed || passes.has(key)) report.addKept(build(PASSED));
    // The file ended before it says whether the test is pending.
    else if (reader.whole) report.addKept(build(PENDING));
  }
  for (const hook of hooks) report.addKept(hook);
  return report.finish({
    format: 'mocha-json',
    framework: { type: 'mocha', version: null },
    startedAt: parseTime(typeof start === 'string' ? start : '', UTC, input.now),
    truncated: report.isIncomplete(reader),
  });
}

const NO_ERROR = { message: '', stack: '', name: '' };

function buildMochaTest(test: MochaTest, ending: Ending, { root }: Pick<ParserInput, 'root'>): FoundTest {
  const { title, fullTitle, file, duration = 0, currentRetry = 0, err } = test;
  const spec = toSpecPath(file, root);
  const describes = fullTitle.endsWith(title) ? fullTitle.slice(0, fullTitle.length - title.length).trimEnd() : '';
  const retries = Math.min(Math.max(0, Math.trunc(currentRetry)), REPORT_LIMITS.attemptsPerTest - 1);
  return buildTest({
    spec,
    title: [describes, cleanHookTitle(title)],
    ending,
    duration: roundDuration(duration),
    errors: [{ message: err.message, stack: err.stack, type: err.name }],
    // The errors of earlier tries are lost.
    earlier: Array.from({ length: retries }, () => ({ ...buildAttempt({ ending: FAILED }, spec), errors: [] })),
  });
}
