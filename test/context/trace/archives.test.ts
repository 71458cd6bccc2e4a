import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { archive, endOf, type Member, merged } from './archives.ts';
import { analysisOf, asked, begin, readArchive, said } from './recordings.ts';

const TRACE = 'test.trace';
const EVENTS = begin() + said('read');
const EVENT_FILE: Member = { name: TRACE, content: EVENTS };
const noise = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 7919) % 251));

const textsOf = async (bytes: Uint8Array): Promise<string[]> =>
  (await analysisOf(bytes)).consoleEntries.map(({ text }) => text);
const textsIn = (...members: Member[]): Promise<string[]> => textsOf(archive(members));
const refusalOf = async (bytes: Uint8Array): Promise<string> => {
  const reading = await readArchive(bytes);
  return reading.kind === 'refused' ? reading.reason : reading.kind;
};
const refusalIn = (...members: Member[]): Promise<string> => refusalOf(archive(members));

describe('A readable trace archive', () => {
  test.each(['header', 'descriptor', 'zip64', 'zip64 descriptor'] as const)(
    'A trace archive may have the sizes of its entries in any place that the ZIP format allows: %s',
    async (sizes) => {
      const picture: Member = { name: 'resources/picture.jpeg', content: noise(70_000), sizes };
      expect(await textsIn(picture, { ...EVENT_FILE, sizes }, { ...picture, method: 0 })).toEqual(['read']);
      expect(await textsIn({ ...EVENT_FILE, sizes, method: 0 })).toEqual(['read']);
    },
  );

  test('A trace archive may have a comment and the ZIP64 end record for more than 65,535 entries', async () => {
    const small = archive([EVENT_FILE]);
    const before = small.subarray(0, small.length - 22);
    const record = Buffer.concat([Buffer.from('PK\x06\x06\x2c\x00\x00\x00\x00\x00\x00\x00'), Buffer.alloc(44)]);
    const locator = Buffer.concat([Buffer.from('PK\x06\x07'), Buffer.alloc(16)]);
    const end = endOf(1, 0, 0, 'a comment');
    expect(await textsOf(Buffer.concat([before, record, locator, end]))).toEqual(['read']);
  });

  test('A trace archive may contain other archives, such as files that a tested page fetched, and these are not opened', async () => {
    const inner = merged({ [TRACE]: begin() + said('of the inner archive'), 'inner-noise': noise(90_000) });
    const stored: Member = { name: 'resources/workbook.zip', content: inner, method: 0, sizes: 'descriptor' };
    const deflated: Member = { ...stored, method: 8, compressed: deflateRawSync(inner, { level: 0 }) };
    expect(await textsIn(stored, deflated, { ...EVENT_FILE, sizes: 'descriptor' })).toEqual(['read']);
  });

  test('A trace archive may contain zip signatures inside the bytes of an entry', async () => {
    const marks = Buffer.concat([Buffer.from('PK\x07\x08PK\x03\x04PK\x01\x02'.repeat(20_000)), noise(40)]);
    const entry: Member = { name: 'attachments/marks', content: marks, method: 0, sizes: 'descriptor' };
    expect(await textsIn(entry, { ...EVENT_FILE, sizes: 'descriptor' })).toEqual(['read']);
  });

  test('A trace archive may have entries that are encrypted or use an unsupported compression method, if these entries contain no events', async () => {
    const secret: Member = { name: 'resources/secret', content: noise(99), encrypted: true };
    const other: Member = { name: 'resources/other', content: noise(99), method: 99 };
    expect(await textsIn(secret, other, EVENT_FILE)).toEqual(['read']);
  });

  test('If two entries of a trace archive have the same name, only the first one is read', async () => {
    expect(await textsIn(EVENT_FILE, { name: TRACE, content: begin() + said('again') })).toEqual(['read']);
  });

  test('A trace archive may contain other files, because only event files at its top level are read', async () => {
    const others = ['../test.trace', 'resources/0-trace.trace', '/etc/test.trace', 'test.trace.txt', 'trace', '.trace'];
    const members = [...others, `${'x'.repeat(60_000)}.trace`].map((name) => ({ name, content: EVENTS }));
    expect(await refusalIn(...members)).toBe('noTrace');
    expect(await textsIn(...members, EVENT_FILE)).toEqual(['read']);
  });

  test('A trace archive may have a separate file with the network requests of each recording', async () => {
    const { networkRequests } = await analysisOf(
      merged({ '0-trace.trace': begin(), '0-trace.network': asked('http://shop.example/prices') }),
    );
    expect(networkRequests.map(({ url }) => url)).toEqual(['http://shop.example/prices']);
  });
});

describe('An unreadable trace archive', () => {
  test('A file that is empty, plain text, or an archive with bytes before its first entry is refused', async () => {
    expect(await refusalOf(Buffer.alloc(0))).toBe('notZip');
    expect(await refusalOf(Buffer.from('<html>404</html>'))).toBe('notZip');
    expect(await refusalOf(Buffer.concat([Buffer.from('#!/bin/sh\n'), archive([EVENT_FILE])]))).toBe('notZip');
  });

  test('An archive without a trace is refused', async () => {
    expect(await refusalIn()).toBe('noTrace');
    expect(await refusalIn({ name: 'report.jsonl', content: '{}' })).toBe('noTrace');
    expect(await refusalIn({ name: TRACE, content: '' })).toBe('noTrace');
  });

  test('A truncated archive is refused, wherever it is cut off', async () => {
    const whole = archive([
      EVENT_FILE,
      { name: 'resources/a', content: noise(80), sizes: 'descriptor' },
      { name: '0-trace.network', content: asked('http://shop.example/'), sizes: 'zip64' },
      { name: '0-trace.trace', content: EVENTS, sizes: 'zip64 descriptor', method: 0 },
    ]);
    const lengths = Array.from({ length: whole.length - 1 }, (_, before) => before + 1);
    for (const length of sampled(lengths, 3))
      expect([length, await refusalOf(whole.subarray(0, length))]).toEqual([length, 'truncated']);
    expect(await textsOf(whole)).toEqual(['read', 'read']);
  });

  test('An archive whose events are encrypted or use an unknown compression method is refused', async () => {
    expect(await refusalIn({ ...EVENT_FILE, encrypted: true })).toBe('encrypted');
    expect(await refusalIn({ ...EVENT_FILE, method: 99 })).toBe('unknownMethod');
  });

  test('An archive whose events cannot be decompressed or whose compressed events are truncated is refused', async () => {
    const packed = deflateRawSync(EVENTS.repeat(50));
    expect(await refusalIn({ ...EVENT_FILE, compressed: Buffer.alloc(50, 0xff) })).toBe('damaged');
    for (const missing of [1, 7, packed.length - 1])
      expect(await refusalIn({ ...EVENT_FILE, compressed: packed.subarray(0, packed.length - missing) })).toBe(
        'damaged',
      );
  });

  test('An archive with a wrong declared size is refused', async () => {
    const resource: Member = { name: 'resources/a', content: noise(300) };
    for (const claimedBytes of [0, 1, 299, 301, 340])
      expect(await refusalIn({ ...resource, claimedBytes, method: 0 }, EVENT_FILE)).toBe('damaged');
    expect(await refusalIn({ ...resource, claimedBytes: 10 ** 9 }, EVENT_FILE)).toBe('truncated');
    // The ZIP64 extra field, which should hold the 64-bit sizes, is missing or incomplete.
    for (const extra of ['', '\x01', '\x01\x00\x04\x00abcd', '\x07\x00\x04\x00abcd', '\x07\x00\xff\xffabcd'])
      expect(
        await refusalIn({ ...resource, claimedBytes: 0xffffffff, extra: Buffer.from(extra, 'latin1') }, EVENT_FILE),
      ).toBe('damaged');
  });

  test('An archive with bytes after its end, or with a directory that does not match its entries, is refused', async () => {
    const whole = archive([EVENT_FILE]);
    const two = archive([EVENT_FILE, { name: 'a', content: 'b' }]);
    const directory = two.indexOf('PK\x01\x02');
    const second = two.indexOf('PK\x01\x02', directory + 1);
    expect(await refusalOf(Buffer.concat([whole, Buffer.alloc(1)]))).toBe('damaged');
    expect(await refusalOf(Buffer.concat([whole, whole]))).toBe('damaged');
    expect(await refusalOf(Buffer.concat([two.subarray(0, directory), two.subarray(second)]))).toBe('damaged');
    expect(await refusalOf(Buffer.concat([two.subarray(0, second), two.subarray(directory)]))).toBe('damaged');
    expect(await refusalOf(Buffer.concat([two.subarray(0, second), whole]))).toBe('damaged');
  });
});
