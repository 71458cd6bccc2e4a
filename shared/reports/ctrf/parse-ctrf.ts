/** Parses CTRF reports of any tool. Tests are parsed one at a time, so the whole file is never in memory. */

import { copyText } from '#shared/engine/own-copy.ts';
import { addErrorsOfPasses } from '#shared/model/results/attempt.ts';
import { deriveExpectedStatus, limitAnnotations } from '#shared/reports/annotations.ts';
import { findAttachedFile } from '#shared/reports/attached-file.ts';
import { Collector } from '#shared/reports/collector.ts';
import { buildAttemptError } from '#shared/reports/error-texts.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import { ENDINGS, type Ending, type FoundAttempt, type FoundTest, type SameName } from '#shared/reports/found.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { limitOutput } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import {
  cleanHookTitle,
  DEFAULT_GROUP,
  replaceUnstableParts,
  toSpecPath,
  UNNAMED_PROJECT,
} from '#shared/reports/paths.ts';
import { joinTries } from '#shared/reports/pytest-tries.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseSteps } from '#shared/reports/steps-wire.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { SEVERAL_REPORTS, TOO_DEEP, TOO_LARGE } from '#shared/reports/warnings.ts';
import { type CtrfAttempt, CtrfEnvironment, CtrfSummary, CtrfTest, CtrfTool } from './ctrf-wire.ts';

export const CTRF: Format = {
  format: 'ctrf',
  recognizes: ({ text, members }) =>
    (text.startsWith('{') && /"reportFormat"\s*:\s*"CTRF"/.test(text)) || members.has('results.tool'),
  parse: parseCtrf,
};

async function parseCtrf(text: AsyncIterable<string>, hints: ParserInput): Promise<ParsedFile> {
  const collector = new Collector(hints, DEFAULT_GROUP);
  const { warnings } = collector;
  let tool = { name: '', version: '' };
  let environment: unknown;
  let summary: CtrfSummary | undefined;
  let tests = 0;
  const sameName = () => SAME_NAME.get(tool.name.toLowerCase());
  const add = (value: unknown) => {
    const test = collector.read(CtrfTest, value);
    tests += 1;
    if (!test) return;
    if (isUnknownStatus(test))
      warnings.once(
        'Tests with a status that CTRF does not have count as skipped, because it does not say how they ended',
      );
    const foundTest = toFoundCtrfTest(test, tool.name.toLowerCase(), hints);
    // Earlier attempts count toward the work limit, because even a short report can claim many retries.
    hints.reading.work((foundTest.attempts.length - 1) * REPORT_LIMITS.work.attempt, hints.name);
    if (foundTest.attempts.reduce((sum, { files = [] }) => sum + files.length, 0) < test.attachments.length)
      warnings.once(
        'The report names attachments that it does not contain. Send a zip of the report and its files to keep them',
      );
    collector.add(collector.trim(foundTest), sameName());
  };
  const taker = {
    get full() {
      return collector.full && sameName() !== 'attempts';
    },
    take: (path: string, value: unknown, cut: ReadonlySet<unknown>) => {
      if (cut.has(value)) return;
      if (path === 'results.tool') tool = CtrfTool.safeParse(value).data ?? tool;
      else if (path === 'results.environment') environment = value;
      else if (path === 'results.summary') summary = CtrfSummary.safeParse(value).data;
      else add(value);
    },
  };
  const reader = new PieceReader(
    ['results.tool', 'results.environment', 'results.summary', 'results.tests.*'],
    taker,
    hints,
  );
  await reader.read(text);
  const { whole, hasMore, tooLarge, tooDeep, misshapen } = reader;
  if (!whole && tests === 0)
    throw unreadableReport(hints.name ?? '', 'is not valid JSON, or ends before its first test');
  if (hasMore) warnings.add(SEVERAL_REPORTS);
  else if (!whole && !taker.full)
    warnings.add('The file is truncated or damaged. The tests before that point are kept');
  // What is left out may be the status of a test that failed.
  if (tooLarge) warnings.add(TOO_LARGE);
  if (tooDeep) warnings.add(TOO_DEEP);
  if (misshapen) collector.noteOddPart();
  const facts = CtrfEnvironment.safeParse(environment).data;
  return collector.finish(joinTries, {
    format: 'ctrf',
    dialect: tool.name === '' ? null : copyText(tool.name),
    framework: { type: tool.name || 'ctrf', version: tool.version || null },
    milliseconds: roundDuration((summary?.stop ?? 0) - (summary?.start ?? 0)) || null,
    truncated: !whole || tooLarge || tooDeep,
    ...(facts && { commit: buildCommit(facts), ciBuildId: findBuildId(facts) }),
  });
}

/** Playwright's `repeatEach` runs a test several times under one name. pytest repeats a test after a failure. */
const SAME_NAME: ReadonlyMap<string, SameName> = new Map([
  ['playwright', 'kept'],
  ['pytest', 'attempts'],
]);

const buildCommit = ({ commit, branchName, repositoryUrl }: CtrfEnvironment): ParsedFile['commit'] => ({
  ...(commit !== null && { sha: commit }),
  ...(branchName !== null && { branch: branchName }),
  ...(repositoryUrl !== null && { remoteOrigin: repositoryUrl }),
});

function findBuildId({ buildId, buildName, buildNumber }: CtrfEnvironment): string | null {
  if (buildId !== null) return buildId;
  return buildNumber === null ? null : [buildName, buildNumber].filter(Boolean).join('-');
}

function toFoundCtrfTest(test: CtrfTest, tool: string, { root, now, fileAt }: ParserInput): FoundTest {
  const place = placeTest(test, tool, root);
  const ending = tool === 'playwright' ? derivePlaywrightEnding(test) : deriveEnding(test);
  const context = { spec: place.spec, ending, now, fileAt };
  const lastAttempt = toAttempt(test, context);
  const attempts = [
    ...listEarlierTries(test, context),
    { ...lastAttempt, evidence: { ...lastAttempt.evidence, steps: parseSteps(test.steps) } },
  ];
  return {
    ...place,
    outcome: ending.outcome,
    expectedStatus: ending.expectedStatus,
    flaky: test.flaky,
    hidesAttempts: (test.retries ?? 0) === 0 && test.retryAttempts.length === 0,
    attempts: addErrorsOfPasses(attempts, ending.expectedStatus === 'failed'),
    annotations: limitAnnotations(test.extra),
    tags: normalizeTags(test.tags),
  };
}

function deriveEnding({ status, rawStatus }: CtrfTest): Ending {
  if (/^x-?fail(?:ed)?$/i.test(rawStatus)) return ENDINGS['expected failure'];
  if (PASSED.test(status)) return ENDINGS.passed;
  // Some writers have no status for a test that ran out of time.
  if (FAILED.test(status) || (isOther(status) && FAILED.test(rawStatus))) return ENDINGS.failed;
  return PENDING.test(status) || /^todo$/i.test(rawStatus) ? ENDINGS.pending : ENDINGS.skipped;
}

// The words of CTRF, and those that writers use instead.
const PASSED = /^(?:pass(?:ed)?|ok|success(?:ful)?)$/i;
const FAILED = /^(?:fail(?:ed|ure)?|error(?:ed)?|broken|timed ?out|timeout|aborted|crashed)$/i;
const PENDING = /^(?:skip(?:ped)?|pending|todo|ignored|disabled)$/i;
const isOther = (status: string): boolean => /^other$/i.test(status);

const isUnknownStatus = ({ status }: CtrfTest): boolean =>
  !(PASSED.test(status) || FAILED.test(status) || PENDING.test(status) || isOther(status));

/** Uses annotations and the last raw status: Playwright's `status` and `flaky` are wrong for expected failures. */
function derivePlaywrightEnding({ rawStatus, status, extra }: CtrfTest): Ending {
  const expectedStatus = deriveExpectedStatus(extra);
  const lastStatus = rawStatus || status;
  if (lastStatus === 'skipped' || lastStatus === 'interrupted')
    return ENDINGS[expectedStatus === 'skipped' ? 'pending' : 'skipped'];
  if (expectedStatus === 'failed' && lastStatus !== 'timedOut')
    return ENDINGS[lastStatus === 'passed' ? 'unexpected pass' : 'expected failure'];
  if (lastStatus === 'passed') return ENDINGS.passed;
  return { ...ENDINGS.failed, raw: lastStatus, expectedStatus: expectedStatus === 'failed' ? 'failed' : 'passed' };
}

interface AttemptContext extends Pick<ParserInput, 'now' | 'fileAt'> {
  readonly spec: string;
  readonly ending: Ending;
}

function toAttempt(attempt: CtrfAttempt, { ending, spec, now, fileAt }: AttemptContext) {
  const { message, trace, snippet } = attempt;
  const isDescribed = message !== '' || trace !== '';
  const error = { message: message.trimEnd(), stack: trace, snippet: isDescribed ? snippet : '', spec };
  return {
    state: ending.state,
    rawStatus: ending.raw,
    startedAt: toEpoch(attempt.start, now),
    duration: roundDuration(attempt.duration ?? 0),
    errors: ending.raw !== 'skipped' && (isDescribed || ending.state === 'failed') ? [buildAttemptError(error)] : [],
    evidence: { steps: [], stdout: limitOutput(attempt.stdout), stderr: limitOutput(attempt.stderr) },
    files: attempt.attachments.flatMap((attachment) => findAttachedFile(attachment, attachment.body, fileAt) ?? []),
  } satisfies FoundAttempt;
}

/** Some tools write only the number of retries. Each missing attempt becomes a failed one without an error. */
function listEarlierTries(test: CtrfTest, context: AttemptContext): FoundAttempt[] {
  const retries = Math.min(Math.max(0, Math.trunc(test.retries ?? 0)), REPORT_LIMITS.attemptsPerTest - 1);
  // Some tools also list the last attempt in `retryAttempts`, so only as many attempts are used as there were retries.
  const listedTries = test.retryAttempts.slice(0, retries > 0 ? retries : undefined);
  const tries = listedTries.map((attempt) =>
    toAttempt(attempt, { ...context, ending: deriveEarlierEnding(attempt, context) }),
  );
  const missingTries = Array.from({ length: retries - tries.length }, () => UNKNOWN_TRY);
  return [...missingTries, ...tries];
}

function deriveEarlierEnding({ status }: CtrfAttempt, { ending }: AttemptContext): Ending {
  const hasPassed = PASSED.test(status);
  if (ending.expectedStatus === 'failed') return ENDINGS[hasPassed ? 'unexpected pass' : 'expected failure'];
  if (PENDING.test(status)) return ENDINGS.skipped;
  return ENDINGS[hasPassed ? 'passed' : 'failed'];
}

const UNKNOWN_TRY: FoundAttempt = { state: 'failed', rawStatus: 'failed', startedAt: null, duration: 0, errors: [] };

/** In CTRF, `suite` and `name` overlap, in a different way for each tool. */
type CtrfPlace = Pick<FoundTest, 'group' | 'spec' | 'title'>;

function placeTest(test: CtrfTest, tool: string, root: string | undefined): CtrfPlace {
  if (tool === 'playwright') return placePlaywrightTest(test, root);
  const path = toSpecPath(test.filePath, root);
  const [first = '', ...others] = test.suite;
  const isFile = first !== '' && isPathEnd(path, first);
  const spec = path || toSpecPath(first, root) || tool;
  const suites = isFile || path === '' ? others : test.suite;
  const title = buildTitle(test, suites, isFile ? [first] : []);
  return {
    group: null,
    spec,
    title: title.map((part) => replaceUnstableParts(tool === 'mocha' ? cleanHookTitle(part) : part)),
  };
}

/** The suites are `desktop > cart.spec.js > cart`: project, file below its test directory, and `describe` blocks. */
function placePlaywrightTest({ suite, filePath, name }: CtrfTest, root: string | undefined): CtrfPlace {
  const path = toSpecPath(filePath, root);
  const at = suite.findIndex((part) => part !== '' && isPathEnd(path, part));
  if (at < 0) return { group: null, spec: path, title: [...suite, name] };
  const project = suite.slice(0, at).join(' > ');
  return {
    group: project || UNNAMED_PROJECT,
    spec: toSpecPath(suite[at] ?? '', root),
    title: [...suite.slice(at + 1), name],
  };
}

const isPathEnd = (path: string, part: string): boolean => {
  const end = part.replaceAll('\\', '/');
  return path === end || path.endsWith(`/${end}`);
};

const SEPARATORS = ['::', ' > ', ' › ', ' '] as const;

/** Returns the suites and the name of a test as one title. Removes from the name what the suites already contain. */
function buildTitle({ name }: CtrfTest, suites: readonly string[], file: readonly string[]): readonly string[] {
  if (suites.length > 1 && name === suites.join(' > ')) return suites;
  for (const separator of SEPARATORS) {
    for (const before of [[...file, ...suites], suites]) {
      if (before.length === 0 || !name.startsWith(before[0] ?? '')) continue;
      const prefix = `${before.join(separator)}${separator}`;
      if (name.startsWith(prefix)) return [...suites, name.slice(prefix.length)];
    }
  }
  return suites.at(-1) === name ? suites : [...suites, name];
}
