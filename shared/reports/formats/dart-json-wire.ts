/** The events of `dart test --reporter json` and `flutter test --machine`, which have no clock but milliseconds since the start. */
import * as z from 'zod';
import type { Format } from '#shared/reports/format.ts';
import type { Ending } from '#shared/reports/found.ts';
import { buildTest, type ErrorTexts, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import { flagField, numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { readObjects } from '#shared/reports/lines/line-reader.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const DART_JSON: Format = {
  format: 'dart-json',
  recognizes: ({ objects }) => objects.some((one) => one.get('type') === 'start' && one.has('protocolVersion')),
  parse: parseDart,
};

const Entry = z.object({
  id: numberField,
  name: textField,
  path: textField,
  suiteID: numberField,
  parentID: numberField,
  root_url: textField,
  groupIDs: orNull(z.array(z.number())).transform((ids) => ids ?? []),
  metadata: orNull(z.object({ skipReason: textField })),
});
type Entry = z.output<typeof Entry>;

const Event = z.object({
  type: textField,
  time: numberField,
  suite: orNull(Entry),
  group: orNull(Entry),
  test: orNull(Entry),
  testID: numberField,
  message: textField,
  error: textField,
  stackTrace: textField,
  result: textField,
  hidden: flagField,
  skipped: flagField,
  success: orNull(z.boolean()),
});
type Event = z.output<typeof Event>;

interface OpenTest {
  readonly test: Entry;
  readonly startedAt: number;
  readonly errors: ErrorTexts[];
  readonly output: KeptEnd;
}

async function parseDart(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const suites = new Map<number, string>();
  const groups = new Map<number, string>();
  const open = new Map<number, OpenTest>();
  let end: Event['success'];
  let hasFailed = false;
  const note = (names: Map<number, string>, entry: Entry | null | undefined, value: string) => {
    if (entry?.id !== undefined && names.size < REPORT_LIMITS.testsPerFile) names.set(entry.id, value);
  };
  const endTest = (event: Event) => {
    const openTest = open.get(event.testID ?? -1);
    open.delete(event.testID ?? -1);
    const ending = deriveEnding(event);
    // Loading a file and its hooks are tests, too. They count only if they failed.
    if (!openTest || (event.hidden && ending !== FAILED)) return;
    const { test, startedAt, errors, output } = openTest;
    hasFailed ||= ending === FAILED;
    const skip = test.metadata?.skipReason ?? '';
    report.add(
      buildTest({
        spec: toSpecPath(suites.get(test.suiteID ?? -1) ?? '', input.root),
        title: listTitle(test, groups).map(replaceUnstableParts),
        ending,
        ...(!WORDS.has(event.result) && { raw: event.result }),
        duration: roundDuration((event.time ?? startedAt) - startedAt),
        errors,
        stdout: [output.text],
        annotations: ending === PENDING && skip !== '' ? [{ type: 'skip', description: skip }] : [],
      }),
    );
  };
  const take = (event: Event) => {
    const openTest = open.get(event.testID ?? -1);
    if (event.type === 'suite') note(suites, event.suite, (event.suite?.path ?? '').replaceAll('\\', '/'));
    else if (event.type === 'group') note(groups, event.group, event.group?.name ?? '');
    else if (event.type === 'testStart' && event.test?.id !== undefined && report.hasRoom(open.size)) {
      const output = new KeptEnd(REPORT_LIMITS.outputCharacters);
      open.set(event.test.id, { test: event.test, startedAt: event.time ?? 0, errors: [], output });
    } else if (event.type === 'print') openTest?.output.add(`${event.message}\n`);
    else if (event.type === 'error' && openTest && openTest.errors.length < REPORT_LIMITS.errorsPerAttempt)
      openTest.errors.push({ message: event.error, stack: event.stackTrace });
    else if (event.type === 'testDone') endTest(event);
    // Two runs may write to one file.
    else if (event.type === 'start') end = undefined;
    else if (event.type === 'done') {
      end = event.success ?? null;
      if (end === false && !hasFailed) report.runErrorIfNone('The run failed, but no test did');
    }
  };
  const isWhole = await readObjects(
    text,
    {
      full: false,
      take: (value) => {
        const event = Event.safeParse(value).data;
        if (event) take(event);
      },
    },
    { input, warnings: report.collector.warnings },
  );
  // Without a last event, or with an unknown success, the run was aborted.
  return report.finish({
    format: 'dart-json',
    framework: { type: 'dart', version: null },
    truncated: !isWhole || end === undefined || end === null,
  });
}

const WORDS: ReadonlySet<string> = new Set(['success', 'failure', 'error']);

function deriveEnding({ result, skipped }: Event): Ending {
  if (skipped) return PENDING;
  return result === 'success' ? PASSED : FAILED;
}

/** The name of a group begins with that of its parent, and the name of a test with that of its group. */
function listTitle({ name, groupIDs }: Entry, groups: ReadonlyMap<number, string>): string[] {
  const loading = /^loading /.test(name) && groupIDs.length === 0;
  if (loading) return ['(loading)'];
  const names = [...groupIDs.map((id) => groups.get(id) ?? ''), name].filter((one) => one !== '');
  return names.map((one, index) => {
    const before = names[index - 1];
    return before !== undefined && one.startsWith(`${before} `) ? one.slice(before.length + 1) : one;
  });
}
