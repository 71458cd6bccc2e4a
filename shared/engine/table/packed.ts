/** Compressed JSON, for large values that no DynamoDB expression needs to read. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export const pack = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** Thrown if stored bytes are damaged. The error is not transient: reading the bytes again fails the same way. */
export class UnreadableBytes extends Error {}

interface UnpackedValue<Shape> {
  readonly value: Shape;
  /** The length of the unpacked JSON. */
  readonly bytes: number;
}

/** The type that the caller states is not checked, because only our own code packs values. */
export const unpack = <Shape>(bytes: Uint8Array): Shape => unpackSized<Shape>(bytes).value;

export function unpackSized<Shape>(bytes: Uint8Array): UnpackedValue<Shape> {
  try {
    const json = inflateRawSync(bytes);
    return { value: JSON.parse(json.toString('utf8')), bytes: json.length };
  } catch (cause) {
    throw new UnreadableBytes('A packed value in the table cannot be unpacked', { cause });
  }
}
