import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pack } from '#shared/engine/table/packed.ts';
import { anyCharacter } from '#test/harness/any-character.ts';
import { cases } from '#test/harness/cases.ts';
import { noise } from '#test/harness/noise.ts';
import { merged } from './archives.ts';
import { analysisOf, asked, begin, EPOCH, NOTHING_OMITTED, said } from './recordings.ts';

const ENTRIES = 100;
const REQUESTS = 200;

interface ConsoleItem {
  readonly time: number;
  readonly isProblem: boolean;
}

/** Reference implementation: drops the earliest of the least important items until the remaining items fit. */
function chosen(all: readonly ConsoleItem[], room: number): number[] {
  const left = all.map((item, number) => ({ ...item, number })).sort((one, other) => one.time - other.time);
  while (left.length > room) {
    const next = left.findIndex(({ isProblem }) => !isProblem);
    left.splice(Math.max(next, 0), 1);
  }
  return left.map(({ number }) => number);
}

const entries = (maxLength: number) =>
  fc.array(fc.record({ time: fc.nat({ max: 500 }), isProblem: fc.boolean() }), { maxLength, size: 'max' });

describe('An analysis beyond its limits:', () => {
  test('If there are too many console entries, errors and warnings are kept first, then the latest entries, and the omitted entries are counted', async () => {
    await fc.assert(
      fc.asyncProperty(entries(350), fc.constantFrom('error', 'warning', 'assert'), async (all, problem) => {
        const lines = all.map(({ time, isProblem }, number) =>
          said(String(number), { time, messageType: isProblem ? problem : 'info' }),
        );
        const { consoleEntries, omitted } = await analysisOf(merged({ 'test.trace': begin() + lines.join('') }));
        expect(consoleEntries.map(({ text }) => Number(text))).toEqual(chosen(all, ENTRIES));
        expect(omitted.consoleEntries).toBe(Math.max(0, all.length - ENTRIES));
      }),
      { numRuns: cases(60) },
    );
  });

  test('If there are too many requests, failed and unanswered requests are kept first, and then the latest requests', async () => {
    await fc.assert(
      fc.asyncProperty(entries(650), fc.constantFrom(-1, 0, 400, 404, 503), async (all, failure) => {
        const lines = all.map(({ time, isProblem }, number) =>
          asked(`http://shop.example/${number}`, { time, status: isProblem ? failure : 302 }),
        );
        const { networkRequests, omitted } = await analysisOf(merged({ 'test.trace': begin() + lines.join('') }));
        const numbers = networkRequests.map(({ url }) => Number(url.slice('http://shop.example/'.length)));
        expect(numbers).toEqual(chosen(all, REQUESTS));
        expect(omitted.networkRequests).toBe(Math.max(0, all.length - REQUESTS));
      }),
      { numRuns: cases(40) },
    );
  });

  test('The least important console entries are dropped until the total length of all texts is within the limit', async () => {
    const texts = Array.from({ length: 60 }, (_, number) => `${number} ${'x'.repeat(1990)}`);
    const lines = texts.map((text, number) => said(text, { time: number, messageType: number < 5 ? 'error' : 'log' }));
    const { consoleEntries, omitted } = await analysisOf(merged({ 'test.trace': begin() + lines.join('') }));
    const numbers = consoleEntries.map(({ time }) => time - EPOCH);
    const latest = Array.from({ length: numbers.length - 5 }, (_, index) => 60 - (numbers.length - 5) + index);
    expect(numbers).toEqual([0, 1, 2, 3, 4, ...latest]);
    expect(numbers.length).toBeGreaterThan(25);
    expect(numbers.length + omitted.consoleEntries).toBe(60);
  });

  test('The kept console entries and network requests of a trace fit into one DynamoDB item even if they cannot be compressed', async () => {
    const noisy = (characters: number) =>
      noise(characters * 2)
        .toString('utf16le')
        .toWellFormed();
    const entries = Array.from({ length: ENTRIES }, () => said(noisy(2048), { location: { url: noisy(1024) } }));
    const requests = Array.from({ length: REQUESTS }, () => asked(`http://shop.example/${noisy(1024)}`));
    const { consoleEntries, networkRequests } = await analysisOf(
      merged({ 'test.trace': [begin(), ...entries, ...requests].join('') }),
    );
    expect(pack({ consoleEntries, networkRequests }).length).toBeLessThan(350_000);
  });
});

describe('A long text', () => {
  const shown = async (text: string, url = '') => {
    const { consoleEntries, omitted } = await analysisOf(
      merged({ 'test.trace': begin() + said(text, { args: [], location: { url } }) }),
    );
    return { text: consoleEntries[0]?.text ?? '', url: consoleEntries[0]?.location.url, shortened: omitted.shortened };
  };

  test('A console text is cut at 2,048 characters and its URL at 1,024, and the shortened entries are counted', async () => {
    expect(await shown('a'.repeat(2048), 'b'.repeat(1024))).toMatchObject({ shortened: 0 });
    const cut = { text: 'a'.repeat(2048), url: 'b'.repeat(1024), shortened: 1 };
    expect(await shown('a'.repeat(2049), 'b'.repeat(1025))).toEqual(cut);
  });

  test('A long console text is cut between characters, and never inside a surrogate pair', async () => {
    const faces = '\u{1f600}'.repeat(1500);
    expect((await shown(faces)).text).toBe('\u{1f600}'.repeat(1024));
    expect((await shown(`a${faces}`)).text).toBe(`a${'\u{1f600}'.repeat(1023)}`);
  });

  test('A console text is well-formed Unicode even if the trace contains lone surrogates', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 30 }), async (end) => {
        const text = `${'a'.repeat(2030)}${end}\ud83d`;
        const { text: kept } = await shown(text);
        expect(kept.isWellFormed()).toBe(true);
        expect(text.toWellFormed().startsWith(kept)).toBe(true);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(text.length, 2047));
        expect(kept.length).toBeLessThanOrEqual(2048);
      }),
      { numRuns: cases(100) },
    );
  });
});

describe('Credentials in a URL', () => {
  test.each([
    ['http://tester:s3cret@shop.example/a?b#c', 'http://shop.example/a?b#c'],
    ['https://s3cret@shop.example:8443', 'https://shop.example:8443'],
    ['https://tester:s3@cret@shop.example/@a', 'https://shop.example/@a'],
    ["wss://tester:s3'cret,(@[::1]:80/", 'wss://[::1]:80/'],
    ['http://shop.example/mail/me@shop.example', 'http://shop.example/mail/me@shop.example'],
    ['http://shop.example?to=me@shop.example', 'http://shop.example?to=me@shop.example'],
  ])('The URL %s is shown without credentials in requests, locations and texts', async (address, shown) => {
    const entry = said(`GET "${address}" failed`, { location: { url: address } });
    const { consoleEntries, networkRequests } = await analysisOf(
      merged({ 'test.trace': begin() + entry + asked(address) }),
    );
    expect(networkRequests[0]?.url).toBe(shown);
    expect(consoleEntries[0]).toMatchObject({ text: `GET "${shown}" failed`, location: { url: shown } });
  });

  test('Email addresses are not mistaken for credentials in a URL, and are not removed from texts', async () => {
    const text = '{"shop":"https://shop.example","by":"me@shop.example"} http://shop.example by me@shop.example';
    const { consoleEntries, omitted } = await analysisOf(merged({ 'test.trace': begin() + said(text) }));
    expect(consoleEntries[0]?.text).toBe(text);
    expect(omitted).toEqual(NOTHING_OMITTED);
  });

  test('are removed before the text around the URL is cut', async () => {
    const before = 'a'.repeat(2031);
    const { consoleEntries } = await analysisOf(
      merged({ 'test.trace': begin() + said(`${before} http://tester:s3cret@shop.example/`) }),
    );
    expect(consoleEntries[0]?.text).toBe(`${before} http://shop.example/`.slice(0, 2048));
  });
});
