/**
 * The format of the archive of an organization: parts with one JSON document per line, compressed with gzip, the files
 * of runs as they are, and a manifest with the checksums of all parts. A row is a line `{"Item": ...}` in DynamoDB
 * JSON, as in the table exports of AWS.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { Refused } from '#infra/cli/terminal/usage-error.ts';
import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { parseStreamImage } from '#shared/engine/table/attributes.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import PROJECT from '../../../package.json' with { type: 'json' };
import type { ArchiveStore } from './archive-store.ts';
import type { Row } from './table-scan.ts';

export const FORMAT = 'rundown organization';
export const FORMAT_VERSION = 1;
export const RELEASE = PROJECT.version;
export const MANIFEST = 'manifest.json';

/** In the order of the import. Scheduled work comes after all rows it is about, because sweeps start it at once. */
export const PART_KINDS = ['rows', 'files', 'people', 'work'] as const;
export type PartKind = (typeof PART_KINDS)[number];

const count = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const Part = z.strictObject({
  kind: z.enum(PART_KINDS),
  // The name is part of a path, so it must not lead out of the archive.
  name: z.string().regex(/^(rows|files|people|work)-\d{6}\.ndjson\.gz$/),
  sha256,
  bytes: count,
  lines: count,
  /** The size of the content before compression. */
  contentBytes: count,
});
export type Part = z.infer<typeof Part>;

/** A secret that is not in the archive, and has to be set again after an import. */
export const SetAgain = z.strictObject({ what: z.string(), id: z.string(), name: z.string() });
export type SetAgain = z.infer<typeof SetAgain>;

/** What an unfinished export and a manifest have in common. */
const exported = {
  format: z.literal(FORMAT),
  formatVersion: z.literal(FORMAT_VERSION),
  organizationId: z.string(),
  startedAt: z.string(),
  parts: z.array(Part),
  setAgain: z.array(SetAgain),
  /** How many rows of each kind are not in the archive. */
  leftOut: z.record(z.string(), count),
};

export const Progress = z.strictObject({
  ...exported,
  step: z.enum(['rows', 'files', 'people', 'manifest']),
  /** The last row of the table, or the last object of the bucket, that was read for the parts. */
  after: z.union([z.strictObject({ pk: z.string(), sk: z.string() }), z.string()]).optional(),
});
export type Progress = z.infer<typeof Progress>;
export const PROGRESS = 'unfinished.json';

/** The members of a manifest that every version can read. */
export const ManifestHead = z.object({ format: z.literal(FORMAT), formatVersion: z.int(), release: z.string() });

export const Manifest = z.strictObject({
  ...exported,
  release: z.string(),
  organizationId: z.string().regex(/^[0-9A-Za-z_-]{1,64}$/),
  /** The row of the organization, in DynamoDB JSON. */
  organization: z.looseObject({}),
  finishedAt: z.string(),
  /** Whether the organization was in use during the export, so that its rows are from different moments. */
  wasInUse: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;

/** The result of an export or an import. */
export interface TransferResult {
  readonly manifest: Manifest;
  /** Whether the export or import was already complete, so that nothing was written. */
  readonly wasComplete: boolean;
}

/** A file of a run. Its content is in the archive below `files/`. */
export const FileLine = z.strictObject({ key: z.string(), bytes: count, type: z.string(), sha256 });
export type FileLine = z.infer<typeof FileLine>;

export const toContentName = (key: string): string => `files/${key}`;

/** Bytes become base64. Attributes and sets are sorted, so that equal rows become equal texts. */
export const toDynamoJson = (row: Attributes): Record<string, unknown> =>
  sortMembers(marshall(row, { removeUndefinedValues: true }));

function sortMembers(item: object): Record<string, unknown> {
  const members = Object.entries(item).map(([name, value]): [string, unknown] => {
    const isSet = ['SS', 'NS', 'BS'].includes(name) && Array.isArray(value);
    return [name, isSet ? value.map(toJsonValue).sort() : toJsonValue(value)];
  });
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function toJsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJsonValue);
  return typeof value === 'object' && value !== null ? sortMembers(value) : value;
}

export const toCanonicalJson = (row: Attributes): string => JSON.stringify(toDynamoJson(row));

export const formatRowLine = (row: Row): string => `{"Item":${toCanonicalJson(row)}}\n`;

const RowLine = z.strictObject({
  Item: z.looseObject({ pk: z.strictObject({ S: z.string() }), sk: z.strictObject({ S: z.string() }) }),
});

export function parseRowLine(line: string): Row {
  const { Item } = RowLine.parse(JSON.parse(line));
  return { ...parseStreamImage(Item), pk: Item.pk.S, sk: Item.sk.S };
}

export class BadArchive extends Refused {
  override name = 'BadArchive';
}

const COPY = 'Copy the archive again, or export the organization again to an empty folder or prefix';

/** A row of DynamoDB has at most 400 KB. As a line of JSON it is longer, because of types, escapes and base64. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** Throws `BadArchive` unless the part is exactly what the manifest says. Some checks run only after the last line. */
export async function readPart(
  store: ArchiveStore,
  part: Part,
  onLines: (lines: readonly string[]) => Promise<void>,
): Promise<void> {
  const { name, bytes, contentBytes } = part;
  const stream = await store.open(name);
  if (!stream) throw new BadArchive(`${name} is missing. ${COPY}`);
  const hash = createHash('sha256');
  const counts = { bytes: 0, content: 0, lines: 0 };
  const pendingLines: string[] = [];
  const splitter = new LineSplitter((line, isWhole) => {
    if (!isWhole)
      throw new BadArchive(`${name} has a line that is longer than any that an export writes. Copy the archive again`);
    pendingLines.push(line.toString('utf8'));
  }, LONGEST_LINE);
  const flush = async (): Promise<void> => {
    const lines = pendingLines.splice(0);
    counts.lines += lines.length;
    if (lines.length > 0) await onLines(lines);
  };
  const checkBytes = async function* (source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      counts.bytes += piece.length;
      if (counts.bytes > bytes) throw new BadArchive(`${name} is larger than the manifest says. ${COPY}`);
      hash.update(piece);
      yield piece;
    }
  };
  const read = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of source) {
      counts.content += piece.length;
      if (counts.content > contentBytes)
        throw new BadArchive(`${name} contains more data than the manifest says. ${COPY}`);
      splitter.push(piece);
      await flush();
    }
    splitter.end();
    await flush();
  };
  try {
    await pipeline(stream, checkBytes, createGunzip(), read);
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(Z_|ERR_BUFFER|ERR_ZLIB)/.test(String(error.code)))
      throw new BadArchive(`${name} is damaged: ${error.message}. ${COPY}`);
    throw error;
  }
  if (hash.digest('hex') !== part.sha256) throw new BadArchive(`${name} does not match its checksum. ${COPY}`);
  if (counts.lines !== part.lines || counts.content !== contentBytes)
    throw new BadArchive(`${name} does not have the number of lines and bytes that the manifest says. ${COPY}`);
}

export const countPartLines = ({ parts }: Pick<Manifest, 'parts'>, ...kinds: readonly PartKind[]): number =>
  parts.reduce((total, { kind, lines }) => total + (kinds.includes(kind) ? lines : 0), 0);

export async function readDocument(store: ArchiveStore, name: string): Promise<Buffer | undefined> {
  const content = await store.open(name);
  if (!content) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    const buffer = Buffer.from(piece);
    bytes += buffer.length;
    if (bytes > LARGEST_DOCUMENT)
      throw new BadArchive(`${name} is larger than any that an export writes. Check the given folder or prefix`);
    pieces.push(buffer);
  }
  return Buffer.concat(pieces);
}

const LARGEST_DOCUMENT = 256 * 1024 * 1024;

export const writeDocument = (store: ArchiveStore, name: string, document: object): Promise<void> => {
  const content = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
  return store.write(name, content, content.length);
};

/** Passes a stream on, and computes its checksum and size. */
export function measureStream(content: Readable) {
  const hash = createHash('sha256');
  let bytes = 0;
  const passPieces = async function* () {
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  };
  return {
    content: Readable.from(passPieces(), { objectMode: false }),
    result: () => ({ sha256: hash.digest('hex'), bytes }),
  };
}
