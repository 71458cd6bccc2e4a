/** Splits a packed value into parts, because an item holds at most 400 KB. All parts of one write carry its version. */
import { TABLE_LIMITS } from './limits.ts';
import { pack, unpack } from './packed.ts';

export interface Part {
  readonly part: number;
  readonly parts: number;
  readonly version: number;
  readonly bytes: Uint8Array;
}

const PART_DIGITS = 3;

/** The sort-key segment of a part. It sorts in the order of the parts. */
export const partKey = (part: number): string => String(part).padStart(PART_DIGITS, '0');

export function split(value: object, version: number): Part[] {
  const bytes = pack(value);
  const parts = Math.max(1, Math.ceil(bytes.length / TABLE_LIMITS.itemPartBytes));
  return Array.from({ length: parts }, (_, part) => ({
    part,
    parts,
    version,
    bytes: bytes.subarray(part * TABLE_LIMITS.itemPartBytes, (part + 1) * TABLE_LIMITS.itemPartBytes),
  }));
}

/** Joins the parts of a value, `undefined` unless all parts of one write are present. */
export function join<Value extends object>(parts: readonly Part[]): Value | undefined {
  const [first] = parts;
  const whole = parts.filter(({ version, part }) => version === first?.version && part < (first?.parts ?? 0));
  if (!first || whole.length !== first.parts) return undefined;
  return unpack<Value>(Buffer.concat(whole.map(({ bytes }) => bytes)));
}

/** A condition that keeps an older write from replacing a newer one. */
export const unlessNewerParts = ({ version }: Pick<Part, 'version'>) => ({
  any: [{ absent: 'pk' }, { path: 'version', atMost: version }],
});
