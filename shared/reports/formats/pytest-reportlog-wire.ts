/** The lines of pytest-reportlog: a report per phase of a test, and its subtests, which come before or between them. */

import * as z from 'zod';
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundAttempt } from '#shared/reports/found.ts';
import {
  type AttemptParts,
  buildAttempt,
  buildTest,
  type ErrorTexts,
  EXPECTED_FAILURE,
  FAILED,
  PASSED,
  PENDING,
} from '#shared/reports/found-tests.ts';
import { listField, numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { readObjects } from '#shared/reports/lines/line-reader.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { getSpec, listTitle } from './pytest-node.ts';

export const PYTEST_REPORTLOG: Format = {
  format: 'pytest-reportlog',
  recognizes: ({ objects }) => objects.some((one) => typeof one.get('$report_type') === 'string'),
  parse: parseReportlog,
};

const Entry = z.object({ data: orNull(z.object({ lines: listField(z.string()) })) });

/** A text, the place and reason of a skip, or a crash with the lines of its traceback. */
const Failure = z.union([
  z.string().transform((text): ErrorTexts => ({ message: text.split('\n', 1)[0] ?? '', stack: text })),
  z.tuple([z.string(), z.number(), z.string()]).transform(([, , reason]): ErrorTexts => ({ message: reason })),
  z
    .object({
      reprcrash: orNull(z.object({ message: textField })),
      reprtraceback: orNull(z.object({ reprentries: listField(Entry) })),
    })
    .transform(({ reprcrash, reprtraceback }): ErrorTexts => {
      const lines = reprtraceback?.reprentries.flatMap(({ data }) => data?.lines ?? []) ?? [];
      return { message: reprcrash?.message ?? '', stack: lines.join('\n') };
    }),
]);

const Report = z.object({
  $report_type: textField,
  nodeid: textField,
  when: textField,
  outcome: textField,
  duration: numberField,
  start: numberField,
  wasxfail: orNull(z.string()),
  longrepr: orNull(Failure),
  sections: listField(z.tuple([z.string(), z.string()])),
  exitstatus: numberField,
});
type Report = z.output<typeof Report>;

/** A try that has not ended. */
interface OpenTry {
  readonly phases: Report[];
  readonly subtestErrors: ErrorTexts[];
}

const WORDS: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped', 'rerun']);
/** Failed tests, no tests, or none of both. */
const EXPECTED_STATUSES: ReadonlySet<number> = new Set([0, 1, 5]);

async function parseReportlog(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const open = new Map<string, OpenTry>();
  const earlierTries = new Map<string, FoundAttempt[]>();
  let hasEnd = false;
  let sessions = 0;
  let hasFailed = false;
  const findTry = (nodeId: string): OpenTry | undefined => {
    const openTry = open.get(nodeId) ?? { phases: [], subtestErrors: [] };
    if (!open.has(nodeId) && !report.hasRoom(open.size)) return undefined;
    open.set(nodeId, openTry);
    return openTry;
  };
  const endTry = (nodeId: string, { phases, subtestErrors }: OpenTry) => {
    open.delete(nodeId);
    const spec = toSpecPath(getSpec(nodeId), input.root);
    const parts = readTry(phases, subtestErrors, input.now);
    hasFailed ||= parts.ending === FAILED;
    if (phases.some(({ outcome }) => outcome === 'rerun')) {
      const tries = earlierTries.get(nodeId) ?? [];
      if (tries.length < REPORT_LIMITS.attemptsPerTest - 1)
        tries.push(
          report.collector.trim(buildTest({ ...parts, ending: FAILED, spec, title: [] })).attempts[0] ??
            buildAttempt(parts, spec),
        );
      earlierTries.set(nodeId, tries);
      return;
    }
    const skip = parts.ending === PENDING ? parts.errors?.[0]?.message : undefined;
    const test = buildTest({
      ...parts,
      spec,
      title: listTitle(nodeId),
      earlier: earlierTries.get(nodeId) ?? [],
      annotations: skip ? [{ type: 'skip', description: skip }] : [],
    });
    report.add({ ...test, source: sessions }, 'attempts');
    earlierTries.delete(nodeId);
  };
  const take = (one: Report) => {
    const type = one.$report_type;
    if (type === 'SessionStart') {
      hasEnd = false;
      sessions += 1;
    } else if (type === 'SessionFinish') {
      hasEnd = true;
      // If a worker of xdist dies, the test that it ran has no teardown.
      for (const [nodeId, openTry] of open) if (hasFailedPhase(openTry)) endTry(nodeId, openTry);
      const status = one.exitstatus ?? 0;
      if (!EXPECTED_STATUSES.has(status)) report.runError(`pytest ended with the exit code ${status}`);
      else if (status === 1 && !hasFailed) report.runErrorIfNone('pytest failed, but no test did');
    } else if (type === 'CollectReport' && one.outcome === 'failed') {
      hasFailed = true;
      const spec = toSpecPath(one.nodeid, input.root);
      report.add(
        buildTest({ spec, title: [BROKEN_FILE.pytest], ending: FAILED, errors: one.longrepr ? [one.longrepr] : [] }),
      );
    } else if (type === 'SubTestReport') {
      const subtestErrors = findTry(one.nodeid)?.subtestErrors ?? [];
      if (one.outcome === 'failed' && subtestErrors.length < REPORT_LIMITS.errorsPerAttempt)
        subtestErrors.push(one.longrepr ?? { message: 'A subtest failed' });
    } else if (type === 'TestReport') {
      const openTry = findTry(one.nodeid);
      if (!openTry) return;
      if (openTry.phases.length < MOST_PHASES) openTry.phases.push(one);
      else if (one.outcome === 'failed') openTry.phases[MOST_PHASES - 1] = one;
      if (one.when === 'teardown') endTry(one.nodeid, openTry);
    }
  };
  const isWhole = await readObjects(
    text,
    {
      get full() {
        return report.full;
      },
      take: (value) => {
        const one = Report.safeParse(value).data;
        if (one) take(one);
      },
    },
    { input, warnings: report.collector.warnings },
  );
  return report.finish({
    format: 'pytest-reportlog',
    framework: { type: 'pytest', version: null },
    truncated: !isWhole || !hasEnd || open.size > 0,
  });
}

const hasFailedPhase = ({ phases, subtestErrors }: OpenTry): boolean =>
  subtestErrors.length > 0 || phases.some(({ outcome }) => outcome === 'failed');

/** Setup, call and teardown. A damaged file may repeat them. */
const MOST_PHASES = 6;

function readTry(phases: readonly Report[], subtestErrors: readonly ErrorTexts[], now: number): AttemptParts {
  const ending = deriveEnding(phases, subtestErrors);
  const start = phases[0]?.start;
  const list = (...names: readonly string[]) =>
    phases.flatMap(({ sections }) =>
      sections.filter(([name]) => names.some((part) => name.includes(part))).map(([, output]) => output),
    );
  return {
    ending,
    startedAt: toEpoch(start === undefined ? undefined : Math.round(start * 1000), now),
    duration: roundDuration(phases.reduce((sum, { duration = 0 }) => sum + duration, 0) * 1000),
    errors: [...phases.flatMap(({ longrepr }) => longrepr ?? []), ...subtestErrors],
    stdout: list('stdout', 'log'),
    stderr: list('stderr'),
  };
}

function deriveEnding(phases: readonly Report[], subtestErrors: readonly ErrorTexts[]): Ending {
  if (subtestErrors.length > 0 || phases.some(({ outcome }) => outcome === 'failed' || !WORDS.has(outcome)))
    return FAILED;
  const skip = phases.find(({ outcome }) => outcome === 'skipped');
  if (!skip) return PASSED;
  return skip.wasxfail === null || skip.wasxfail === undefined ? PENDING : EXPECTED_FAILURE;
}
