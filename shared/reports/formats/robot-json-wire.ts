/** The output files of Robot Framework as JSON, which it writes since version 7.2. */
import * as z from 'zod';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { listField, numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseTime, roundDuration } from '#shared/reports/times.ts';
import { nameKeyword } from './robot-keyword-name.ts';
import { RobotReport, type Suite } from './robot-report.ts';
import type { Keyword, Status } from './robot-test.ts';

export const ROBOT_JSON: Format = {
  format: 'robot-json',
  recognizes: ({ members }) => members.has('generator') && members.has('suite') && members.has('rpa'),
  parse: parseRobotJson,
};

/** Suites are nested in JSON up to this depth. Folders of tests are rarely deeper than five. */
const SUITE_DEPTH = 40;
const DEEP_SUITE = `suite${'.suites.*'.repeat(SUITE_DEPTH)}`;
const SUITE_PATHS = Array.from({ length: SUITE_DEPTH }, (_, depth) => `suite${'.suites.*'.repeat(depth)}`);

const JsonStatus = z.object({
  status: textField,
  start_time: textField,
  elapsed_time: numberField,
  message: textField,
});

/** Names of variables, with their values in an iteration. */
const Assigned = orNull(
  z.union([
    z.array(z.string()),
    z.record(z.string(), z.string()).transform((values) => Object.entries(values).map((pair) => pair.join(' = '))),
  ]),
).transform((variables) => variables ?? []);

const JsonKeyword = JsonStatus.extend({
  name: textField,
  type: textField,
  condition: textField,
  level: textField,
  flavor: textField,
  args: textsField,
  values: textsField,
  patterns: textsField,
  value: textsField,
  assign: Assigned,
  body: listField(z.unknown()),
  setup: z.unknown().optional(),
  teardown: z.unknown().optional(),
});

const JsonTest = JsonKeyword.extend({ tags: textsField });
const JsonMessage = z.object({ level: textField, message: textField });

async function parseRobotJson(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const robot = new RobotReport(input);
  const zone = getZone(input.timezone);
  const open: (Suite | undefined)[] = [];
  let hasDeepSuites = false;
  const readStatus = (value: z.output<typeof JsonStatus>): Status => ({
    word: value.status,
    startedAt: parseTime(value.start_time, zone, input.now),
    duration: roundDuration((value.elapsed_time ?? 0) * 1000),
    message: value.message,
  });
  const readBody = (values: readonly unknown[]): z.output<typeof JsonKeyword>[] =>
    values.flatMap((value) => JsonKeyword.safeParse(value).data ?? []);
  const readKeyword = (value: z.output<typeof JsonKeyword>, depth = 0): Keyword => {
    const inner = depth < REPORT_LIMITS.elementDepth ? readBody([value.setup, ...value.body, value.teardown]) : [];
    const type = (value.type || 'kw').toLowerCase();
    return {
      name: nameKeyword({
        type,
        name: value.name,
        condition: value.condition || value.flavor,
        variables: value.assign,
        values: [...value.args, ...value.values, ...value.patterns, ...value.value],
      }),
      type,
      status: readStatus(value),
      messages: inner.filter(({ type }) => type === 'MESSAGE').map(({ level, message }) => ({ level, text: message })),
      body: inner.filter(({ type }) => type !== 'MESSAGE').map((one) => readKeyword(one, depth + 1)),
    };
  };
  const openSuite = (depth: number): Suite => {
    const openSuiteAtDepth = open[depth];
    if (openSuiteAtDepth) return openSuiteAtDepth;
    const parent = depth > 0 ? openSuite(depth - 1) : undefined;
    const suite: Suite = { name: '', parent, failedTeardown: undefined, isEnded: false };
    open[depth] = suite;
    return suite;
  };
  const takeInSuite = (depth: number, member: string, value: unknown, cut: ReadonlySet<unknown>) => {
    const suite = openSuite(depth);
    if (member === 'name') suite.name = textField.parse(value);
    else if (member === 'start_time') {
      if (depth === 0) robot.startedAt = parseTime(textField.parse(value), zone, input.now);
    } else if (cut.has(value)) return;
    else if (member === 'teardown') {
      const teardown = robot.report.collector.read(JsonStatus.nullable(), value);
      if (teardown?.status === 'FAIL') suite.failedTeardown = teardown.message || 'without a message';
    } else {
      const test = robot.report.collector.read(JsonTest, value);
      if (!test) return;
      const { status, body } = readKeyword(test);
      robot.add({ name: test.name, tags: test.tags, status, body }, suite);
    }
  };
  const members = SUITE_PATHS.flatMap((path, depth) =>
    ['name', 'start_time', 'teardown', 'tests.*'].map((member) => [`${path}.${member}`, { depth, member }] as const),
  );
  const places = new Map<string, { readonly depth: number; readonly member: string }>(members);
  const reader = new PieceReader(
    [...places.keys(), 'errors.*'],
    {
      full: false,
      take: (path, value, cut) => {
        const place = places.get(path);
        if (place) takeInSuite(place.depth, place.member, value, cut);
        else {
          const error = robot.report.collector.read(JsonMessage, value);
          if (error) robot.warn(error.level, error.message);
        }
      },
      close: (path) => {
        hasDeepSuites ||= path === DEEP_SUITE;
        const depth = SUITE_PATHS.indexOf(path);
        const suite = depth < 0 ? undefined : open[depth];
        if (suite) suite.isEnded = true;
        if (depth >= 0) open.length = Math.min(open.length, depth);
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && open.length === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  const { whole, tooLarge, hasMore, misshapen } = reader;
  const isIncomplete = robot.report.isIncomplete({
    whole,
    tooLarge,
    hasMore,
    misshapen,
    tooDeep: reader.tooDeep || hasDeepSuites,
  });
  return robot.finish('robot-json', isIncomplete);
}
