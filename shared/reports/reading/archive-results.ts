/** The parsed reports of an archive. */

import { ApiError } from '#shared/engine/errors.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { LostReport, unknownReport } from '#shared/reports/errors.ts';
import { NO_OUTPUT } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParsedFile, ReportHints } from '#shared/reports/report.ts';
import { deriveFinalOutcome, isFlaky } from '#shared/results/executions/flaky.ts';
import type { Member } from './archive.ts';
import { groupByTargetFramework } from './target-frameworks.ts';

/** Collects the reports of an archive. If a report is refused, the other reports are still read. */
export function makeArchiveResults({ name: archive = '', most }: ReportHints) {
  const files: ParsedFile[] = [];
  const refusals: { readonly name: string; readonly error: ApiError }[] = [];
  let tests = 0;
  let lateCount = 0;
  return {
    add: async (name: string, parse: () => Promise<ParsedFile[]>): Promise<void> => {
      if (files.length >= REPORT_LIMITS.filesPerArchive || tests >= REPORT_LIMITS.testsPerFile) {
        lateCount += 1;
        return;
      }
      try {
        for (const file of await parse()) {
          files.push(file);
          tests += file.instances.reduce((sum, instance) => sum + instance.tests.length, 0);
        }
      } catch (error) {
        // If a report exceeds the limits that the caller set, the caller may read the archive again with the default limits.
        if (!(error instanceof ApiError) || (error.statusCode === TOO_LARGE && most !== undefined)) throw error;
        refusals.push({ name, error });
      }
    },
    /**
     * The warnings of the first report include those about files that were left out. `unusedMembers` are neither
     * reports nor attachments. Throws if there is no report.
     */
    files: (unusedMembers: readonly Member[]): ParsedFile[] => {
      const [first, ...others] = files;
      if (!first) throw refusals.length === 1 ? refusals[0]?.error : unknownReport(archive);
      const left = [
        ...(lateCount > 0 ? [`${formatCount(lateCount, 'report file')} left out. ${MOST}`] : []),
        ...(unusedMembers.length > 0 ? [formatUnusedMembers(unusedMembers)] : []),
        ...refusals.map(({ name, error }) => `${name} is left out: ${error.message}`),
      ].map((message) => ({ line: null, message }));
      const firstWarnings = first.warnings.slice(
        0,
        REPORT_LIMITS.warnings - Math.min(left.length, REPORT_LIMITS.leftOutNames),
      );
      const lostFiles = [
        ...refusals.flatMap(({ name, error }) => (error instanceof LostReport ? { name, message: error.reason } : [])),
        ...(lateCount > 0
          ? [{ name: archive, message: `${formatCount(lateCount, 'report file')} left out. ${MOST}` }]
          : []),
      ];
      const warnings = [...firstWarnings, ...left].slice(0, REPORT_LIMITS.warnings);
      const groups = groupByTargetFramework([{ ...first, warnings, lost: [...first.lost, ...lostFiles] }, ...others]);
      return mergeRuns(groups);
    },
  };
}

const TOO_LARGE = 413;
const MOST = `An archive may have at most ${REPORT_LIMITS.filesPerArchive} reports and ${REPORT_LIMITS.testsPerFile} tests. Split it`;

const formatCount = (number: number, what: string): string =>
  number === 1 ? `1 ${what} is` : `${number} ${what}s are`;

function formatUnusedMembers(unusedMembers: readonly Member[]): string {
  const names = unusedMembers.slice(0, REPORT_LIMITS.membersNamed).map(({ name }) => name.slice(-SHOWN_CHARACTERS));
  const more = unusedMembers.length > names.length ? ` and ${unusedMembers.length - names.length} more` : '';
  return `${formatCount(unusedMembers.length, 'file')} left out, because no report names ${unusedMembers.length === 1 ? 'it' : 'them'}: ${names.join(', ')}${more}`;
}
const SHOWN_CHARACTERS = 40;

// Surefire, Gradle and WebdriverIO spread the runs of one test over several files when they run a class or a spec file
// again. Each file has some of the attempts of the test. Microsoft.Testing.Platform moves the files of earlier tries to
// `Retries/<id>/<number>/`, and leaves only the tests of the last try at the top.

const SPREAD: ReadonlySet<string | null> = new Set(['surefire', 'gradle', 'webdriverio']);
const RETRIES = /^(.{0,2000}?)(?:^|(?<=\/))Retries\/[^/]{1,200}\/(\d{1,6})\//;

interface SpreadFile {
  readonly file: ParsedFile;
  /** The folder whose files have the attempts of the same tests. */
  readonly folder: string;
  /** The number of the try that an earlier try of Microsoft.Testing.Platform has. */
  readonly number: number;
}

function listSpreadFiles(files: readonly ParsedFile[]): SpreadFile[] {
  const retriedFolders = new Set(
    files.flatMap(({ format, name }) => (format === 'trx' && RETRIES.exec(name)?.[1]) ?? []),
  );
  return files
    .flatMap((file): SpreadFile[] => {
      const [, before, number = ''] = RETRIES.exec(file.name) ?? [];
      const folder = file.name.slice(0, file.name.lastIndexOf('/') + 1);
      if (SPREAD.has(file.dialect)) return [{ file, folder, number: 0 }];
      if (file.format !== 'trx' || !retriedFolders.has(before ?? folder)) return [];
      return [
        { file, folder: before ?? folder, number: before === undefined ? Number.POSITIVE_INFINITY : Number(number) },
      ];
    })
    .sort((one, other) => (one.number === other.number ? 0 : one.number - other.number));
}

/** All attempts of a test move to the last file of the folder with it. Other folders are other modules, kept apart. */
function mergeRuns(files: readonly ParsedFile[]): ParsedFile[] {
  const spreadFiles = listSpreadFiles(files);
  if (spreadFiles.length < 2) return [...files];
  const folders = new Map(spreadFiles.map(({ file, folder }) => [file, folder]));
  const buildKey = (file: ParsedFile, instance: ReportedInstance, test: ReportedTest): string =>
    buildTestKey(folders.get(file) ?? '', instance, test);
  const tests = spreadFiles.flatMap(({ file }) =>
    file.instances.flatMap((instance) => instance.tests.map((test) => ({ key: buildKey(file, instance, test), test }))),
  );
  const runs = Map.groupBy(tests, ({ key }) => key);
  const mergeInstance = (file: ParsedFile, instance: ReportedInstance): ReportedInstance => ({
    ...instance,
    tests: instance.tests.flatMap((test) => {
      const all = runs.get(buildKey(file, instance, test)) ?? [];
      return all.at(-1)?.test === test ? mergeResults(all.map((run) => run.test)) : [];
    }),
  });
  return files.map((file) =>
    folders.has(file)
      ? {
          ...file,
          instances: file.instances
            .map((instance) => mergeInstance(file, instance))
            .filter(({ tests: mergedTests }) => mergedTests.length > 0),
        }
      : file,
  );
}

const buildTestKey = (folder: string, { groupId, spec }: ReportedInstance, { testId }: ReportedTest): string =>
  JSON.stringify([folder, groupId, spec, testId]);

/** Failed results come before the result that passed, regardless of the order of the files. */
function mergeResults(runs: readonly ReportedTest[]): ReportedTest {
  const orderedRuns = runs.toSorted(
    (one, other) => Number(one.outcome === 'passed') - Number(other.outcome === 'passed'),
  );
  const last = orderedRuns.at(-1);
  if (!last) throw new Error('The results of a test cannot be merged, because there are none');
  if (orderedRuns.length === 1) return last;
  const parts = orderedRuns.flatMap((test) =>
    test.attempts.map((attempt, index) => ({ attempt, evidence: test.evidence, index })),
  );
  const keptParts = parts.slice(-REPORT_LIMITS.attemptsPerTest);
  const attempts = keptParts.map(({ attempt }, index) => ({ ...attempt, attempt: index }));
  const evidence = () => keptParts.map((part) => part.evidence()[part.index] ?? NO_OUTPUT);
  const flaky = isFlaky({ ...last, attempts, reportedFlaky: false });
  return { ...last, attempts, evidence, flaky, outcome: deriveFinalOutcome(last.outcome, flaky) };
}
