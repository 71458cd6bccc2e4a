/** The result of `cypress.run()`, as people write it to a file. The configuration in it may hold secrets, so it is never read. */

import * as z from 'zod';
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending } from '#shared/reports/found.ts';
import { buildAttempt, buildTest, FAILED, PASSED, PENDING, SKIPPED, splitStack } from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseTime, roundDuration, UTC } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const CYPRESS_JSON: Format = {
  format: 'cypress-json',
  recognizes: ({ members }) => members.has('runs.*.tests') || (members.has('cypressVersion') && members.has('runs')),
  parse: parseCypress,
};

const Attempt = z.object({
  state: textField,
  duration: numberField,
  wallClockDuration: numberField,
  error: orNull(z.object({ message: textField, stack: textField })),
});

const Test = z.object({
  title: textsField,
  state: textField,
  duration: numberField,
  displayError: textField,
  attempts: z.unknown().optional(),
});
type Test = z.output<typeof Test>;

const Run = z.object({
  spec: orNull(z.object({ relative: textField, name: textField })),
  error: textField,
  tests: z.unknown().optional(),
});

const ENDINGS = new Map<string, Ending>([
  ['passed', PASSED],
  ['pending', PENDING],
  ['skipped', SKIPPED],
]);

async function parseCypress(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const facts = new Map<string, unknown>();
  let runs = 0;
  const addRun = (value: unknown, cut: ReadonlySet<unknown>) => {
    const run = report.collector.read(Run, value);
    if (!run) return;
    runs += 1;
    const spec = toSpecPath(run.spec?.relative || run.spec?.name || '', input.root);
    for (const one of report.collector.listParts(run.tests)) {
      const test = cut.has(one) ? undefined : report.collector.read(Test, one);
      if (test) report.add(buildCypressTest(test, report.collector.readAll(Attempt, test.attempts), spec));
    }
    // A spec file that does not compile has no tests.
    if (run.error !== '')
      report.add(buildTest({ spec, title: [BROKEN_FILE.other], ending: FAILED, errors: [splitStack(run.error)] }));
  };
  const reader = new PieceReader(
    ['cypressVersion', 'browserName', 'startedTestsAt', 'runs.*'],
    {
      get full() {
        return report.full;
      },
      take: (path, value, cut) => {
        if (path === 'runs.*') addRun(value, cut);
        else facts.set(path, value);
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && runs === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  const readFact = (name: string): string => textField.parse(facts.get(name));
  return report.finish({
    format: 'cypress-json',
    framework: { type: 'cypress', version: readFact('cypressVersion') || null },
    startedAt: parseTime(readFact('startedTestsAt'), UTC, input.now),
    truncated: report.isIncomplete(reader),
  });
}

function buildCypressTest(
  { title, state, duration, displayError }: Test,
  attempts: readonly z.output<typeof Attempt>[],
  spec: string,
) {
  const ending = ENDINGS.get(state) ?? FAILED;
  const last = attempts.at(-1);
  const earlierTries = attempts.slice(0, -1).slice(-REPORT_LIMITS.attemptsPerTest + 1);
  const error = last?.error ? { message: last.error.message, stack: last.error.stack } : splitStack(displayError);
  return buildTest({
    spec,
    title,
    ending,
    ...(ending === FAILED && state !== 'failed' && { raw: state }),
    duration: roundDuration(duration ?? last?.duration ?? last?.wallClockDuration ?? 0),
    errors: [error],
    earlier: earlierTries.map((one) =>
      buildAttempt(
        {
          ending: ENDINGS.get(one.state) ?? FAILED,
          duration: roundDuration(one.duration ?? one.wallClockDuration ?? 0),
          errors: [{ message: one.error?.message ?? '', stack: one.error?.stack ?? '' }],
        },
        spec,
      ),
    ),
  });
}
