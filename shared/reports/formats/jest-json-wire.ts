/** The result of `jest --json`, and the JSON report of Vitest, which has the same shape. */

import * as z from 'zod';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundAttempt } from '#shared/reports/found.ts';
import {
  buildAttempt,
  buildTest,
  type ErrorTexts,
  FAILED,
  PASSED,
  PENDING,
  splitStack,
} from '#shared/reports/found-tests.ts';
import type { Head } from '#shared/reports/head.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { numberField, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

const isEither = ({ members }: Head): boolean =>
  (members.has('numTotalTests') || members.has('numFailedTestSuites')) && !members.has('reportFormat');
const isJest = ({ members }: Head): boolean => members.has('openHandles') || members.has('numRuntimeErrorTestSuites');

export const JEST_JSON: Format = {
  format: 'jest-json',
  recognizes: (head) => isEither(head) && isJest(head),
  parse: (text, input) => parseJest(text, input, 'jest-json'),
};

export const VITEST_JSON: Format = {
  format: 'vitest-json',
  recognizes: (head) => isEither(head) && !isJest(head),
  parse: (text, input) => parseJest(text, input, 'vitest-json'),
};

const Assertion = z.object({
  ancestorTitles: textsField,
  title: textField,
  status: textField,
  duration: numberField,
  failureMessages: textsField,
  invocations: numberField,
});
type Assertion = z.output<typeof Assertion>;

const TestFile = z.object({
  name: textField,
  status: textField,
  message: textField,
  assertionResults: z.unknown().optional(),
});

const ENDINGS = new Map<string, Ending>([
  ['passed', PASSED],
  ['pending', PENDING],
  ['skipped', PENDING],
  ['disabled', PENDING],
  ['todo', PENDING],
]);

async function parseJest(
  text: AsyncIterable<string>,
  input: ParserInput,
  format: 'jest-json' | 'vitest-json',
): Promise<ParsedFile> {
  const report = new ToolReport(input);
  let startTime: unknown;
  let success: unknown;
  let failedSuites: unknown;
  let shownSuites = 0;
  let hasFailed = false;
  let files = 0;
  const addFile = (value: unknown, cut: ReadonlySet<unknown>) => {
    const file = report.collector.read(TestFile, value);
    if (!file) return;
    files += 1;
    const spec = toSpecPath(file.name, input.root);
    const message = removeControlSequences(file.message);
    const describes = new Describes();
    let fileFailed = false;
    for (const one of report.collector.listParts(file.assertionResults)) {
      const assertion = cut.has(one) ? undefined : report.collector.read(Assertion, one);
      if (!assertion) continue;
      const test = buildJestTest(assertion, spec, format);
      input.reading.work((test.attempts.length - 1) * REPORT_LIMITS.work.attempt, input.name);
      fileFailed ||= test.outcome === 'failed';
      describes.add(assertion, test.outcome === 'failed');
      report.add(test);
    }
    // A file that cannot be loaded has no tests, and a failed `afterAll` is in no test.
    const isBroken = file.status === 'failed' && (!fileFailed || HEADLINE.test(message));
    if (isBroken && !cut.has(value))
      report.add(buildTest({ spec, title: [BROKEN_FILE.other], ending: FAILED, errors: [readFileError(message)] }));
    if (fileFailed || isBroken) shownSuites += 1 + (fileFailed ? describes.failed : describes.all);
    hasFailed ||= fileFailed || isBroken;
  };
  const reader = new PieceReader(
    ['startTime', 'success', 'numFailedTestSuites', 'testResults.*'],
    {
      get full() {
        return report.full;
      },
      take: (path, value, cut) => {
        if (path === 'startTime') startTime = value;
        else if (path === 'success') success = value;
        else if (path === 'numFailedTestSuites') failedSuites = value;
        else addFile(value, cut);
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && files === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  // Errors outside tests, such as a promise that nobody awaited, are in no file.
  if (success === false && !hasFailed && reader.whole) report.runError('The run failed, but no test or file did');
  const hiddenCount = format === 'vitest-json' && typeof failedSuites === 'number' ? failedSuites - shownSuites : 0;
  if (hiddenCount > 0 && reader.whole && !report.full)
    report.runError(
      `${hiddenCount === 1 ? 'A suite' : `${hiddenCount} suites`} failed outside tests, for example in a hook`,
    );
  return report.finish({
    format,
    framework: { type: format === 'jest-json' ? 'jest' : 'vitest', version: null },
    startedAt: toEpoch(typeof startTime === 'number' ? startTime : undefined, input.now),
    truncated: report.isIncomplete(reader),
  });
}

function buildJestTest(assertion: Assertion, spec: string, format: 'jest-json' | 'vitest-json') {
  const { ancestorTitles, title, status, duration = 0, failureMessages } = assertion;
  const ending = ENDINGS.get(status) ?? FAILED;
  const errors = [...new Set(failureMessages)].map((text) => splitStack(removeControlSequences(text)));
  return buildTest({
    spec,
    title: [...ancestorTitles, title],
    ending,
    ...(ending === FAILED && status !== 'failed' && { raw: status }),
    duration: roundDuration(duration),
    errors,
    earlier: listEarlier(assertion, ending, { spec, format, errors }),
  });
}

interface EarlierTries {
  readonly spec: string;
  readonly format: 'jest-json' | 'vitest-json';
  readonly errors: readonly ErrorTexts[];
}

/** Jest counts the tries and loses their errors. Vitest keeps the errors of a test that passed in the end. */
function listEarlier(
  { invocations = 1 }: Assertion,
  ending: Ending,
  { spec, format, errors }: EarlierTries,
): FoundAttempt[] {
  if (format === 'vitest-json')
    return ending === PASSED ? errors.map((error) => buildAttempt({ ending: FAILED, errors: [error] }, spec)) : [];
  const tries = Math.min(Math.max(1, Math.trunc(invocations)), REPORT_LIMITS.attemptsPerTest) - 1;
  return Array.from({ length: tries }, () => ({ ...buildAttempt({ ending: FAILED }, spec), errors: [] }));
}

interface Describe {
  readonly title: string;
  readonly tests: Set<string>;
  failed: boolean;
}

/**
 * The describes of a file. Vitest counts those that failed, also by a hook, and the report has nothing else of a hook.
 * In doubt, tests are in several describes of one name, so that none of them seems to lack its failure.
 */
class Describes {
  #open: Describe[] = [];
  all = 0;
  failed = 0;

  add({ ancestorTitles, title }: Assertion, failed: boolean): void {
    const differing = ancestorTitles.findIndex((one, index) => one !== this.#open[index]?.title);
    const common = differing < 0 ? ancestorTitles.length : differing;
    const isRepeated = common === ancestorTitles.length && this.#open[common - 1]?.tests.has(title) === true;
    const kept = isRepeated ? common - 1 : common;
    const newSuites = ancestorTitles
      .slice(kept)
      .map((one) => ({ title: one, tests: new Set<string>(), failed: false }));
    this.all += newSuites.length;
    this.#open = [...this.#open.slice(0, kept), ...newSuites];
    this.#open.at(-1)?.tests.add(title);
    if (!failed) return;
    for (const describe of this.#open) {
      if (!describe.failed) this.failed += 1;
      describe.failed = true;
    }
  }
}

/** Stands after the failures of tests, if an `afterAll` failed too. The messages of tests are indented further. */
const HEADLINE = /^ {2}● Test suite failed to run$/m;

function readFileError(message: string): ErrorTexts {
  const stack = (message.split(HEADLINE, 2)[1] ?? message).trim();
  return { message: stack.split('\n', 1)[0] ?? '', stack };
}
