/**
 * Splits a packed value into several items, because one item holds at most 400 KB. All parts of one write carry the
 * same version and digest.
 */
import { createHash } from 'node:crypto';
import { TABLE_LIMITS } from './limits.ts';
import { pack, unpack } from './packed.ts';

export interface Part {
  readonly part: number;
  readonly parts: number;
  readonly version: number;
  /** Digest of the whole value. It is needed because two writes may have the same version. Absent in older rows. */
  readonly digest?: string;
  readonly bytes: Uint8Array;
}

const PART_DIGITS = 3;
const DIGEST_CHARACTERS = 16;

/** The sort-key segment of a part, which sorts by part number. */
export const partKey = (part: number): string => String(part).padStart(PART_DIGITS, '0');

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

/** Joins the parts of a value. Returns `undefined` unless all parts of one write are present. */
export function join<Value extends object>(parts: readonly Part[]): Value | undefined {
  const packed = joinPacked(parts);
  return packed && unpack<Value>(packed);
}

/** Joins the parts of a value without unpacking it. Returns `undefined` unless all parts of one write are present. */
export function joinPacked(parts: readonly Part[]): Uint8Array | undefined {
  const [first] = parts;
  const isOfWrite = ({ version, digest, part }: Part) =>
    version === first?.version && digest === first.digest && part < first.parts;
  const whole = parts.filter(isOfWrite);
  if (!first || whole.length !== first.parts) return undefined;
  return Buffer.concat(whole.map(({ bytes }) => bytes));
}

/** A condition that keeps an older write from replacing a newer one. */
export const unlessNewerParts = ({ version }: Pick<Part, 'version'>) => ({
  any: [{ absent: 'pk' }, { path: 'version', atMost: version }],
});
