/** The report of Robot Framework while its file is read: suites, and the tests that wait for them. */

import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import { buildError, FAILED, SKIPPED } from '#shared/reports/found-tests.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { takeRows } from '#shared/reports/waiting-rows.ts';
import { buildRobotTest, type RobotTest } from './robot-test.ts';

/** A suite, whose teardown is written after its tests, and in JSON also its name. */
export interface Suite {
  name: string;
  readonly parent: Suite | undefined;
  failedTeardown: string | undefined;
  isEnded: boolean;
}

/** Tests wait for the end of the file, because a failed teardown of a suite around them makes them fail. */
export class RobotReport {
  readonly report: ToolReport;
  readonly #fileAt: ParserInput['fileAt'];
  readonly #waiting: { readonly suite: Suite | undefined; readonly test: FoundTest }[] = [];
  readonly #warnings: string[] = [];
  startedAt: number | null = null;

  constructor(input: ParserInput) {
    this.report = new ToolReport(input);
    this.#fileAt = this.report.collector.findFiles(NAMED_ONLY);
  }

  add(robotTest: RobotTest, suite: Suite | undefined): void {
    if (this.report.hasRoom(this.#waiting.length))
      this.#waiting.push({ suite, test: this.report.collector.trim(buildRobotTest(robotTest, this.#fileAt)) });
  }

  /** Errors outside tests, such as a library that cannot be imported, fail no test of Robot Framework. */
  warn(level: string, message: string): void {
    if (level !== 'ERROR' || this.#warnings.length === REPORT_LIMITS.runErrors) return;
    const warning = makeVisibleLine(message).slice(0, REPORT_LIMITS.warningCharacters).toWellFormed();
    this.#warnings.push(warning);
    this.report.collector.warnings.add(warning);
  }

  finish(format: 'robot-xml' | 'robot-json', isTruncated: boolean): ParsedFile {
    for (const { suite, test } of takeRows(this.#waiting)) {
      const names = listSuites(suite).map(({ name }) => name);
      // In a JSON file that was cut, the names of the open suites are missing.
      const spec = names.includes('') ? '' : names.join('.');
      this.report.addKept(applySuites({ ...test, spec }, suite));
    }
    const runWarnings = this.#warnings;
    const file = this.report.finish({
      format,
      framework: { type: 'robot', version: null },
      truncated: isTruncated,
      runWarnings,
    });
    return { ...file, startedAt: this.startedAt ?? file.startedAt };
  }
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';

function listSuites(suite: Suite | undefined): Suite[] {
  const suites: Suite[] = [];
  for (let one = suite; one; one = one.parent) suites.unshift(one);
  return suites;
}

function applySuites(test: FoundTest, suite: Suite | undefined): FoundTest {
  if (test.outcome !== 'passed') return test;
  const suites = listSuites(suite);
  const teardown = suites.find(({ failedTeardown }) => failedTeardown !== undefined)?.failedTeardown;
  if (teardown !== undefined) {
    const error = buildError({ message: `Parent suite teardown failed:\n${teardown}` }, test.spec);
    return changeEnding(test, FAILED, [error]);
  }
  // Nobody knows whether the teardown of a suite failed, if the file ends before it.
  return suites.every(({ isEnded }) => isEnded) ? test : changeEnding(test, SKIPPED, []);
}

const changeEnding = (
  test: FoundTest,
  { outcome, expectedStatus, state, raw }: Ending,
  errors: FoundTest['attempts'][number]['errors'],
): FoundTest => ({
  ...test,
  outcome,
  expectedStatus,
  attempts: test.attempts.map((attempt, index) =>
    index === test.attempts.length - 1 ? { ...attempt, state, rawStatus: raw, errors } : attempt,
  ),
});
