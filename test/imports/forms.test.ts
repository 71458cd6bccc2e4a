import { beforeEach, describe, expect, test, vi } from 'vitest';
import { REPORT_FORMATS } from '#shared/model/runs/report-format.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { CORPUS } from '#test/reports/corpus.ts';
import { FORMAT_SAMPLES, formatSample } from '#test/reports/formats.ts';
import { sampleFile } from '#test/reports/sources.ts';
import { junit, sendReport } from './reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

type Part = readonly [field: string, content: string | Uint8Array<ArrayBuffer>, fileName?: string];

/** Sends a form as `curl -F` does, with a new boundary each time. */
async function sendForm(tenant: Tenant, parts: readonly Part[], query = 'ciBuildId=b1') {
  const form = new FormData();
  for (const [field, content, fileName] of parts) {
    if (fileName === undefined) form.append(field, String(content));
    else form.append(field, new Blob([content]), fileName);
  }
  const request = new Response(form);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  return sendReport(tenant, new Uint8Array(await request.arrayBuffer()), query, headers);
}

const CART = junit({ 'cart.test.ts': { sums: 'passed' } });
const PRICE = junit({ 'price.test.ts': { rounds: 'failed' } });

/** Samples of the own formats of tools: XML, lines, JSON and a folder. */
const OWN_FORMATS: ReadonlySet<string> = new Set([
  'trx-xunit-2.4-vstest.trx',
  'go-test-json-1.26.8.jsonl',
  'mocha-json-10.8.2.json',
  'allure-pytest-2.16.2.zip',
]);

describe('An import by a form', () => {
  test('A form with one file is imported under the name of that file, and sending the file again returns the same import', async () => {
    const tenant = await service();
    const first = await sendForm(tenant, [['file', CART, 'unit.xml']], '');
    expect(first).toMatchObject({
      status: 200,
      body: { data: { state: 'recorded', files: [{ name: 'unit.xml', tests: { overall: 1, passes: 1 } }] } },
    });
    const { importId, runId } = first.body.data;
    const again = await sendForm(tenant, [['report', CART, 'unit.xml']], '');
    expect(again.body.data).toMatchObject({ importId, runId });
  });

  test('A form with several files records them in one run, even if the files have the same name', async () => {
    const tenant = await service();
    const parts = (field: string): Part[] => [
      [field, CART, 'report.xml'],
      [field, PRICE, 'report.xml'],
    ];
    const { status, body } = await sendForm(tenant, parts('file'), '');
    expect(status).toBe(200);
    expect(body.data.files).toMatchObject([
      { name: 'report.xml', tests: { overall: 1, failures: 0 } },
      { name: '2/report.xml', tests: { overall: 1, failures: 1 } },
    ]);
    expect(await read(tenant.api, `/runs/${body.data.runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      groups: [{ tests: { overall: 2, passes: 1, failures: 1 } }],
    });
    expect((await sendForm(tenant, parts('data'), '')).body.data.runId).toBe(body.data.runId);
  });

  test('A form with a sample report of any supported format records as many tests as the report has', async () => {
    const tenant = await service();
    const named = REPORT_FORMATS.map((format) => CORPUS.find((one) => one.format === format));
    const samples = named.flatMap((one) => (one ? { ...one, bytes: sampleFile(one.report) } : []));
    const own = FORMAT_SAMPLES.filter(({ report }) => OWN_FORMATS.has(report)).map((one) => ({
      ...one,
      bytes: formatSample(one.report),
    }));
    for (const { report, tests, bytes } of [...samples, ...own]) {
      const part: Part = ['file', Uint8Array.from(await bytes), report];
      const { body } = await sendForm(tenant, [part], `ciBuildId=${report}&root=/project`);
      // A folder of results inside an archive is one report with the name of the folder.
      const name = report.startsWith('allure') ? 'allure-results' : report;
      expect(body.data.files, report).toMatchObject([{ name, tests: { overall: tests.length } }]);
    }
  });

  test.each([
    ['an empty file', [['file', '', 'a.xml']], 'The form has no file with content'],
    ['a text field', [['branch', 'main']], 'has the field "branch", which belongs in the query: ?branch=<value>'],
    ['a text field and a file', [['file', CART, 'a.xml'], ['sha', 'abc']], 'has the field "sha"'], // biome-ignore format: one row
    ['text instead of a file', [['file', CART]], 'The form has text instead of a file in the field "file"'],
  ] satisfies [string, Part[], string][])(
    'A form with %s is refused, and the error shows the correct curl commands',
    async (_, parts, problem) => {
      const tenant = await service();
      const { status, body } = await sendForm(tenant, parts);
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'UNREADABLE_FORM' } });
      expect(body.error).toContain(problem);
      expect(body.error).toContain('curl -F file=@junit.xml');
      expect(body.error).toContain('curl --data-binary @junit.xml');
    },
  );

  test('A form is refused if its body ends early or has more than 1,000 files, but not for a wrong content type', async () => {
    const tenant = await service();
    const boundary = '------------------------4e5a';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a.xml"\r\n\r\n`;
    const sent = async (body: string) => (await sendReport(tenant, body)).body.error;
    expect(await sent(head + CART)).toContain('The form is damaged');
    expect(await sent(`${`${head}x\r\n`.repeat(1001)}--${boundary}--`)).toContain('more than 1000 files');
    // The content type may be wrong, for example with `curl -H 'Content-Type: text/xml' -F`.
    const { status } = await sendReport(tenant, `${head}${CART}\r\n--${boundary}--\r\n`, '', {
      'content-type': 'text/xml',
    });
    expect(status).toBe(200);
  });
});
