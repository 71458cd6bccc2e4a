/** Zip bombs: small archives that decompress to very large contents, or that have very many entries. */

import { constants, deflateRawSync } from 'node:zlib';
import { noise } from '#test/harness/noise.ts';
import { archive, type Member } from './archives.ts';
import { begin, said } from './recordings.ts';

const MEGABYTE = 1024 * 1024;

/** Compresses one part of a Deflate stream, so that other parts can follow. */
const piece = (content: string | Buffer): Buffer =>
  deflateRawSync(content, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
const repeated = (bytes: Buffer, times: number): Buffer => Buffer.concat(Array.from({ length: times }, () => bytes));
const LAST_PIECE = deflateRawSync(Buffer.alloc(0));

/** Builds a trace that consists of a valid first event, followed by the compressed `pieces`. */
const joined = (pieces: readonly Buffer[]): Buffer => {
  const compressed = Buffer.concat([piece(begin()), ...pieces, LAST_PIECE]);
  return archive([{ name: 'test.trace', content: '', compressed, sizes: 'descriptor' }]);
};

/** Builds a trace that consists of a valid first event, followed by `content`, which is repeated `times` times. */
const bomb = (content: string | Buffer, times: number): Buffer => joined([repeated(piece(content), times)]);

/** 45 KB of noise, which looks harmless, followed by 8 MB of zeros, all of it compressed. */
const noiseThenZeros = (): Buffer => Buffer.concat([piece(noise(45_000)), repeated(piece(Buffer.alloc(MEGABYTE)), 8)]);

const errors = (count: number): string => {
  const rest = { messageType: 'error', args: undefined, location: undefined, pageId: undefined };
  return Array.from({ length: count }, (_, number) => said(`error ${(number * 7919) % 9973}`, rest)).join('');
};

const LONG = noise(6 * 1024)
  .toString('base64')
  .repeat(30);

export const BOMBS = {
  'ten gigabytes of zeros': () => bomb(Buffer.alloc(MEGABYTE), 10 * 1024),
  'one line of a gigabyte': () => bomb('a'.repeat(MEGABYTE), 1024),
  'almost as many events as a trace may have': () => bomb(errors(10_000), 24),
  'lines of a hundred thousand nested arrays': () =>
    bomb(`{"type":"console","text":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`, 500),
  'alternating noise and zeros': () => joined(Array.from({ length: 30 }, noiseThenZeros)),
  'four hundred texts of 240 kilobytes': () => bomb(said(LONG, { args: [], messageType: 'error' }), 400),
  'twenty-five thousand entries': () =>
    archive(Array<Member>(25_000).fill({ name: 'resources/a', content: '', method: 0 })),
} as const satisfies Record<string, () => Buffer>;

/** Builds a trace that decompresses to `megabytes` MiB at a normal compression ratio, with `events` events per MiB. */
export const honest = (megabytes: number, events = 64): Buffer => {
  const message = noise(12 * 1024).toString('base64');
  const line = `{"type":"log","message":"${message.repeat(64 / events)}"}\n`;
  return bomb(line.repeat(events).slice(0, MEGABYTE), megabytes);
};
