/** Parses Playwright's JSON report. Spec files are parsed one at a time, so the whole report is never in memory. */

import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { addErrorsOfPasses, expectsFailure } from '#shared/model/results/attempt.ts';
import { limitAnnotations } from '#shared/reports/annotations.ts';
import { findAttachedFile } from '#shared/reports/attached-file.ts';
import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import { type FoundAttempt, type FoundTest, pickLastTest } from '#shared/reports/found.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { limitOutput } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toForwardSlashes, toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseSteps } from '#shared/reports/steps-wire.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import { parseTime, roundDuration, UTC } from '#shared/reports/times.ts';
import { SEVERAL_REPORTS } from '#shared/reports/warnings.ts';
import { convertPlaywrightError, PlaywrightError } from './error-wire.ts';
import { JsonConfig, JsonProject, JsonResult, JsonSpec, JsonSuite, JsonTest } from './json-wire.ts';
import { deriveAttemptOutcome, deriveTestOutcome, NEVER_RAN, pickRanAttempts } from './outcome.ts';

/** `file` is the path as Playwright wrote it, and `spec` is the path from the root of the repository. */
interface Place {
  readonly file: string;
  readonly spec: string;
  readonly titles: readonly string[];
}

/** From the first members: `stats` comes at the end of the file. */
export const PLAYWRIGHT_JSON: Format = {
  format: 'playwright-json',
  recognizes: ({ members, names }) =>
    members.has('config.rootDir') || (members.has('suites') && (members.has('config') || names.has('specs'))),
  parse: parsePlaywrightJson,
};

async function parsePlaywrightJson(text: AsyncIterable<string>, hints: ParserInput): Promise<ParsedFile> {
  const collector = new Collector(hints, UNNAMED_PROJECT);
  const { warnings } = collector;
  const runErrors: string[] = [];
  const settings: Record<string, unknown> = {};
  const testDirs = new Map<string, string>();
  const input = { now: hints.now, fileAt: collector.findFiles(NAMED_ONLY) };
  let suites = 0;
  let duration: unknown;
  const addProject = (value: unknown) => {
    const project = JsonProject.safeParse(value).data;
    if (project && testDirs.size < REPORT_LIMITS.testsPerFile) testDirs.set(project.id, project.testDir);
  };
  const addError = (value: unknown) => {
    const error = collector.read(PlaywrightError, value);
    if (!error || runErrors.length === REPORT_LIMITS.runErrors) return;
    runErrors.push(removeControlSequences(error.message || error.value).slice(0, REPORT_LIMITS.messageCharacters));
  };
  const addSpec = (value: unknown, { file, spec: path, titles }: Place) => {
    const spec = collector.read(JsonSpec, value);
    if (!spec) return;
    const { rootDir = '' } = JsonConfig.safeParse(settings).data ?? {};
    const tests = collector.readAll(JsonTest, spec.tests);
    const ids = computeTestIds({ ...spec, tests }, { file, titles, rootDir, testDirs });
    const place = { spec: path, title: [...titles, spec.title], tags: normalizeTags(spec.tags) };
    for (const [index, test] of tests.entries()) {
      const results = collector.readAll(JsonResult, test.results);
      const foundTest = toFoundJsonTest({ ...test, results }, { ...place, testId: ids[index] }, input);
      collector.add(collector.trim(foundTest), 'kept');
    }
  };
  const addSuite = (suite: JsonSuite, place: Place, cut: ReadonlySet<unknown>) => {
    for (const spec of collector.listParts(suite.specs)) if (!cut.has(spec)) addSpec(spec, place);
    for (const child of collector.listParts(suite.suites)) {
      const inner = collector.read(JsonSuite, child);
      if (inner) addSuite(inner, { ...place, titles: [...place.titles, inner.title] }, cut);
    }
  };
  /** All tests get the file of the outermost suite. The one that a test names may be a helper that defines the test. */
  const addFile = (value: unknown, cut: ReadonlySet<unknown>) => {
    const suite = collector.read(JsonSuite, value);
    if (!suite) return;
    suites += 1;
    addSuite(suite, { file: suite.title, spec: toSpecPath(suite.file || suite.title, hints.root), titles: [] }, cut);
  };
  const taker = {
    get full() {
      return collector.full;
    },
    take: (path: string, value: unknown, cut: ReadonlySet<unknown>) => {
      if (path === 'suites.*') addFile(value, cut);
      else if (path === 'errors.*') addError(value);
      else if (path === 'config.projects.*') addProject(value);
      else if (path === 'stats.duration') duration = value;
      else settings[path.slice('config.'.length)] = value;
    },
  };
  const paths = [
    'config.version',
    'config.shard',
    'config.rootDir',
    'config.projects.*',
    'suites.*',
    'errors.*',
    'stats.duration',
  ];
  const reader = new PieceReader(paths, taker, hints);
  await reader.read(text);
  const { whole, tooLarge, tooDeep, hasMore, misshapen } = reader;
  if (!whole && suites === 0)
    throw unreadableReport(hints.name ?? '', 'is not valid JSON, or ends before its first test');
  if (hasMore) warnings.add(SEVERAL_REPORTS);
  else if (!whole && !collector.full)
    warnings.add('The file is truncated or damaged. The tests before that point are kept');
  if (tooDeep)
    warnings.add(`Suites are nested deeper than ${REPORT_LIMITS.suiteDepth} levels. Inner ones are left out`);
  if (tooLarge) warnings.add('A spec file has too many attachments or tests for one report. Send the blob report');
  if (misshapen) collector.noteOddPart();
  const config = JsonConfig.safeParse(settings).data;
  return collector.finish(pickLastTest, {
    format: 'playwright-json',
    framework: { type: 'playwright', version: config?.version || null },
    truncated: !whole || tooLarge || tooDeep,
    runErrors,
    shard: config?.shard ?? null,
    milliseconds: typeof duration === 'number' ? roundDuration(duration) || null : null,
  });
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files, or the blob report, to keep them';

interface TestIdContext extends Pick<Place, 'file' | 'titles'> {
  readonly rootDir: string;
  /** The folder of each project's tests, by the project's id. */
  readonly testDirs: ReadonlyMap<string, string>;
}

/**
 * The ids that `--last-failed` needs, or `undefined` if unknown. A spec contains only the id of its first test. The ids
 * of the test in other projects and repetitions are computed as Playwright does, and used only if the computed id of
 * the first test equals the id in the report.
 */
function computeTestIds(
  spec: JsonSpec & { readonly tests: readonly JsonTest[] },
  { file, titles, rootDir, testDirs }: TestIdContext,
): (string | undefined)[] {
  const [fileId = ''] = spec.id.split('-');
  const path = [file, ...titles, spec.title].join('\x1e');
  const repetitions = new Map<string, number>();
  const ids = spec.tests.map(({ projectId }) => {
    const repetition = repetitions.get(projectId) ?? 0;
    repetitions.set(projectId, repetition + 1);
    const testDir = testDirs.get(projectId);
    const ownFileId =
      testDir === undefined
        ? fileId
        : hashText(posix.relative(toForwardSlashes(testDir), `${toForwardSlashes(rootDir)}/${file}`));
    const suffix = repetition > 0 ? ` (repeat:${repetition})` : '';
    return `${ownFileId}-${hashText(`[project=${projectId}]${path}${suffix}`)}`;
  });
  return ids[0] === spec.id ? ids : spec.tests.map((_, index) => (index === 0 && spec.id ? spec.id : undefined));
}

const hashText = (text: string): string => hash('sha1', text).slice(0, 20);

type Input = Pick<ParserInput, 'now' | 'fileAt'>;

function toFoundJsonTest(
  test: JsonTest & { readonly results: readonly JsonResult[] },
  place: Pick<FoundTest, 'testId' | 'spec' | 'title' | 'tags'>,
  input: Input,
): FoundTest {
  const declaredStatus = test.expectedStatus || 'passed';
  const results = test.results.map((result) => toAttempt(result, declaredStatus, input));
  const attempts = results.length > 0 ? pickRanAttempts(results) : [NEVER_RAN];
  return {
    ...place,
    group: test.projectId || test.projectName || UNNAMED_PROJECT,
    expectedStatus: declaredStatus,
    ...deriveTestOutcome(test.results, declaredStatus),
    attempts: addErrorsOfPasses(attempts, expectsFailure(declaredStatus, test.annotations)),
    annotations: limitAnnotations(test.annotations),
  };
}

/** Passes on the members that need no conversion, so that only the schema lists them. */
function toAttempt(
  { status, startTime, duration = 0, error, errors, stdout, stderr, steps, attachments, ...others }: JsonResult,
  expectedStatus: string,
  { now, fileAt }: Input,
): FoundAttempt {
  return {
    ...others,
    state: deriveAttemptOutcome(status, expectedStatus),
    rawStatus: status || 'failed',
    startedAt: parseTime(startTime, UTC, now),
    duration: roundDuration(duration),
    // `error` is the same error as the first of `errors`, but also has a stack and a snippet.
    errors: (error ? [error, ...errors.slice(1)] : errors).map(convertPlaywrightError),
    evidence: {
      steps: parseSteps(steps),
      stdout: limitOutput(stdout.map(decodeOutput)),
      stderr: limitOutput(stderr.map(decodeOutput)),
    },
    files: attachments.flatMap((attachment) => findAttachedFile(attachment, attachment.body, fileAt) ?? []),
  };
}

const decodeOutput = ({ text, buffer }: { readonly text: string; readonly buffer: string }): string =>
  buffer === '' ? text : Buffer.from(buffer, 'base64').toString('utf8');
