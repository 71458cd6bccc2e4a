/** Creates trace events in Playwright's format, and reads trace archives. */
import { readTrace, type TraceReading } from '#shared/context/trace/analyse-trace.ts';

/** The wall-clock time, in epoch milliseconds, at which the monotonic clock of `begin()` is 0. */
export const EPOCH = 1_793_613_600_000;
const BEGAN = 2000.25;

export const begin = (more: object = {}): string =>
  lineOf({
    version: 10,
    type: 'context-options',
    origin: 'library',
    wallTime: EPOCH + BEGAN,
    monotonicTime: BEGAN,
    ...more,
  });

export const said = (text: string, more: object = {}): string =>
  lineOf({
    type: 'console',
    messageType: 'log',
    text,
    args: [{ preview: text, value: text }],
    location: { url: 'http://shop.example/cart.js', lineNumber: 3, columnNumber: 7 },
    time: BEGAN,
    pageId: 'page@1',
    ...more,
  });

export const asked = (url: string, more: { status?: unknown; method?: unknown; time?: unknown } = {}): string =>
  lineOf({
    type: 'resource-snapshot',
    snapshot: {
      pageref: 'page@1',
      startedDateTime: '2026-11-02T10:00:00.000Z',
      request: {
        method: more.method ?? 'GET',
        url,
        headers: [{ name: 'authorization', value: 'Bearer of-the-page' }],
        postData: { text: 'body of the request' },
      },
      response: {
        status: more.status ?? 200,
        headers: [{ name: 'set-cookie', value: 'session=of-the-page' }],
        content: { text: 'body of the response' },
      },
      _monotonicTime: more.time ?? BEGAN,
    },
  });

export const lineOf = (event: object): string => `${JSON.stringify(event)}\n`;

/** A clock that stands still, so that the time limit never applies. */
const STILL = () => 0;

export const readArchive = (bytes: Uint8Array, chunkBytes = 64 * 1024, now = STILL): Promise<TraceReading> =>
  readTrace(chunksOf(bytes, chunkBytes), now);

export async function* chunksOf(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/**
 * Returns the console entries and network requests of an archive, and the numbers of omitted ones. Throws if the
 * archive is refused.
 */
export async function analysisOf(bytes: Uint8Array) {
  const reading = await readArchive(bytes);
  if (reading.kind === 'refused') throw new Error(`Refused: ${reading.reason}, ${reading.detail}`);
  return { ...reading.analysis, omitted: reading.omitted };
}

export const NOTHING_OMITTED = {
  consoleEntries: 0,
  networkRequests: 0,
  shortened: 0,
  malformedLines: 0,
  overlongLines: 0,
};
