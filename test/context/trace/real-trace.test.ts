import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConsoleEntry, NetworkRequest } from '#shared/context/trace/trace-items.ts';
import { CHROMIUM, makeTrace } from '#test/samples/traces/make-trace.ts';
import { analysisOf, NOTHING_OMITTED, readArchive } from './recordings.ts';

const FOLDER = join(import.meta.dirname, '../../samples/traces');

interface Analysis {
  readonly consoleEntries: readonly ConsoleEntry[];
  readonly networkRequests: readonly NetworkRequest[];
}

const committed = () => readFile(join(FOLDER, 'trace.zip'));
const checked = async (): Promise<Analysis> => JSON.parse(await readFile(join(FOLDER, 'reading.json'), 'utf8'));

/** Removes everything that differs between test runs: times, ports, and the order of concurrent events. */
function timeless({ consoleEntries, networkRequests }: Analysis): readonly string[] {
  const entries = consoleEntries.map(({ messageType, text, location }) => ({ messageType, text, location }));
  const requests = networkRequests.map(({ method, url, status }) => ({ method, url, status }));
  return [...entries, ...requests].map((one) => JSON.stringify(one).replaceAll(/127\.0\.0\.1:\d+/g, 'shop')).sort();
}

describe('A trace of Playwright 1.65', () => {
  test('The trace of a real test run yields the console entries and network requests that were verified by hand', async () => {
    expect(await readArchive(await committed())).toEqual({
      kind: 'read',
      analysis: await checked(),
      omitted: NOTHING_OMITTED,
    });
  });

  test('The analysis of a real trace shows requests without credentials, headers or bodies', async () => {
    const trace = await committed();
    const reading = JSON.stringify(await readArchive(trace));
    for (const secret of ['s3cret', 'tester', 'card 4111', 'HeadlessChrome']) expect(reading).not.toContain(secret);
  });

  test.skipIf(!existsSync(CHROMIUM))(
    'A new trace of a real browser gives the same result as the committed trace, apart from times, ports and order (needs Chromium)',
    async () => {
      const began = Date.now();
      const trace = await makeTrace();
      const ended = Date.now();
      const { omitted, ...analysis } = await analysisOf(trace);
      expect(omitted).toEqual(NOTHING_OMITTED);
      expect(timeless(analysis)).toEqual(timeless(await checked()));
      for (const { time } of [...analysis.consoleEntries, ...analysis.networkRequests]) {
        expect(time).toBeGreaterThanOrEqual(began);
        expect(time).toBeLessThanOrEqual(ended);
      }
    },
  );
});
