/** Compressed JSON, for large values that no filter reads. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export const pack = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** The unpacked value has the packed shape, because the same file packs and unpacks. */
export const unpack = <Shape>(bytes: Uint8Array): Shape => JSON.parse(inflateRawSync(bytes).toString('utf8'));
