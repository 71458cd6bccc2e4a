/** The reports of a zip archive: a blob report of Playwright, or several files. */
import { ApiError } from '#shared/engine/errors.ts';
import { unknownReport } from '#shared/engine/report-errors.ts';
import { fileNames } from '#shared/reports/base64-file.ts';
import type { FoundFile } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { AttachmentName, ParserInput } from '#shared/reports/parser-input.ts';
import type { ByteSource, ParsedFile } from '#shared/reports/report.ts';
import { type Member, membersOf, nestedSource } from './archive.ts';
import { mergeRuns } from './merge-runs.ts';
import { parseStream } from './parse-stream.ts';

/** Names of files that may be reports. Other members are attachments. */
const REPORT = /\.(?:xml|json)(?:\.gz)?$/i;
const BLOB = /\.jsonl$/i;
const ARCHIVE = /\.zip$/i;
/** Copies that macOS adds, and hidden files. */
const HIDDEN = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$)/;

type ArchiveInput = Omit<ParserInput, 'fileAt'>;

/** `depth` counts archives inside of archives. */
export async function parseArchive(source: ByteSource, hints: ArchiveInput, depth = 0): Promise<ParsedFile[]> {
  const name = hints.name ?? '';
  const members = await membersOf(source, name);
  const named = (pattern: RegExp) =>
    [...members.values()].filter((one) => pattern.test(one.name) && !HIDDEN.test(one.name));
  const input = { ...hints, fileAt: (of: AttachmentName) => fileAt(members, of) };
  const blobs = named(BLOB);
  const results = new Results(name);
  // Attachments of a blob may be named like reports.
  for (const member of blobs.length > 0 ? blobs : named(REPORT))
    await results.add(member.name, () => parseMember(member, input));
  if (blobs.length > 0 || depth > 0) return results.files;
  for (const member of named(ARCHIVE)) {
    const open = async () =>
      parseArchive(await nestedSource(source, member), { ...hints, name: member.name }, depth + 1);
    await results.add(member.name, open);
  }
  return results.files;
}

const parseMember = async (member: Member, input: ParserInput): Promise<ParsedFile[]> => [
  await parseStream(member.open(), { ...input, name: member.name }),
];

/** Gathers the reports. One that is refused does not stop the others. */
class Results {
  readonly #archive: string;
  readonly #files: ParsedFile[] = [];
  readonly #refused: { readonly name: string; readonly error: ApiError }[] = [];
  #tests = 0;

  constructor(archive: string) {
    this.#archive = archive;
  }

  async add(name: string, parse: () => Promise<ParsedFile[]>): Promise<void> {
    if (this.#files.length >= REPORT_LIMITS.filesPerArchive || this.#tests >= REPORT_LIMITS.testsPerFile) return;
    try {
      for (const file of await parse()) {
        this.#files.push(file);
        this.#tests += file.instances.reduce((sum, { tests }) => sum + tests.length, 0);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#refused.push({ name, error });
    }
  }

  /** The refused members are warnings of the first report. Throws if there is none. */
  get files(): ParsedFile[] {
    const [first, ...others] = this.#files;
    if (!first) throw this.#refused.length === 1 ? this.#refused[0]?.error : unknownReport(this.#archive);
    const left = this.#refused.map(({ name, error }) => ({
      line: null,
      message: `${name} is left out: ${error.message}`,
    }));
    const warned = { ...first, warnings: [...first.warnings, ...left].slice(0, REPORT_LIMITS.warnings) };
    return mergeRuns([warned, ...others]);
  }
}

/** Looks for the whole path, then for ever shorter ends of it, because the machine had other folders. */
function fileAt(members: ReadonlyMap<string, Member>, of: AttachmentName): FoundFile | undefined {
  const folders = of.path.replaceAll('\\', '/').split('/').slice(-REPORT_LIMITS.depth);
  for (let from = 0; from < folders.length; from += 1) {
    const member = members.get(folders.slice(from).join('/'));
    if (member) return { ...fileNames(of), size: member.size, held: 0, read: () => member.open() };
  }
  return undefined;
}
