/**
 * Finds the files of a zip archive, so that each can be read separately. Reads the archive from beginning to end once.
 */

import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { Allowance } from '#shared/engine/archives/allowance.ts';
import { ByteReader } from '#shared/engine/archives/byte-reader.ts';
import { decompressEntry, inflateAtOnce } from '#shared/engine/archives/inflated.ts';
import { Inflation } from '#shared/engine/archives/inflation.ts';
import { ARCHIVE_LIMITS } from '#shared/engine/archives/limits.ts';
import { type RefusalReason, RefusedArchive } from '#shared/engine/archives/refusal.ts';
import { readZipEntries } from '#shared/engine/archives/zip-entries.ts';
import { type ByteSource, makeMemorySource } from '#shared/reports/byte-source.ts';
import { inflatesTooFar, reportTooLarge, tooManyFiles, unreadableReport } from '#shared/reports/errors.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';

export interface Member {
  readonly name: string;
  /** The decompressed size that the archive claims. */
  readonly size: number;
  open(): AsyncGenerator<Uint8Array, void>;
  /** For a file that is an archive itself. Throws 413 if it is compressed and too large to hold in memory. */
  source(): Promise<ByteSource>;
}

const STORED = 0;
const DEFLATED = 8;
const PART_BYTES = 1024 * 1024;
/** A clock that never advances: reading an archive has no time limit of its own, because the whole job has one. */
const NO_CLOCK = () => 0;

export const isZip = (beginning: Uint8Array): boolean =>
  beginning[0] === 0x50 && beginning[1] === 0x4b && (beginning[2] === 3 || beginning[2] === 5);

/**
 * The files of an archive. Build tools write files of several modules that have one name: the second one is in a folder
 * `(2)` of its own. A file that is twice the same is one file.
 */
export class Archive {
  readonly #members: ReadonlyMap<string, Member>;

  private constructor(members: ReadonlyMap<string, Member>) {
    this.#members = members;
  }

  /** `name`: the name of the archive, for error messages. */
  static async open(source: ByteSource, name: string): Promise<Archive> {
    return new Archive(await readMembers(source, name));
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** By its path on the machine that ran the tests, or by the longest suffix of that path in the archive. */
  find(path: string): Member | undefined {
    const folders = path.replaceAll('\\', '/').split('/').slice(-REPORT_LIMITS.depth);
    const suffixes = folders.map((_, from) => folders.slice(from).join('/'));
    const longestSuffix = suffixes.find((suffix) => this.#members.has(suffix));
    return longestSuffix === undefined ? undefined : this.#members.get(longestSuffix);
  }
}

async function readMembers(source: ByteSource, name: string): Promise<ReadonlyMap<string, Member>> {
  const inflation = new Inflation();
  const bytes = new ByteReader(source.stream(), new Allowance(NO_CLOCK));
  const members = new Map<string, Member>();
  const contents = new Map<string, Set<string>>();
  try {
    for await (const entry of readZipEntries(bytes, REPORT_LIMITS.entriesPerArchive)) {
      if (entry.name.split(/[\\/]/).includes('..')) throw unreadableReport(name, 'contains a path with ".."');
      const start = bytes.position;
      let end = start;
      let checksum = 0;
      for await (const part of entry.bytes) {
        end += part.length;
        checksum = crc32(part, checksum);
      }
      const content = `${checksum} ${end - start}`;
      const sameNames = contents.get(entry.name) ?? new Set();
      if (entry.name.endsWith('/') || sameNames.has(content)) continue;
      sameNames.add(content);
      contents.set(entry.name, sameNames);
      const memberName = sameNames.size === 1 ? entry.name : `(${sameNames.size})/${entry.name}`;
      const { method, encrypted } = entry;
      const facts = { method, encrypted, start, end, size: entry.claimedSize() };
      members.set(memberName, makeMember(source, facts, { name: memberName, inflation }));
    }
  } catch (error) {
    throw toReportError(error, name);
  } finally {
    await bytes.close();
  }
  return members;
}

interface EntryFacts {
  readonly method: number;
  readonly encrypted: boolean;
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

/** `inflation` counts the bytes of all members, to detect a decompression bomb in many small files. */
const makeMember = (
  source: ByteSource,
  facts: EntryFacts,
  { name, inflation }: { readonly name: string; readonly inflation: Inflation },
): Member => ({
  name,
  size: facts.size,
  async source() {
    const { start, end } = facts;
    if (facts.method === STORED && !facts.encrypted)
      return {
        size: end - start,
        read: (from, to) => source.read(start + from, Math.min(end, start + to)),
        stream: () => readParts(source, facts),
      };
    if (facts.size > REPORT_LIMITS.nestedBytes) throw reportTooLarge(name, REPORT_LIMITS.nestedBytes);
    return makeMemorySource(await buffer(this.open()));
  },
  async *open() {
    const { method, encrypted, size } = facts;
    let left = size;
    try {
      if (isSmall(facts)) {
        yield inflateAtOnce(
          Buffer.from(await source.read(facts.start, facts.end)),
          size,
          new Allowance(NO_CLOCK, inflation),
        );
        return;
      }
      for await (const part of decompressEntry(
        { name, method, encrypted, bytes: readParts(source, facts) },
        new Allowance(NO_CLOCK, inflation),
      )) {
        left -= part.length;
        if (left < 0) throw unreadableReport(name, LARGER);
        yield part;
      }
    } catch (error) {
      throw toReportError(error, name);
    }
  },
});

const isSmall = ({ method, encrypted, start, end, size }: EntryFacts): boolean =>
  method === DEFLATED && !encrypted && end - start <= SMALL_BYTES && size <= PART_BYTES;
const SMALL_BYTES = 64 * 1024;

async function* readParts(source: ByteSource, { start, end }: EntryFacts): AsyncGenerator<Buffer, void> {
  for (let at = start; at < end; at += PART_BYTES) {
    yield Buffer.from(await source.read(at, Math.min(end, at + PART_BYTES)));
  }
}

const LARGER = 'is larger than its archive says';
const PROBLEMS: Partial<Record<RefusalReason, string>> = {
  truncated: 'is a truncated zip archive',
  encrypted: 'is encrypted',
  unknownMethod: 'uses a compression method other than Deflate',
};

function toReportError(error: unknown, name: string): unknown {
  if (error instanceof RangeError) return unreadableReport(name, LARGER);
  if (!(error instanceof RefusedArchive)) return error;
  if (error.reason === 'tooLarge') return reportTooLarge(name, REPORT_LIMITS.reading.bytes);
  if (error.reason === 'inflatesTooFar') return inflatesTooFar(name, ARCHIVE_LIMITS.inflation.times);
  if (error.reason === 'tooManyEntries') return tooManyFiles(name, REPORT_LIMITS.entriesPerArchive);
  return unreadableReport(name, PROBLEMS[error.reason] ?? 'has damaged zip data');
}
