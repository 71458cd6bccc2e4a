/** The JSON report of mochawesome, also as merged from several files. It does not show retries. */
import * as z from 'zod';
import { parseJson } from '#shared/engine/json.ts';
import { guessMediaType } from '#shared/reports/attached-file.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundFile } from '#shared/reports/found.ts';
import { buildTest, FAILED, PASSED, PENDING, SKIPPED } from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { flagField, numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { cleanHookTitle, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseTime, roundDuration, UTC } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const MOCHAWESOME: Format = {
  format: 'mochawesome',
  recognizes: ({ members }) =>
    members.has('stats') && (members.has('results.*.suites') || members.has('results.*.beforeHooks')),
  parse: parseMochawesome,
};

const Test = z.object({
  title: textField,
  duration: numberField,
  pass: flagField,
  fail: flagField,
  pending: flagField,
  context: textField,
  err: orNull(z.object({ message: textField, estack: textField })),
});
type Test = z.output<typeof Test>;

const Suite = z.object({
  title: textField,
  fullFile: textField,
  file: textField,
  beforeHooks: z.unknown().optional(),
  afterHooks: z.unknown().optional(),
  tests: z.unknown().optional(),
  suites: z.unknown().optional(),
});

interface Place {
  readonly spec: string;
  readonly titles: readonly string[];
}

async function parseMochawesome(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const { collector } = report;
  const fileAt = collector.findFiles(NAMED_ONLY);
  let start: unknown;
  let results = 0;
  const addTest = (value: unknown, { spec, titles }: Place, isHook: boolean) => {
    const test = collector.read(Test, value);
    if (!test || (isHook && !test.fail)) return;
    report.add(
      buildTest({
        spec,
        title: [...titles, cleanHookTitle(test.title)],
        ending: deriveEnding(test),
        duration: roundDuration(test.duration ?? 0),
        errors: [{ message: test.err?.message ?? '', stack: test.err?.estack ?? '' }],
        files: listFiles(test.context, fileAt),
      }),
    );
  };
  const addSuite = (value: unknown, place: Place, cut: ReadonlySet<unknown>) => {
    const suite = collector.read(Suite, value);
    if (!suite || place.titles.length === REPORT_LIMITS.suiteDepth) return;
    const spec = toSpecPath(suite.fullFile || suite.file, input.root) || place.spec;
    const inner = { spec, titles: suite.title === '' ? place.titles : [...place.titles, suite.title] };
    const addAll = (tests: unknown, isHook: boolean) => {
      for (const one of collector.listParts(tests)) if (!cut.has(one)) addTest(one, inner, isHook);
    };
    addAll(suite.beforeHooks, true);
    addAll(suite.tests, false);
    addAll(suite.afterHooks, true);
    for (const child of collector.listParts(suite.suites)) addSuite(child, inner, cut);
  };
  const reader = new PieceReader(
    ['stats.start', 'results.*'],
    {
      get full() {
        return report.full;
      },
      take: (path, value, cut) => {
        if (path === 'stats.start') start = value;
        else {
          results += 1;
          addSuite(value, { spec: '', titles: [] }, cut);
        }
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && results === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  return report.finish({
    format: 'mochawesome',
    framework: { type: 'mocha', version: null },
    startedAt: parseTime(typeof start === 'string' ? start : '', UTC, input.now),
    truncated: report.isIncomplete(reader),
  });
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';

/** A test behind a failed hook is neither passed nor failed nor pending. */
function deriveEnding({ pass, fail, pending }: Test): Ending {
  if (fail) return FAILED;
  if (pending) return PENDING;
  return pass ? PASSED : SKIPPED;
}

const Context = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]);
const FILE = /^[^\n]{1,1000}\.(?:png|jpe?g|webm|mp4)$/i;

/** `addContext` adds texts, and the paths of screenshots and videos, as JSON in a string. */
function listFiles(context: string, fileAt: ParserInput['fileAt']): FoundFile[] {
  if (context === '') return [];
  const value = parseJson(context);
  return (Array.isArray(value) ? value : [value]).slice(0, REPORT_LIMITS.filesPerReport).flatMap((one) => {
    const path = Context.safeParse(one).data ?? '';
    const name = path.split(/[\\/]/).at(-1) ?? path;
    return FILE.test(path) ? (fileAt({ name, contentType: guessMediaType(name), path }) ?? []) : [];
  });
}
