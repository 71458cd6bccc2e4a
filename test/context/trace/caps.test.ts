import { describe, expect, test } from 'vitest';
import { readTrace } from '#shared/context/trace/analyse-trace.ts';
import { TRACE_LIMITS } from '#shared/context/trace/limits.ts';
import { ARCHIVE_LIMITS } from '#shared/engine/archives/limits.ts';
import { archive, merged } from './archives.ts';
import { BOMBS, honest } from './bombs.ts';
import { begin, chunksOf, readArchive, said } from './recordings.ts';

const TRACE = merged({ 'test.trace': begin() + said('read') });
const MEGABYTE = 1024 * 1024;

/** Wraps a byte source, and records how many bytes were read and whether the source was closed. */
function watched(chunks: AsyncIterable<Uint8Array>) {
  const seen = { bytes: 0, isClosed: false };
  const source = async function* () {
    try {
      for await (const chunk of chunks) {
        seen.bytes += chunk.length;
        yield chunk;
      }
    } finally {
      seen.isClosed = true;
    }
  };
  return { seen, source: source() };
}

const readBomb = async (bytes: Buffer) => {
  const { seen, source } = watched(chunksOf(bytes, 16 * 1024));
  return { reading: await readTrace(source, () => 0), ...seen };
};

describe('An oversized archive', () => {
  test.each(['ten gigabytes of zeros', 'one line of a gigabyte'] as const)(
    'is refused as soon as it exceeds the limit: %s',
    async (name) => {
      const { reading, bytes, isClosed } = await readBomb(BOMBS[name]());
      expect(reading).toMatchObject({ kind: 'refused', reason: 'inflatesTooFar' });
      expect(bytes).toBeLessThan(100_000);
      expect(isClosed).toBe(true);
    },
  );

  test('An archive with more than 256 MiB of decompressed events is refused', async () => {
    // Each event is one megabyte long, which exceeds the size limit of a line, so the event is skipped. Parsing shorter
    // events would take most of the time of this test.
    expect(await readArchive(honest(257, 1))).toMatchObject({ kind: 'refused', reason: 'tooLarge' });
  });

  test('An archive is refused at its 20,001st entry', async () => {
    const resource = { name: 'resources/a', content: '', method: 0 };
    const resources = Array.from({ length: 19_999 }, () => resource);
    const events = { name: 'test.trace', content: begin() };
    expect(await readArchive(archive([...resources, events]))).toMatchObject({ kind: 'read' });
    expect(await readArchive(archive([...resources, events, resource]))).toMatchObject({
      kind: 'refused',
      reason: 'tooManyEntries',
    });
  });

  test('An archive is refused after 256 MiB of compressed bytes', async () => {
    const start = archive([{ name: 'resources/film', content: '', method: 0, claimedBytes: 10 ** 9 }]);
    const head = start.subarray(0, start.indexOf('PK\x01\x02'));
    const { seen, source } = watched(followed(head, Buffer.alloc(MEGABYTE)));
    expect(await readTrace(source, () => 0)).toMatchObject({ kind: 'refused', reason: 'tooLarge' });
    expect(seen).toEqual({ bytes: head.length + 256 * MEGABYTE, isClosed: true });
  });
});

/** Builds an archive whose events are spread over several files. Each file alone is within the limits. */
const files = (...contents: readonly string[]): Buffer =>
  merged(Object.fromEntries([begin() + said('read'), ...contents].map((content, at) => [`${at}.trace`, content])));
const LOG = '{"type":"log"}\n';

describe('Limits of all files of a trace together:', () => {
  test('The decompressed sizes of all files in a trace count together toward the limit', async () => {
    const breaks = '\n'.repeat(7 * MEGABYTE);
    expect(await readArchive(files(breaks))).toMatchObject({ kind: 'read' });
    expect(await readArchive(files(breaks, breaks))).toMatchObject({ kind: 'refused', reason: 'inflatesTooFar' });
  });

  test.each([
    ['events', LOG, ARCHIVE_LIMITS.lines - 2, 'tooLarge'],
    ['lines that are not events', '{\n', TRACE_LIMITS.malformedLines, 'damaged'],
  ] as const)(
    'A trace with the maximum number of %s is read, and a trace with one more is refused',
    async (_, line, most, reason) => {
      const half = line.repeat(most / 2);
      expect(await readArchive(files(half, half))).toMatchObject({ kind: 'read' });
      expect(await readArchive(files(half, half, line))).toMatchObject({ kind: 'refused', reason });
    },
  );
});

describe('The time limit of a trace', () => {
  const ticking = (milliseconds: number) => {
    let now = 1_793_613_600_000;
    return () => (now += milliseconds);
  };

  test('An archive that takes longer to read than the time limit is refused, whether its event files or its other files take the time', async () => {
    const film = archive([{ name: 'resources/film', content: Buffer.alloc(20 * MEGABYTE), method: 0 }]);
    for (const bytes of [film, honest(20)])
      expect(await readArchive(bytes, 64 * 1024, ticking(1000))).toMatchObject({ kind: 'refused', reason: 'tooSlow' });
  });

  test('The time limit does not affect a trace that takes less time', async () => {
    expect(await readArchive(TRACE, 64 * 1024, ticking(1000))).toMatchObject({ kind: 'read' });
  });
});

describe('The byte source of a trace', () => {
  test('is closed after the trace has been read or refused', async () => {
    for (const bytes of [TRACE, Buffer.from('no archive at all'), TRACE.subarray(0, 60)]) {
      const { seen, source } = watched(chunksOf(bytes, 10));
      await readTrace(source, () => 0);
      expect(seen.isClosed).toBe(true);
    }
  });

  test('If the byte source of a trace fails, at any byte, the caller gets the error of the source', async () => {
    const failure = new Error('The connection was reset');
    const failing = async function* (bytes: number) {
      yield* chunksOf(TRACE.subarray(0, bytes), 10);
      throw failure;
    };
    for (let bytes = 0; bytes <= TRACE.length; bytes += 1)
      await expect(readTrace(failing(bytes), () => 0)).rejects.toBe(failure);
  });
});

async function* followed(head: Uint8Array, endless: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head;
  for (;;) yield endless;
}
