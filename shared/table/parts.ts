/** A packed value in pieces, since an item holds 400 KB. All pieces of one writing carry its version. */
import { LIMITS } from '../limits.ts';
import { pack, unpack } from './packed.ts';

export interface Part {
  readonly part: number;
  readonly parts: number;
  readonly version: number;
  readonly bytes: Uint8Array;
}

const PART_DIGITS = 3;

/** Of a piece within the sort key: in the order of the pieces. */
export const partKey = (part: number): string => String(part).padStart(PART_DIGITS, '0');

export function split(value: object, version: number): Part[] {
  const bytes = pack(value);
  const parts = Math.max(1, Math.ceil(bytes.length / LIMITS.itemPartBytes));
  return Array.from({ length: parts }, (_, part) => ({
    part,
    parts,
    version,
    bytes: bytes.subarray(part * LIMITS.itemPartBytes, (part + 1) * LIMITS.itemPartBytes),
  }));
}

/** `undefined` unless every piece of one writing is there. */
export function join<Value extends object>(parts: readonly Part[]): Value | undefined {
  const [first] = parts;
  const whole = parts.filter(({ version, part }) => version === first?.version && part < (first?.parts ?? 0));
  if (!first || whole.length !== first.parts) return undefined;
  return unpack<Value>(Buffer.concat(whole.map(({ bytes }) => bytes)));
}

/** What an older writing must not replace. */
export const unlessNewerParts = ({ version }: Pick<Part, 'version'>) => ({
  any: [{ absent: 'pk' }, { path: 'version', atMost: version }],
});
