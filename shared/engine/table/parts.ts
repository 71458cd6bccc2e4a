/** Splits a packed value into several items, which share version and digest. One item holds at most 400 KB. */
import { createHash } from 'node:crypto';
import { TABLE_LIMITS } from './limits.ts';
import { pack, unpack } from './packed.ts';

export interface Part {
  readonly part: number;
  readonly parts: number;
  readonly version: number;
  /** Of the whole value, because two writes may have the same version. Absent in older rows. */
  readonly digest?: string;
  readonly bytes: Uint8Array;
}

const PART_DIGITS = 3;
const DIGEST_CHARACTERS = 16;

/** Sorts by part number. */
export const formatPartKey = (part: number): string => String(part).padStart(PART_DIGITS, '0');

export function splitParts(value: object, version: number): Part[] {
  const bytes = pack(value);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, DIGEST_CHARACTERS);
  const parts = Math.max(1, Math.ceil(bytes.length / TABLE_LIMITS.itemPartBytes));
  return Array.from({ length: parts }, (_, part) => ({
    part,
    parts,
    version,
    digest,
    bytes: bytes.subarray(part * TABLE_LIMITS.itemPartBytes, (part + 1) * TABLE_LIMITS.itemPartBytes),
  }));
}

/** Returns `undefined` unless all parts of one write are present. */
export function joinParts<Value extends object>(parts: readonly Part[]): Value | undefined {
  const packedValue = joinPacked(parts);
  return packedValue && unpack<Value>(packedValue);
}

/** Returns `undefined` unless all parts of one write are present. */
export function joinPacked(parts: readonly Part[]): Uint8Array | undefined {
  const [first] = parts;
  const isOfWrite = ({ version, digest, part }: Part) =>
    version === first?.version && digest === first.digest && part < first.parts;
  const partsOfWrite = parts.filter(isOfWrite);
  if (!first || partsOfWrite.length !== first.parts) return undefined;
  return Buffer.concat(partsOfWrite.map(({ bytes }) => bytes));
}

/** Keeps an older write from replacing a newer one. */
export const expectNoNewerParts = ({ version }: Pick<Part, 'version'>) => ({
  any: [{ absent: 'pk' }, { path: 'version', atMost: version }],
});
