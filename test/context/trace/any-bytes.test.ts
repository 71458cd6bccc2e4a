import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readTrace } from '#shared/context/trace/analyse-trace.ts';
import { mutated } from '#test/engine/http/hostile.ts';
import { cases } from '#test/harness/cases.ts';
import { archive, merged } from './archives.ts';
import { asked, begin, readArchive, said } from './recordings.ts';

const committed = await readFile(join(import.meta.dirname, '../../samples/traces/trace.zip'));
const SMALL = archive([
  { name: '0-trace.trace', content: begin() + said('a') + said('b', { messageType: 'error' }), sizes: 'descriptor' },
  { name: 'resources/a', content: 'a'.repeat(60), method: 0, sizes: 'zip64 descriptor' },
  { name: '0-trace.network', content: asked('http://shop.example/'), sizes: 'zip64' },
]);

const Location = z.strictObject({ url: z.string(), lineNumber: z.int(), columnNumber: z.int() });
const Entry = z.strictObject({ time: z.int(), messageType: z.string(), text: z.string(), location: Location });
const Request = z.strictObject({ time: z.int(), url: z.string(), status: z.int(), method: z.string() });
const Omitted = z.strictObject({
  consoleEntries: z.int(),
  networkRequests: z.int(),
  shortened: z.int(),
  malformedLines: z.int(),
  overlongLines: z.int(),
});
const Reading = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('read'),
    analysis: z.strictObject({ consoleEntries: z.array(Entry), networkRequests: z.array(Request) }),
    omitted: Omitted,
  }),
  z.strictObject({
    kind: z.literal('refused'),
    reason: z.enum([
      'notZip',
      'truncated',
      'damaged',
      'encrypted',
      'unknownMethod',
      'noTrace',
      'unknownVersion',
      'tooLarge',
      'tooManyEntries',
      'inflatesTooFar',
      'tooSlow',
    ]),
    detail: z.string().min(1),
  }),
]);

describe('Arbitrary bytes:', () => {
  test('The analysis of a trace does not depend on the sizes of the chunks in which the trace is read', async () => {
    for (const bytes of [committed, SMALL]) {
      const whole = await readArchive(bytes, bytes.length);
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(fc.nat({ max: bytes.length }), { maxLength: 300 }), async (cuts) => {
          const ends = [...cuts.sort((one, other) => one - other), bytes.length];
          const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
          expect(await readTrace(one(chunks), () => 0)).toEqual(whole);
        }),
        { numRuns: cases(60, 30) },
      );
      for (const chunkBytes of [1, 2, 3, 7, 1000]) expect(await readArchive(bytes, chunkBytes)).toEqual(whole);
    }
  });

  test('Random bytes are read as a trace or refused, but never cause an exception', async () => {
    const beginnings = ['', 'PK\x03\x04', 'PK\x05\x06', 'PK\x01\x02', 'PK\x07\x08', 'PK\x06\x06'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...beginnings),
        fc.uint8Array({ maxLength: 400 }),
        fc.integer({ min: 1, max: 64 }),
        async (beginning, rest, chunkBytes) => {
          const bytes = Buffer.concat([Buffer.from(beginning, 'latin1'), rest]);
          Reading.parse(await readArchive(bytes, chunkBytes));
        },
      ),
      { numRuns: cases(2000, 1000) },
    );
  });

  test('A trace with changed, missing or added bytes is read or refused, but never causes an exception', async () => {
    const change = fc.record({
      at: fc.nat({ max: SMALL.length - 1 }),
      taken: fc.nat({ max: 4 }),
      put: fc.uint8Array({ maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = changes.reduce<Buffer>(
          (all, { at, taken, put }) => Buffer.concat([all.subarray(0, at), put, all.subarray(at + taken)]),
          SMALL,
        );
        Reading.parse(await readArchive(bytes));
      }),
      { numRuns: cases(1000, 500) },
    );
  });

  test('Trace events with arbitrary values result in a valid analysis or in a refusal', async () => {
    const events = [begin(), said('a'), asked('http://shop.example/')].map((line) => z.json().parse(JSON.parse(line)));
    const [beginning, entry, request] = z
      .tuple([z.looseObject({}), z.looseObject({}), z.looseObject({})])
      .parse(events);
    await fc.assert(
      fc.asyncProperty(mutated(beginning), mutated(entry), mutated(request), async (...odd) => {
        const lines = odd.map((event) => `${JSON.stringify(event) ?? ''}\n`);
        Reading.parse(
          await readArchive(merged({ 'a.trace': lines.join(''), 'b.trace': begin() + lines.slice(1).join('') })),
        );
      }),
      { numRuns: cases(300, 150) },
    );
  });
});

async function* one(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
