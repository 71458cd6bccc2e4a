/** Files that once made the service hang. If parsing took quadratic time, each of them would take minutes. */
import { describe, expect, test } from 'vitest';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import { NOW, parseBytes, toldBy } from './samples.ts';
import { sourceOf } from './sources.ts';

const MANY = 1_000_000;
const mocha = (name: string, output = '') =>
  `<testsuites name="Mocha Tests"><testsuite name="a"><testcase name="${name}" classname="c">${output}</testcase></testsuite></testsuites>`;

describe('A file of repeated characters', () => {
  test.each([
    ['blanks', '<?x?>', ' '],
    ['declarations', '', '<?x?>'],
    ['comments', '', '<!---->'],
    ['open declarations', '', '<?'],
    ['open comments', '', '<!--'],
    ['open document types', '', '<!DOCTYPE a ['],
  ])(
    'A file with many %s is refused as a report in an unknown format, and does not hang the service',
    async (_, beginning, repeated) => {
      await expect(parseBytes(`${beginning}${repeated.repeat(MANY / 10)}x`)).rejects.toMatchObject({
        details: { code: 'UNKNOWN_REPORT' },
      });
    },
  );

  test('A file is parsed without hanging if it has a hook name with many unterminated quotations', async () => {
    const hook = '&quot;before all&quot; hook for &quot;'.repeat(MANY / 20);
    expect(toldBy(await parseBytes(mocha(`${hook}x`)))).toHaveLength(1);
  });

  test('A file is parsed without hanging if the output of a test has many unterminated attachment names', async () => {
    const output = `<system-out>${'&#13;[[ATTACHMENT|'.repeat(MANY / 10)}</system-out>`;
    expect(toldBy(await parseBytes(mocha('x', output)))).toHaveLength(1);
  });
});

test('A report is parsed without hanging if the root folder that the sender names ends with a million slashes', async () => {
  const tests = ['/r/a.js', '/r/b.js', '/other/c.js'].map((file) => `<testcase name="x" file="${file}"/>`).join('');
  const source = sourceOf(Buffer.from(`<testsuite name="s">${tests}</testsuite>`));
  const specs = async (root: string) =>
    toldBy((await parseReports(source, { name: 'a.xml', now: NOW, root }))[0] ?? expect.fail('no report')).map(
      ({ spec }) => spec,
    );
  expect(await specs(`/r${'/'.repeat(MANY)}`)).toEqual(['a.js', 'b.js', '/other/c.js']);
  expect(await specs(`/r${'/'.repeat(MANY)}x`)).toEqual(['/r/a.js', '/r/b.js', '/other/c.js']);
});
