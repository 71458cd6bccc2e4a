/**
 * The format of the archive of an organization: parts with one JSON document per line, compressed with gzip, the files
 * of runs as they are, and a manifest with the checksums of all parts. A row is a line `{"Item": ...}` in DynamoDB
 * JSON, as in the table exports of AWS.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { parseStreamImage } from '#shared/engine/table/attributes.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import PROJECT from '../../../package.json' with { type: 'json' };
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

export const countPartLines = ({ parts }: Pick<Manifest, 'parts'>, ...kinds: readonly PartKind[]): number =>
  parts.reduce((total, { kind, lines }) => total + (kinds.includes(kind) ? lines : 0), 0);
