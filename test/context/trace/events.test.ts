import { describe, expect, test } from 'vitest';
import { merged } from './archives.ts';
import { analysisOf, asked, begin, EPOCH, lineOf, NOTHING_OMITTED, readArchive, said } from './recordings.ts';

const BEGAN = 2000.25;
const trace = (...lines: string[]): Buffer => merged({ 'test.trace': [begin(), ...lines].join('') });
const pageError = (params: object, more: object = {}): string =>
  lineOf({ type: 'event', time: BEGAN, class: 'BrowserContext', method: 'pageError', params, ...more });

describe('A console entry', () => {
  test('has the type, text and location from the trace, and its time in epoch milliseconds', async () => {
    const { consoleEntries } = await analysisOf(trace(said('sold out', { messageType: 'warning', time: BEGAN + 1.6 })));
    const location = { url: 'http://shop.example/cart.js', lineNumber: 3, columnNumber: 7 };
    const time = EPOCH + 2002;
    expect(consoleEntries).toEqual([{ time, messageType: 'warning', text: 'sold out', location }]);
  });

  test('gets an empty location if the trace has none', async () => {
    const { consoleEntries } = await analysisOf(
      trace(said('a', { location: null }), said('b', { location: { url: 1 } })),
    );
    const nowhere = { url: '', lineNumber: 0, columnNumber: 0 };
    expect(consoleEntries.map(({ location }) => location)).toEqual([nowhere, nowhere]);
  });

  test('An uncaught error becomes a console entry, formatted as in the console of the browser', async () => {
    const stack = 'TypeError: no total\n    at http://shop.example/:5:30';
    const error = { name: 'TypeError', message: 'no total', stack };
    const location = { url: 'http://shop.example/', line: 4, column: 29 };
    const { consoleEntries } = await analysisOf(
      trace(
        pageError({ error: { error }, location }),
        pageError({ error: { error: { ...error, stack: 'http://shop.example/:5:30' } } }),
        pageError({ error: { error: { message: 'nameless' } } }),
        pageError({ error: { error: { message: '' } } }),
      ),
    );
    const nowhere = { url: '', lineNumber: 0, columnNumber: 0 };
    const entry = { time: EPOCH + 2000, messageType: 'error' };
    expect(consoleEntries).toEqual([
      { ...entry, text: `Uncaught ${stack}`, location: { url: location.url, lineNumber: 4, columnNumber: 29 } },
      { ...entry, text: 'Uncaught TypeError: no total', location: nowhere },
      { ...entry, text: 'Uncaught Error: nameless', location: nowhere },
      { ...entry, text: 'Uncaught Error: ', location: nowhere },
    ]);
  });
});

describe('A network request', () => {
  test('has the URL, method, status and start time from the trace', async () => {
    const { networkRequests } = await analysisOf(
      trace(
        asked('http://shop.example/prices', { time: BEGAN + 20.4 }),
        asked('wss://shop.example/live', { status: 101, time: BEGAN + 30 }),
        asked('https://shop.example/pay', { method: 'POST', status: 0, time: BEGAN + 40 }),
        asked('http://gone.example/', { status: -1, time: BEGAN + 50 }),
      ),
    );
    expect(networkRequests).toEqual([
      { time: EPOCH + 2021, url: 'http://shop.example/prices', status: 200, method: 'GET' },
      { time: EPOCH + 2030, url: 'wss://shop.example/live', status: 101, method: 'GET' },
      { time: EPOCH + 2040, url: 'https://shop.example/pay', status: 0, method: 'POST' },
      { time: EPOCH + 2050, url: 'http://gone.example/', status: -1, method: 'GET' },
    ]);
  });

  test('A request that never leaves the browser is left out, and does not count as an omitted request', async () => {
    const own = [
      'data:text/plain,a',
      'blob:http://shop.example/1',
      'about:blank',
      'chrome-extension://a/b',
      'file:///a',
    ];
    const { networkRequests, omitted } = await analysisOf(trace(...own.map((url) => asked(url))));
    expect({ networkRequests, omitted }).toEqual({ networkRequests: [], omitted: NOTHING_OMITTED });
  });

  test('is shown without headers or bodies', async () => {
    const reading = JSON.stringify(await readArchive(trace(asked('http://shop.example/'))));
    for (const hidden of ['of-the-page', 'Bearer', 'body of']) expect(reading).not.toContain(hidden);
  });
});

describe('Recordings of a trace', () => {
  test('Recordings of several browser contexts are merged in chronological order, although each has its own clock', async () => {
    const later = begin({ wallTime: EPOCH + 5000, monotonicTime: 90_000 });
    const { consoleEntries, networkRequests } = await analysisOf(
      merged({
        '1-trace.trace': later + said('third', { time: 90_700 }) + said('first', { time: 86_100 }),
        '1-trace.network': asked('http://b.example/', { time: 90_800 }),
        '0-trace.trace': begin() + said('second', { time: 3000 }),
        '0-trace.network': asked('http://a.example/', { time: 3000 }),
      }),
    );
    expect(consoleEntries.map(({ time, text }) => [time - EPOCH, text])).toEqual([
      [1100, 'first'],
      [3000, 'second'],
      [5700, 'third'],
    ]);
    expect(networkRequests.map(({ time, url }) => [time - EPOCH, url])).toEqual([
      [3000, 'http://a.example/'],
      [5800, 'http://b.example/'],
    ]);
  });

  test.each([7, 8, 9, 10])('Recordings in format version %i are supported', async (version) => {
    const { consoleEntries } = await analysisOf(merged({ 'trace.trace': begin({ version }) + said('read') }));
    expect(consoleEntries).toHaveLength(1);
  });

  test.each([
    [6, 'version 6 is not supported. Supported versions: 7 to 10'],
    [11, 'version 11 is not supported. Supported versions: 7 to 10'],
    [9.5, 'version unknown'],
    ['10', 'version unknown'],
    [undefined, 'version unknown'],
  ])(
    'A recording whose format version is %j is refused, and the error names the supported versions or calls the version unknown',
    async (version, words) => {
      const reading = await readArchive(merged({ 'a.trace': begin(), 'b.trace': begin({ version }) + said('read') }));
      expect(reading).toMatchObject({ kind: 'refused', reason: 'unknownVersion' });
      expect(reading).toHaveProperty('detail', expect.stringContaining(words));
    },
  );

  test('Trace events without a valid context event before them are skipped and counted as malformed lines', async () => {
    const { consoleEntries, omitted } = await analysisOf(
      merged({
        'a.trace': said('too early') + begin() + said('read'),
        'b.trace': said('never begun'),
        'c.trace': begin({ wallTime: 'noon' }) + said('at no time'),
        'd.network': asked('http://of.nothing/'),
      }),
    );
    expect(consoleEntries.map(({ text }) => text)).toEqual(['read']);
    expect(omitted).toEqual({ ...NOTHING_OMITTED, malformedLines: 5 });
  });
});
