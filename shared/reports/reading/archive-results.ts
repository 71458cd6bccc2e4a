/** The parsed reports of an archive. */

import { ApiError } from '#shared/engine/errors.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { LostReport, unknownReport } from '#shared/reports/errors.ts';
import { NO_OUTPUT } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParsedFile, ReportHints } from '#shared/reports/report.ts';
import { finalOutcome, isFlaky } from '#shared/results/flaky.ts';
import type { Member } from './archive.ts';

/** Collects the reports of an archive. If a report is refused, the other reports are still read. */
export function archiveResults({ name: archive = '', most }: ReportHints) {
  const files: ParsedFile[] = [];
  const refused: { readonly name: string; readonly error: ApiError }[] = [];
  let tests = 0;
  let late = 0;
  return {
    add: async (name: string, parse: () => Promise<ParsedFile[]>): Promise<void> => {
      if (files.length >= REPORT_LIMITS.filesPerArchive || tests >= REPORT_LIMITS.testsPerFile) {
        late += 1;
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
        refused.push({ name, error });
      }
    },
    /**
     * The parsed reports. The warnings of the first report include those about files of the archive that were left out.
     * `unused`: the members that are neither reports nor attachments. Throws if there is no report.
     */
    files: (unused: readonly Member[]): ParsedFile[] => {
      const [first, ...others] = files;
      if (!first) throw refused.length === 1 ? refused[0]?.error : unknownReport(archive);
      const left = [
        ...(late > 0 ? [`${count(late, 'report file')} left out. ${MOST}`] : []),
        ...(unused.length > 0 ? [unusedText(unused)] : []),
        ...refused.map(({ name, error }) => `${name} is left out: ${error.message}`),
      ].map((message) => ({ line: null, message }));
      const own = first.warnings.slice(0, REPORT_LIMITS.warnings - Math.min(left.length, REPORT_LIMITS.leftOutNames));
      const lost = [
        ...refused.flatMap(({ name, error }) => (error instanceof LostReport ? { name, message: error.reason } : [])),
        ...(late > 0 ? [{ name: archive, message: `${count(late, 'report file')} left out. ${MOST}` }] : []),
      ];
      const warnings = [...own, ...left].slice(0, REPORT_LIMITS.warnings);
      return mergeRuns([{ ...first, warnings, lost: [...first.lost, ...lost] }, ...others]);
    },
  };
}

const TOO_LARGE = 413;
const MOST = `An archive may have at most ${REPORT_LIMITS.filesPerArchive} reports and ${REPORT_LIMITS.testsPerFile} tests. Split it`;

const count = (number: number, what: string): string => (number === 1 ? `1 ${what} is` : `${number} ${what}s are`);

function unusedText(unused: readonly Member[]): string {
  const names = unused.slice(0, REPORT_LIMITS.membersNamed).map(({ name }) => name.slice(-SHOWN_CHARACTERS));
  const more = unused.length > names.length ? ` and ${unused.length - names.length} more` : '';
  return `${count(unused.length, 'file')} left out, because no report names ${unused.length === 1 ? 'it' : 'them'}: ${names.join(', ')}${more}`;
}
const SHOWN_CHARACTERS = 40;

// Surefire, Gradle and WebdriverIO spread the runs of one test over several files when they run a class or a spec file
// again. Each file has some of the attempts of the test.

const SPREAD: ReadonlySet<string | null> = new Set(['surefire', 'gradle', 'webdriverio']);

/**
 * Merges tests that occur in several files of one folder. All attempts of a test are moved to the last file that contains
 * the test. Files of other folders belong to other modules, so their results stay apart.
 */
function mergeRuns(files: readonly ParsedFile[]): ParsedFile[] {
  const spread = files.filter(({ dialect }) => SPREAD.has(dialect));
  if (spread.length < 2) return [...files];
  const tests = spread.flatMap((file) =>
    file.instances.flatMap((instance) => instance.tests.map((test) => ({ key: keyOf(file, instance, test), test }))),
  );
  const runs = Map.groupBy(tests, ({ key }) => key);
  const merged = (file: ParsedFile, instance: ReportedInstance): ReportedInstance => ({
    ...instance,
    tests: instance.tests.flatMap((test) => {
      const all = runs.get(keyOf(file, instance, test)) ?? [];
      return all.at(-1)?.test === test ? joined(all.map((run) => run.test)) : [];
    }),
  });
  return files.map((file) =>
    SPREAD.has(file.dialect)
      ? {
          ...file,
          instances: file.instances
            .map((instance) => merged(file, instance))
            .filter(({ tests: own }) => own.length > 0),
        }
      : file,
  );
}

const keyOf = (
  { name }: Pick<ParsedFile, 'name'>,
  { groupId, spec }: ReportedInstance,
  { testId }: ReportedTest,
): string => JSON.stringify([name.slice(0, name.lastIndexOf('/') + 1), groupId, spec, testId]);

/**
 * Merges several results of one test into one. Failed results come before the result that passed, regardless of the
 * order of the files.
 */
function joined(runs: readonly ReportedTest[]): ReportedTest {
  const ordered = runs.toSorted((one, other) => Number(one.outcome === 'passed') - Number(other.outcome === 'passed'));
  const last = ordered.at(-1);
  if (!last) throw new Error('The results of a test cannot be merged, because there are none');
  if (ordered.length === 1) return last;
  const parts = ordered.flatMap((test) =>
    test.attempts.map((attempt, index) => ({ attempt, evidence: test.evidence, index })),
  );
  const kept = parts.slice(-REPORT_LIMITS.attemptsPerTest);
  const attempts = kept.map(({ attempt }, index) => ({ ...attempt, attempt: index }));
  const evidence = () => kept.map((part) => part.evidence()[part.index] ?? NO_OUTPUT);
  const flaky = isFlaky({ ...last, attempts, reportedFlaky: false });
  return { ...last, attempts, evidence, flaky, outcome: finalOutcome(last.outcome, flaky) };
}
