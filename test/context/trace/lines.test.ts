import { describe, expect, test } from 'vitest';
import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { merged } from './archives.ts';
import { analysisOf, asked, begin, EPOCH, NOTHING_OMITTED, readArchive, said } from './recordings.ts';

const analyse = async (...lines: (string | Buffer)[]) => {
  const parts = [begin(), ...lines].map((line) => Buffer.from(line));
  const { consoleEntries, networkRequests, omitted } = await analysisOf(merged({ 'test.trace': Buffer.concat(parts) }));
  return { texts: consoleEntries.map(({ text }) => text), urls: networkRequests.map(({ url }) => url), omitted };
};
const malformed = (malformedLines: number) => ({ ...NOTHING_OMITTED, malformedLines });
const overlong = (overlongLines: number) => ({ ...NOTHING_OMITTED, overlongLines });

describe('A trace line', () => {
  test('A trace line that is not a valid event is skipped and counted: garbage, other JSON or an incomplete event', async () => {
    const garbage = Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 31) % 256).filter((byte) => byte !== 10));
    const others = ['{"type":"console"', 'null', '[]', '"console"', '1e999', '{}', '{"type":7}', '{"type":"console"}'];
    const incomplete = [
      said('', { text: 1 }),
      said('', { messageType: null }),
      said('', { time: '2000' }),
      said('', { time: 9e15 - EPOCH }),
      asked('http://shop.example/', { status: 'ok' }),
      asked('http://shop.example/', { status: 200.5 }),
      asked('http://shop.example/', { time: 'later' }),
      asked('http://shop.example/', { method: 5 }),
      '{"type":"resource-snapshot","snapshot":null}\n',
      '{"type":"event","method":"pageError","params":{"error":{"value":1}}}\n',
    ];
    const lines = [garbage, '\n', ...others.map((line) => `${line}\n`), ...incomplete];
    expect(await analyse(...lines, said('read'))).toEqual({
      texts: ['read'],
      urls: [],
      omitted: malformed(1 + others.length + incomplete.length),
    });
  });

  test('A trace may have empty lines and events of other types, and its last line needs no line break', async () => {
    const other = ['{"type":"log","message":"a"}', '{"type":"frame-snapshot","snapshot":', '{"type":"of-tomorrow"}'];
    const lines = ['\n\n', ...other.map((line) => `${line}\n`), said('read').trimEnd()];
    expect(await analyse(...lines)).toEqual({ texts: ['read'], urls: [], omitted: NOTHING_OMITTED });
  });

  test('A trace line with properties named `__proto__` and `constructor` does not pollute the prototype of objects', async () => {
    const keys = '"__proto__":{"type":"console","polluted":1},"constructor":{"prototype":{"polluted":1}}';
    const lines = [`{${keys}}\n`, `{"type":"console",${keys}}\n`, said('read').replace('{', `{${keys},`)];
    expect(await analyse(...lines)).toEqual({ texts: ['read'], urls: [], omitted: malformed(2) });
    expect({}).not.toHaveProperty('polluted');
  });

  test('A trace line longer than 256 KiB is skipped, and counted unless the analysis ignores events of its type', async () => {
    const long = 'a'.repeat(256 * 1024);
    const lines = [said(long), `{"type":"frame-snapshot","snapshot":"${long}"}\n`, said('read')];
    expect(await analyse(...lines)).toEqual({ texts: ['read'], urls: [], omitted: overlong(1) });
  });

  test('A trace line with more than 10,000 values is skipped and counted, whether the values are nested or side by side', async () => {
    const deep = `{"type":"console","text":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`;
    const wide = `{"type":"console","text":[${'{},'.repeat(50_000)}0]}\n`;
    expect(await analyse(deep, wide, said('read'))).toEqual({ texts: ['read'], urls: [], omitted: overlong(2) });
  });

  test('is read even if its text contains many brackets and commas', async () => {
    const json = JSON.stringify(Array.from({ length: 6000 }, () => ({ '\\"': [',', '\\'] })));
    const { texts, omitted } = await analyse(said(json, { args: [] }));
    expect(texts).toEqual([json.slice(0, 2048)]);
    expect(omitted).toEqual({ ...NOTHING_OMITTED, shortened: 1 });
  });

  test('A trace line with values nested 9,000 levels deep is read', async () => {
    const nested = `${'['.repeat(9000)}${']'.repeat(9000)}`;
    expect((await analyse(said('read').replace('"args":[', `"args":[${nested},`))).texts).toEqual(['read']);
  });
});

test('A trace is split into its lines without empty lines, in whatever chunks its bytes arrive', async () => {
  const breaks = '\n'.repeat(50);
  const bytes = Buffer.from([begin(), said('one'), said('two'), said('three')].join(breaks));
  for (let size = 1; size < bytes.length; size += 7) {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line.toString()));
    for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
    splitter.end();
    expect(lines).toEqual(bytes.toString().split(/\n+/).filter(Boolean));
  }
});

test('A trace without any event is refused', async () => {
  const reading = await readArchive(merged({ 'test.trace': Buffer.alloc(5000, 0xfe) }));
  expect(reading).toMatchObject({ kind: 'refused', reason: 'noTrace' });
});
