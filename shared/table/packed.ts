/** JSON that is stored compressed: what is heavy and never filtered on. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export const pack = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** The shape is the one that was packed; the same file packs and unpacks. */
export const unpack = <Shape>(bytes: Uint8Array): Shape => JSON.parse(inflateRawSync(bytes).toString('utf8'));
