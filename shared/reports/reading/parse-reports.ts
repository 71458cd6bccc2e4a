/** Parses a report file, or each report of a zip archive. */

import { ApiError } from '#shared/engine/errors.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { FORMATS } from '#shared/model/runs/report-format.ts';
import { fileNames } from '#shared/reports/base64-file.ts';
import { unknownReport, unreadableReport } from '#shared/reports/errors.ts';
import { TextBudget } from '#shared/reports/kept-results.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { AttachmentName, ParserInput } from '#shared/reports/parser-input.ts';
import { rootFolder } from '#shared/reports/paths.ts';
import { ReadingBudget } from '#shared/reports/reading-budget.ts';
import type { ByteSource, ParsedFile, ReportHints } from '#shared/reports/report.ts';
import { isFlaky } from '#shared/results/flaky.ts';
import { archiveMembers, isZip, type Member, nestedSource } from './archive.ts';
import { parseStream } from './parse-stream.ts';

const SIGNATURE_BYTES = 4;

/** Parses all reports of a file. Throws an `ApiError` for a file that is not a report. */
export async function parseReports(source: ByteSource, given: ReportHints): Promise<ParsedFile[]> {
  const hints = given.root === undefined ? given : { ...given, root: rootFolder(given.root) };
  const budgets = { budget: new TextBudget(), reading: new ReadingBudget(hints.most) };
  const signature = await source.read(0, Math.min(SIGNATURE_BYTES, source.size));
  if (isZip(signature)) return parseArchive(source, { ...hints, ...budgets });
  return [await parseStream(source.stream(), { ...hints, ...budgets, fileAt: () => undefined })];
}

/** Whether the file name looks like that of a report. Other files of an archive may be attachments. */
const mayBeReport = (name: string): boolean =>
  ENDINGS.has(name.toLowerCase().replace(/\.gz$/, '').split('.').at(-1) ?? '');
const ENDINGS = new Set<string>(Object.values(FORMATS).flatMap(({ endings }) => endings));
const BLOB = /\.jsonl$/i;
const ARCHIVE = /\.zip$/i;
/** Hidden files, and the metadata files that macOS adds to archives. */
const HIDDEN = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$)/;

type ArchiveInput = Omit<ParserInput, 'fileAt'>;

/** Parses the reports of an archive. `depth` is 1 for an archive inside the archive that was sent. */
async function parseArchive(source: ByteSource, hints: ArchiveInput, depth = 0): Promise<ParsedFile[]> {
  const name = hints.name ?? '';
  const members = await archiveMembers(source, name);
  const left = new Set([...members.values()].filter((one) => !HIDDEN.test(one.name)));
  const named = (isWanted: (name: string) => boolean) => [...left].filter((member) => isWanted(member.name));
  const fileAt = (of: AttachmentName) => {
    const member = memberAt(members, of);
    if (!member) return undefined;
    left.delete(member);
    return { ...fileNames(of), size: member.size, held: 0, read: () => member.open() };
  };
  const results = new Results(hints);
  const add = async (member: Member, parse: () => Promise<ParsedFile[]>) => {
    left.delete(member);
    await results.add(member.name, parse);
  };
  const blobs = named((member) => BLOB.test(member));
  // An archive with a blob report contains no other reports, but attachments may be named like reports.
  for (const member of blobs.length > 0 ? blobs : named(mayBeReport))
    await add(member, () => parseMember(member, { ...hints, fileAt, name: nameIn(name, member, blobs) }));
  // In an archive with a blob report, nested archives are attachments.
  for (const member of blobs.length > 0 ? [] : named((member) => ARCHIVE.test(member)))
    await add(member, async () => {
      if (depth > 0) throw unreadableReport(member.name, 'is an archive nested inside two others');
      return parseArchive(await nestedSource(source, member), { ...hints, name: member.name }, depth + 1);
    });
  results.leaveOut([...left]);
  return results.files;
}

/**
 * The name that messages use for a report. The file inside a blob report is always called `report.jsonl`, so the name
 * of its archive is used.
 */
const nameIn = (archive: string, { name }: Member, blobs: readonly Member[]): string =>
  blobs.length === 1 && archive !== '' ? archive : name;

const parseMember = async (member: Member, input: ParserInput): Promise<ParsedFile[]> => [
  await parseStream(member.open(), input),
];

/** Collects the reports of an archive. If a report is refused, the other reports are still read. */
class Results {
  readonly #archive: string;
  readonly #files: ParsedFile[] = [];
  readonly #refused: { readonly name: string; readonly error: ApiError }[] = [];
  readonly #isLimited: boolean;
  #tests = 0;
  #late = 0;
  #unused: readonly Member[] = [];

  constructor({ name = '', most }: ArchiveInput) {
    this.#archive = name;
    this.#isLimited = most !== undefined;
  }

  async add(name: string, parse: () => Promise<ParsedFile[]>): Promise<void> {
    if (this.#files.length >= REPORT_LIMITS.filesPerArchive || this.#tests >= REPORT_LIMITS.testsPerFile) {
      this.#late += 1;
      return;
    }
    try {
      for (const file of await parse()) {
        this.#files.push(file);
        this.#tests += file.instances.reduce((sum, { tests }) => sum + tests.length, 0);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || this.#isTooLarge(error)) throw error;
      this.#refused.push({ name, error });
    }
  }

  /**
   * Whether a report exceeds the limits that the caller set. The caller may then read the archive again with the
   * default limits.
   */
  #isTooLarge({ statusCode }: ApiError): boolean {
    return statusCode === TOO_LARGE && this.#isLimited;
  }

  /** Remembers the members that are neither reports nor attachments, for a warning. */
  leaveOut(unused: readonly Member[]): void {
    this.#unused = unused;
  }

  /**
   * The parsed reports. The warnings of the first report include those about files of the archive that were left out.
   * Throws if there is no report.
   */
  get files(): ParsedFile[] {
    const [first, ...others] = this.#files;
    if (!first) throw this.#refused.length === 1 ? this.#refused[0]?.error : unknownReport(this.#archive);
    const left = this.#leftOut().map((message) => ({ line: null, message }));
    const own = first.warnings.slice(0, REPORT_LIMITS.warnings - Math.min(left.length, REPORT_LIMITS.leftOutNames));
    return mergeRuns([{ ...first, warnings: [...own, ...left].slice(0, REPORT_LIMITS.warnings) }, ...others]);
  }

  #leftOut(): string[] {
    return [
      ...(this.#late > 0 ? [`${count(this.#late, 'report file')} left out. ${MOST}`] : []),
      ...(this.#unused.length > 0 ? [unusedText(this.#unused)] : []),
      ...this.#refused.map(({ name, error }) => `${name} is left out: ${error.message}`),
    ];
  }
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

/**
 * Finds an attachment by its path on the machine that ran the tests, or by the longest suffix of that path that the
 * archive contains.
 */
function memberAt(members: ReadonlyMap<string, Member>, of: AttachmentName): Member | undefined {
  const folders = of.path.replaceAll('\\', '/').split('/').slice(-REPORT_LIMITS.depth);
  for (let from = 0; from < folders.length; from += 1) {
    const member = members.get(folders.slice(from).join('/'));
    if (member) return member;
  }
  return undefined;
}

// Surefire and Gradle spread the runs of one test over several files when they run a class again. Each file has some of
// the attempts of the test.

const SPREAD: ReadonlySet<string | null> = new Set(['surefire', 'gradle']);

/**
 * Merges tests that occur in several files. All attempts of a test are moved to the last file that contains the test.
 */
function mergeRuns(files: readonly ParsedFile[]): ParsedFile[] {
  const spread = files.filter(({ dialect }) => SPREAD.has(dialect));
  if (spread.length < 2) return [...files];
  const runs = runsIn(spread);
  return files.map((file) => {
    if (!SPREAD.has(file.dialect)) return file;
    const instances = file.instances.map((instance) => merged(instance, runs)).filter(({ tests }) => tests.length > 0);
    return { ...file, instances };
  });
}

const keyOf = ({ groupId, spec }: ReportedInstance, { testId }: ReportedTest): string =>
  JSON.stringify([groupId, spec, testId]);

function runsIn(files: readonly ParsedFile[]): ReadonlyMap<string, ReportedTest[]> {
  const all = files.flatMap(({ instances }) =>
    instances.flatMap((instance) => instance.tests.map((test) => [keyOf(instance, test), test] as const)),
  );
  const runs = new Map<string, ReportedTest[]>();
  for (const [key, test] of all) runs.set(key, [...(runs.get(key) ?? []), test]);
  return runs;
}

const merged = (instance: ReportedInstance, runs: ReadonlyMap<string, readonly ReportedTest[]>): ReportedInstance => ({
  ...instance,
  tests: instance.tests.flatMap((test) => {
    const all = runs.get(keyOf(instance, test)) ?? [test];
    return all.at(-1) === test ? joined(all) : [];
  }),
});

/**
 * Merges several results of one test into one. Failed results come before the result that passed, regardless of the
 * order of the files.
 */
function joined(runs: readonly ReportedTest[]): ReportedTest {
  const ordered = runs.toSorted((one, other) => Number(one.outcome === 'passed') - Number(other.outcome === 'passed'));
  const [last] = ordered.slice(-1);
  if (!last) throw new Error('The results of a test cannot be merged, because there are none');
  if (ordered.length === 1) return last;
  const parts = ordered.flatMap((test) =>
    test.attempts.map((attempt, index) => ({ attempt, evidence: test.evidence, index })),
  );
  const kept = parts.slice(-REPORT_LIMITS.attemptsPerTest);
  const attempts = kept.map(({ attempt }, index) => ({ ...attempt, attempt: index }));
  const evidence = () => kept.map((part) => part.evidence()[part.index] ?? { steps: [], stdout: [], stderr: [] });
  return { ...last, attempts, evidence, flaky: isFlaky({ ...last, attempts, reportedFlaky: false }) };
}
