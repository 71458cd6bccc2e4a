/** Archives that are small and become large, or many. Each is made in pieces: none is ever whole in memory once inflated. */
import { randomBytes } from 'node:crypto';
import { constants, deflateRawSync } from 'node:zlib';
import { archive } from './archives.ts';
import { begin, said } from './recordings.ts';

const MEGABYTE = 1024 * 1024;

/** A piece of a Deflate stream that others can follow. */
const piece = (content: string | Buffer): Buffer =>
  deflateRawSync(content, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
const repeated = (bytes: Buffer, times: number): Buffer => Buffer.concat(Array.from({ length: times }, () => bytes));
const LAST_PIECE = deflateRawSync(Buffer.alloc(0));

/** A trace whose events are these pieces. */
const joined = (pieces: readonly Buffer[]): Buffer => {
  const compressed = Buffer.concat([piece(begin()), ...pieces, LAST_PIECE]);
  return archive([{ name: 'test.trace', content: '', compressed, sizes: 'descriptor' }]);
};

/** A trace whose events inflate to `content`, so many times. */
const bomb = (content: string | Buffer, times: number): Buffer => joined([repeated(piece(content), times)]);

/** Eight megabytes at once, where 45 kilobytes made the whole look harmless. */
const noiseThenZeros = (): Buffer =>
  Buffer.concat([piece(randomBytes(45_000)), repeated(piece(Buffer.alloc(MEGABYTE)), 8)]);

/** As short as they can be: what each of them says, and nothing of where. */
const errors = (count: number): string => {
  const rest = { messageType: 'error', args: undefined, location: undefined, pageId: undefined };
  return Array.from({ length: count }, (_, number) => said(`error ${(number * 7919) % 9973}`, rest)).join('');
};

const LONG = randomBytes(6 * 1024)
  .toString('base64')
  .repeat(30);

export const BOMBS = {
  'ten gigabytes of zeros': () => bomb(Buffer.alloc(MEGABYTE), 10 * 1024),
  'one line of a gigabyte': () => bomb('a'.repeat(MEGABYTE), 1024),
  'a million events': () => bomb(errors(10_000), 100),
  'lines of a hundred thousand arrays, one in the other': () =>
    bomb(`{"type":"console","text":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`, 500),
  'noise and zeros by turns': () => joined(Array.from({ length: 30 }, noiseThenZeros)),
  'four hundred texts of 240 kilobytes': () => bomb(said(LONG, { args: [], messageType: 'error' }), 400),
  'a hundred thousand entries': () =>
    archive(Array.from({ length: 100_000 }, (_, number) => ({ name: `resources/${number}`, content: '', method: 0 }))),
} as const satisfies Record<string, () => Buffer>;

/** A trace of so many megabytes that inflates no further than real ones do. */
export const honest = (megabytes: number): Buffer => {
  const line = `{"type":"log","message":"${randomBytes(12 * 1024).toString('base64')}"}\n`;
  return bomb(line.repeat(64).slice(0, MEGABYTE), megabytes);
};
