/** The lines of `cargo nextest run --message-format libtest-json` and `libtest-json-plus`. Those of libtest itself name no crate. */
import * as z from 'zod';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import {
  addRepetition,
  buildAttempt,
  buildTest,
  type ErrorTexts,
  FAILED,
  failIfOneFailed,
  PASSED,
  PENDING,
} from '#shared/reports/found-tests.ts';
import { numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { readObjects } from '#shared/reports/lines/line-reader.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

/** `shop::cart$tests::adds`: crate, binary and test, after the number of the round of a stress test. */
const NAME = /^([^$:\s]{1,200})::([^$@]{1,200})(?:@stress-(\d{1,9}))?\$(.+)$/s;

export const NEXTEST_JSON: Format = {
  format: 'nextest-json',
  recognizes: ({ objects }) =>
    objects.some((one) => one.get('type') === 'suite' && one.has('event')) &&
    objects.some((one) => one.has('nextest') || (one.get('type') === 'test' && NAME.test(String(one.get('name'))))),
  parse: parseNextest,
};

const Event = z.object({
  type: textField,
  event: textField,
  name: textField,
  exec_time: numberField,
  stdout: textField,
  reason: textField,
  nextest: orNull(z.object({ crate: textField, test_binary: textField, kind: textField })),
});
type Event = z.output<typeof Event>;

const ENDINGS = new Map<string, Ending>([
  ['ok', PASSED],
  ['failed', FAILED],
  ['timeout', FAILED],
  ['ignored', PENDING],
]);

async function parseNextest(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const kinds = new Map<string, string>();
  // With the kind of the binary. A package may have a library and a program of one name.
  const openTests = new Map<string, string | undefined>();
  const rounds = new Map<string, FoundTest[]>();
  let openSuites = 0;
  let hasFailedSuite = false;
  let hasFailedTest = false;
  const takeSuite = ({ event, nextest }: Event) => {
    if (event === 'started') {
      openSuites += 1;
      if (nextest && kinds.size < REPORT_LIMITS.testsPerFile)
        kinds.set(`${nextest.crate}::${nextest.test_binary}`, nextest.kind);
      return;
    }
    openSuites -= 1;
    hasFailedSuite ||= event !== 'ok';
  };
  const endTest = (event: Event) => {
    const { name, tries } = splitTries(event.name, openTests);
    const [, crate = '', binary = '', round, path = name] = NAME.exec(name) ?? [];
    const spec = crate === '' ? 'nextest' : nameBinary(crate, binary, openTests.get(name));
    openTests.delete(name);
    const test = buildNextestTest(event, { spec, title: path.split('::'), tries });
    hasFailedTest ||= test.outcome === 'failed';
    if (round === undefined) {
      report.add(test);
      return;
    }
    const key = `${spec}$${path}`;
    const rows = rounds.get(key) ?? [];
    if (rows.length === 0 && !report.hasRoom(rounds.size)) return;
    rounds.set(key, rows);
    addRepetition(rows, report.collector.trim(test));
  };
  const startTest = ({ name }: Event) => {
    const [, crate, binary] = NAME.exec(name) ?? [];
    openTests.set(name, kinds.get(`${crate}::${binary}`));
  };
  const take = (event: Event) => {
    if (event.type === 'suite') takeSuite(event);
    else if (event.type !== 'test' || event.name === '') return;
    else if (event.event !== 'started') endTest(event);
    else if (openTests.size < REPORT_LIMITS.testsPerFile) startTest(event);
  };
  const isWhole = await readObjects(
    text,
    {
      get full() {
        return report.full;
      },
      take: (value) => {
        const event = Event.safeParse(value).data;
        if (event) take(event);
      },
    },
    { input, warnings: report.collector.warnings },
  );
  for (const rows of rounds.values()) report.addKept(failIfOneFailed(rows));
  if (hasFailedSuite && !hasFailedTest) report.runError('A test binary failed, but none of its tests did');
  return report.finish({
    format: 'nextest-json',
    framework: { type: 'rust', version: null },
    truncated: !isWhole || openSuites > 0,
  });
}

/** A test that ran again ends with the number of its last try: `shop::cart$adds#2`. It starts without that number. */
function splitTries(
  name: string,
  openTests: ReadonlyMap<string, unknown>,
): { readonly name: string; readonly tries: number } {
  const at = name.lastIndexOf('#');
  const tries = Number(name.slice(at + 1));
  const isTry = at > 0 && Number.isInteger(tries) && tries > 1 && !openTests.has(name);
  return isTry ? { name: name.slice(0, at), tries } : { name, tries: 1 };
}

/** The id of the binary, which is also its name in the JUnit files of nextest. Only `libtest-json-plus` names its kind. */
function nameBinary(crate: string, binary: string, kind: string | undefined): string {
  if (kind === 'bin' || kind === 'example' || kind === 'bench') return `${crate}::${kind}/${binary}`;
  if (kind === 'lib' || (kind === undefined && binary === crate.replaceAll('-', '_'))) return crate;
  return binary === crate && kind === undefined ? crate : `${crate}::${binary}`;
}

interface NextestPlace {
  readonly spec: string;
  readonly title: readonly string[];
  readonly tries: number;
}

function buildNextestTest(event: Event, { spec, title, tries }: NextestPlace): FoundTest {
  const { event: word, exec_time: seconds = 0, stdout, reason } = event;
  // Only the last of several tries is in the file.
  const earlierTries = Array.from({ length: Math.min(tries, REPORT_LIMITS.attemptsPerTest) - 1 }, () =>
    buildAttempt({ ending: FAILED }, spec),
  );
  return buildTest({
    spec,
    title,
    ending: ENDINGS.get(word) ?? FAILED,
    ...(!ENDINGS.has(word) && { raw: word }),
    duration: roundDuration(seconds * 1000),
    errors: [findPanic(stdout, reason)],
    stdout: [stdout],
    earlier: earlierTries,
  });
}

/** `thread 'adds' (28092) panicked at src/lib.rs:17:73:`, and the message in the lines below it. */
const PANIC = /^thread '[^'\n]{0,1000}' (?:\(\d{1,20}\) )?panicked at /m;
/** Stands before the output of a test, such as `note: test did not panic as expected`. */
const OUTPUT = ' stdout ----\n';
const BELOW = /\n(?:stack backtrace:|note: )/;

function findPanic(output: string, reason: string): ErrorTexts {
  const stack = removeControlSequences(output).trim();
  if (stack === '') return { message: reason };
  const panic = PANIC.exec(stack);
  if (!panic) return { message: (stack.split(OUTPUT, 2)[1] ?? stack).split('\n', 1)[0] ?? '', stack };
  const texts = stack.slice(panic.index).split(BELOW, 1)[0]?.trimEnd() ?? '';
  const [place = '', ...message] = texts.split('\n');
  // Before Rust 1.73, the message stands before the place in the same line.
  return { message: message.join('\n') || place, stack };
}
