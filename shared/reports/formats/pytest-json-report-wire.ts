/** The report of pytest-json-report. It has only the last try of a test that ran again. */

import * as z from 'zod';
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending } from '#shared/reports/found.ts';
import { buildAttempt, buildTest, EXPECTED_FAILURE, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { getSpec, listTitle } from './pytest-node.ts';

export const PYTEST_JSON_REPORT: Format = {
  format: 'pytest-json-report',
  recognizes: ({ members }) => members.has('exitcode') && members.has('created'),
  parse: parsePytestReport,
};

const Phase = orNull(
  z.object({
    duration: numberField,
    outcome: textField,
    longrepr: textField,
    stdout: textField,
    stderr: textField,
    log: z.unknown().optional(),
    crash: orNull(z.object({ message: textField })),
  }),
);

const Test = z.object({ nodeid: textField, outcome: textField, setup: Phase, call: Phase, teardown: Phase });
type Test = z.output<typeof Test>;

const CollectorOfTests = z.object({ nodeid: textField, outcome: textField, longrepr: textField });

const ENDINGS = new Map<string, Ending>([
  ['passed', PASSED],
  ['xpassed', PASSED],
  ['xfailed', EXPECTED_FAILURE],
  ['skipped', PENDING],
]);
const PLAIN: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped', 'rerun', 'error', 'xfailed']);

async function parsePytestReport(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const facts = new Map<string, unknown>();
  let hasFailed = false;
  const add = (path: string, value: unknown) => {
    if (path === 'tests.*') {
      const test = report.collector.read(Test, value);
      if (!test) return;
      const row = buildPytestTest(test, input.root);
      hasFailed ||= row.outcome === 'failed';
      report.add(row);
      return;
    }
    const collector = report.collector.read(CollectorOfTests, value);
    if (collector?.outcome !== 'failed') return;
    hasFailed = true;
    const { nodeid, longrepr } = collector;
    const errors = [{ message: readMessage(longrepr), stack: longrepr }];
    report.add(
      buildTest({ spec: toSpecPath(nodeid, input.root), title: [BROKEN_FILE.pytest], ending: FAILED, errors }),
    );
  };
  const reader = new PieceReader(
    ['created', 'duration', 'exitcode', 'collectors.*', 'tests.*'],
    {
      get full() {
        return report.full;
      },
      take: (path, value, cut) => {
        if (path === 'created' || path === 'duration' || path === 'exitcode') facts.set(path, value);
        else if (!cut.has(value)) add(path, value);
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && facts.size === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  const read = (name: string): number => numberField.parse(facts.get(name)) ?? 0;
  // Interrupted (2), an internal error (3) or a wrong command line (4) may leave no failed test.
  if (read('exitcode') > 1 && read('exitcode') !== 5)
    report.runError(`pytest ended with the exit code ${read('exitcode')}`);
  if (read('exitcode') === 1 && !hasFailed && reader.whole) report.runError('pytest failed, but no test did');
  return report.finish({
    format: 'pytest-json-report',
    framework: { type: 'pytest', version: null },
    startedAt: toEpoch(Math.round((read('created') - read('duration')) * 1000), input.now),
    truncated: report.isIncomplete(reader),
  });
}

function buildPytestTest(test: Test, root: string | undefined) {
  const phases = [test.setup, test.call, test.teardown].flatMap((phase) => phase ?? []);
  // The last try of a test that ran again, and a test whose subtests have words of their own, are known by the phases.
  const isByPhases = test.outcome === 'rerun' || test.outcome.startsWith('subtests');
  const ending = isByPhases ? deriveByPhases(phases) : (ENDINGS.get(test.outcome) ?? FAILED);
  const spec = toSpecPath(getSpec(test.nodeid), root);
  const failures = phases.filter(
    ({ outcome, crash }) => outcome === 'failed' || (ending === EXPECTED_FAILURE && crash),
  );
  const skip = ending === PENDING ? phases.find(({ outcome }) => outcome === 'skipped')?.longrepr : undefined;
  return buildTest({
    spec,
    title: listTitle(test.nodeid),
    ending,
    ...(!PLAIN.has(test.outcome) && { raw: test.outcome }),
    duration: roundDuration(phases.reduce((sum, { duration = 0 }) => sum + duration, 0) * 1000),
    errors: failures.map(({ crash, longrepr }) => ({
      message: crash?.message || readMessage(longrepr),
      stack: longrepr,
    })),
    stdout: phases.map(({ stdout }) => stdout),
    stderr: phases.map(({ stderr }) => stderr),
    annotations: skip ? [{ type: 'skip', description: readSkipReason(skip) }] : [],
    earlier: test.outcome === 'rerun' ? [{ ...buildAttempt({ ending: FAILED }, spec), errors: [] }] : [],
  });
}

/** pytest-xdist begins a text with the worker: `[gw1] linux -- Python 3.11.7 /usr/bin/python`. */
const WORKER = /^\[gw\d+\] [^\n]*\n/;

const readMessage = (text: string): string => text.replace(WORKER, '').split('\n', 1)[0] ?? '';

/** The place of a skip: `('/project/test_cart.py', 7, 'Skipped: no network')`. */
const PLACE = /^\('[^']{1,4096}', \d{1,9}, ['"]/;

function readSkipReason(text: string): string {
  const place = PLACE.exec(text)?.[0];
  return place === undefined ? text : text.slice(place.length, -"')".length);
}

function deriveByPhases(phases: readonly { readonly outcome: string }[]): Ending {
  if (phases.some(({ outcome }) => !ENDINGS.has(outcome))) return FAILED;
  return phases.some(({ outcome }) => outcome === 'skipped') ? PENDING : PASSED;
}
