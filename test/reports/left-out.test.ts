import { describe, expect, test } from 'vitest';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { archive } from '#test/context/trace/archives.ts';
import { parseAll, parseBytes } from './samples.ts';

const naming = (...files: readonly string[]): string =>
  `<testsuite name="s"><testcase name="pays" classname="s"><system-out>${files
    .map((file) => `[[ATTACHMENT|${file}]]`)
    .join('\n')}</system-out></testcase></testsuite>`;

const warningsOf = async (bytes: Uint8Array | string): Promise<string[]> =>
  (await parseBytes(bytes)).warnings.map(({ message }) => message);

describe('The warnings of a report', () => {
  test('mention attachments that the report names but does not contain, and there is no warning if none are missing', async () => {
    const report = naming('a.png');
    expect(await warningsOf(report)).toEqual([
      'The report names attachments that it does not contain. Send a zip of the report and its files to keep them',
    ]);
    const whole = archive([
      { name: 'a.xml', content: report },
      { name: 'a.png', content: 'png' },
    ]);
    expect(await warningsOf(whole)).toEqual([]);
  });

  test('count the files in an archive that no report names, and list the first of them', async () => {
    const extra = Array.from({ length: 7 }, (_, index) => ({ name: `out/${index}.html`, content: 'page' }));
    const zip = archive([{ name: 'a.xml', content: naming('a.png') }, { name: 'a.png', content: 'png' }, ...extra]);
    expect(await warningsOf(zip)).toEqual([
      '7 files are left out, because no report names them: out/0.html, out/1.html, out/2.html, out/3.html, out/4.html and 2 more',
    ]);
  });

  test('list the first attachments that exceed the maximum number per report, and count the rest', async () => {
    const names = Array.from({ length: 2 * REPORT_LIMITS.leftOutNames }, (_, index) => `${index}.txt`);
    const tests = Array.from({ length: REPORT_LIMITS.filesPerReport / names.length + 1 }, (_, index) =>
      naming(...names).replace('name="pays"', `name="pays ${index}"`),
    );
    const zip = archive([{ name: 'a.xml', content: tests.join('') }, ...names.map((name) => ({ name, content: 'x' }))]);
    const [file] = await parseAll(zip);
    expect(file?.files).toHaveLength(REPORT_LIMITS.filesPerReport);
    const messages = file?.warnings.map(({ message }) => message) ?? [];
    expect(messages).toHaveLength(REPORT_LIMITS.leftOutNames + 1);
    expect(messages[0]).toBe('The attachment "0.txt" of s is left out: a report may have at most 2,000 attachments');
    expect(messages.at(-1)).toBe('Further attachments left out: 20');
  });

  test('list the attachments that exceed the maximum total size of all attachments', async () => {
    const { attachmentBytes, attachmentsBytes } = REPORT_LIMITS;
    const content = Buffer.alloc(attachmentBytes);
    const fits = attachmentsBytes / attachmentBytes;
    for (const [number, warnings] of [
      [fits, []],
      [
        fits + 1,
        [
          'The attachment "a.log" of s is left out: all attachments of a report may have at most 1,073,741,824 bytes together',
        ],
      ],
    ] as const) {
      const names = Array.from({ length: number }, () => 'a.log');
      const zip = archive([
        { name: 'a.xml', content: naming(...names) },
        { name: 'a.log', content },
      ]);
      const [file] = await parseAll(zip);
      expect(file?.files).toHaveLength(fits);
      expect(file?.warnings.map(({ message }) => message)).toEqual(warnings);
    }
  });

  test('count the reports that exceed the maximum number per archive', async () => {
    const reports = Array.from({ length: REPORT_LIMITS.filesPerArchive + 2 }, (_, index) => ({
      name: `${index}.xml`,
      content: '<testsuite/>',
    }));
    const files = await parseAll(archive(reports));
    expect(files).toHaveLength(REPORT_LIMITS.filesPerArchive);
    expect(files[0]?.warnings.map(({ message }) => message)).toEqual([
      '2 report files are left out. An archive may have at most 1000 reports and 100000 tests. Split it',
    ]);
  });

  test('name an archive that is left out because it is nested inside two others', async () => {
    const inner = archive([{ name: 'c.xml', content: naming() }]);
    const middle = archive([
      { name: 'b.xml', content: naming() },
      { name: 'inner.zip', content: inner },
    ]);
    const zip = archive([{ name: 'middle.zip', content: middle }]);
    expect(await warningsOf(zip)).toEqual([
      expect.stringContaining('inner.zip is left out: The file "inner.zip" is an archive nested inside two others'),
    ]);
  });
});
