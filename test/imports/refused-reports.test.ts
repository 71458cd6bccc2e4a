import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { FORMAT_NAMES } from '#shared/model/runs/report-format.ts';
import { archive } from '#test/context/trace/archives.ts';
import { attack } from '#test/harness/attacks.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { gzipOf, repeated } from './repeated-content.ts';
import { junit, linked, sendReport } from './reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

const REPORT = junit({ 'cart.test.ts': { sums: 'passed' } });
const zip = (...members: Parameters<typeof archive>[0]): Buffer => archive(members);
const damaged = Buffer.concat([gzipSync(REPORT).subarray(0, 20), Buffer.alloc(200, 0xff), Buffer.alloc(4)]);
const MEGABYTE = 1024 * 1024;

const UNKNOWN: readonly (readonly [string, string | Buffer, string])[] = [
  ['an empty file', '', '"a.xml" is empty. Check that the tests ran and wrote their report'],
  ['an empty file in gzip', gzipSync(''), '"a.xml" is empty'],
  ['the login page of a proxy', '<!DOCTYPE html><html><body>Sign in</body></html>', 'is an HTML page, which is not'],
  ['the report of another tool', '<checkstyle version="4"/>', 'Send the report of the test results'],
  ['a zip without a report', zip({ name: 'a.txt', content: 'x' }), 'is not a known test report'],
  ['an empty zip', zip(), 'is not a known test report'],
];

const UNREADABLE: readonly (readonly [string, string | Buffer, string, string])[] = [
  ['a damaged gzip file', damaged, '', 'cannot be decompressed'],
  ['a PDF that is called XML', Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>'), '', 'begins with other text'],
  ['a zip inside gzip', gzipSync(zip({ name: 'a.xml', content: REPORT })), '', 'is a zip archive inside a'],
  ['a zip with a path outside it', zip({ name: '../a.xml', content: REPORT }), '', 'contains a path with ".."'],
  ['an encrypted zip', zip({ name: 'a.xml', content: REPORT, encrypted: true }), '', 'is encrypted'],
  ['a zip without its end', zip({ name: 'a.xml', content: REPORT }).subarray(0, -30), '', 'is a truncated zip archive'],
  [
    'a zip with another compression method',
    zip({ name: 'a.xml', content: REPORT, method: 12 }),
    '',
    'other than Deflate',
  ],
  ['a text that is called JUnit', 'all passed', 'format=junit', 'has no XML element'],
  ['a JUnit file that is called CTRF', REPORT, 'format=ctrf', 'is not valid JSON'],
  ['a JUnit file that is called Playwright', REPORT, 'format=playwright-json', 'is not valid JSON'],
  ['a JUnit file that is called a blob', REPORT, 'format=playwright-blob', 'is not a blob report'],
];

const rows = [
  ...UNKNOWN.map(([what, content, problem]) => [what, content, '', problem, 'UNKNOWN_REPORT'] as const),
  ...UNREADABLE.map((row) => [...row, 'UNREADABLE_REPORT'] as const),
];

let shared: ReturnType<typeof service> | undefined;
/** An organization that these tests share. Their imports are all refused, so it must stay without runs. */
const organization = () => (shared ??= service());

describe('An import of an unusable file is refused with the problem and the accepted formats:', () => {
  test.each(rows)('%s', async (_, content, query, problem, code) => {
    const tenant = await organization();
    const sent = Uint8Array.from(Buffer.from(content));
    attack('damaged reports');
    const { status, body } = await sendReport(tenant, sent, `ciBuildId=b1&name=a.xml&${query}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { status: 'FAILED', code } });
    expect(body.error).toContain(problem);
    expect(body.error).toContain(`Accepted formats: ${FORMAT_NAMES}`);
    const { body: runs } = await tenant.api.get(`/projects/${tenant.projectId}/runs`);
    expect(runs.data).toEqual([]);
  });
});

describe('A file that decompresses beyond the limit', () => {
  const bomb = Uint8Array.from(gzipOf({ begin: '<testsuites>', block: Buffer.alloc(MEGABYTE, ' '), times: 251 }));

  test('A dry run responds with 413 to a file that decompresses beyond the limit', async () => {
    const tenant = await service();
    const { status, body } = await sendReport(tenant, bomb, 'dryRun=true&name=bomb.xml.gz');
    expect({ status, body }).toMatchObject({ status: 413, body: { code: 'REPORT_TOO_LARGE' } });
    expect(body.error).toContain('Send a part of the report, or import it without dryRun');
  });

  test('The import of a file that decompresses beyond the limit is refused in the background, and says why', async () => {
    const tenant = await service();
    const { importId } = await linked(tenant, bomb, '');
    await expect.poll(async () => (await read(tenant.api, `/imports/${importId}`)).state).toBe('refused');
    const { problem, files } = await read(tenant.api, `/imports/${importId}`);
    expect(problem).toBe('The file decompresses to more than 200 times its size. Send it uncompressed');
    expect(files).toEqual([]);
  });

  test('An archive that decompresses beyond the limit of a request is imported in the background, and no report is lost', async () => {
    const tenant = await service();
    const filler = Array.from({ length: 900 }, () => `<!-- ${crypto.randomUUID()}${' '.repeat(1200)} -->`).join('');
    const large = (index: number) =>
      repeated({
        begin: junit({ [`part-${index}.test.ts`]: { sums: 'passed' } }),
        block: Buffer.from(filler),
        times: 10,
      });
    const members = [1, 2, 3].map((index) => ({ name: `${index}.xml`, ...large(index) }));
    const { body } = await sendReport(tenant, Uint8Array.from(zip(...members)), 'ciBuildId=b1');
    expect(body.data.state).toBe('waiting');
    const current = () => read(tenant.api, `/imports/${body.data.importId}`);
    await expect.poll(async () => (await current()).state).toBe('recorded');
    expect((await current()).files).toMatchObject([1, 2, 3].map((index) => ({ name: `${index}.xml`, warnings: [] })));
  });
});
