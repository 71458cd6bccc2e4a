import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildZip } from '#shared/engine/archives/stored-zip.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { imported, junit, sendReport } from './reports.ts';

const GOOD = junit({ 'cart.test.ts': { adds: 'passed' } });
const FOREIGN = '<?xml version="1.0"?><coverage line-rate="1"></coverage>';

type Files = Readonly<Record<string, string | Uint8Array>>;

const zipOf = (files: Files): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(buildZip(Object.entries(files).map(([name, content]) => ({ name, bytes: Buffer.from(content) }))));

async function formOf(files: Files): Promise<Uint8Array<ArrayBuffer>> {
  const form = new FormData();
  for (const [name, content] of Object.entries(files))
    form.append('file', new Blob([Uint8Array.from(Buffer.from(content))]), name);
  return new Uint8Array(await new Response(form).arrayBuffer());
}

const LOST: Readonly<Record<string, Files>> = {
  'an empty report': { 'crashed.xml': '' },
  'a report that ends in its declaration': { 'crashed.xml': '<?xml version="1.0" enc' },
  'a report that ends in its first tag': { 'crashed.xml': '<testsuites name="al' },
  'a JSON report that ends early': { 'crashed.json': '{"results": {"to' },
  'a report with other text': { 'crashed.xml': 'java.lang.OutOfMemoryError: Java heap space' },
  'a damaged compressed report': { 'crashed.xml': gzipSync(GOOD).fill(7, 12, 60) },
};

describe.each(['zip', 'form'] as const)('A good report in a %s', (way) => {
  const bodyOf = (files: Files) => (way === 'zip' ? zipOf(files) : formOf(files));

  test.each(Object.entries(LOST))(
    'A run whose good report comes with %s fails, and names the file',
    async (_, lost) => {
      const setting = await service();
      const [name] = Object.keys(lost);
      const { runId } = await imported(setting, await bodyOf({ 'good.xml': GOOD, ...lost }), 'ciBuildId=b');
      const run = await read(setting.api, `/runs/${runId}`);
      expect(run).toMatchObject({
        status: 'FAILED',
        completionState: 'COMPLETE',
        groups: [{ tests: { overall: 1, passes: 1 } }],
        problems: [
          { kind: 'unreadableFile', file: name, failsRun: true, message: expect.stringContaining(String(name)) },
        ],
      });
    },
  );

  test.each([
    ['a coverage report', { 'coverage.xml': FOREIGN }],
    ['a page', { 'index.html': '<!doctype html><html></html>' }],
    ['other JSON', { 'package.json': '{"name": "shop"}' }],
    ['an empty text', { 'log.txt': '' }],
  ])('A run whose good report comes with %s passes', async (_, others) => {
    const setting = await service();
    const { runId } = await imported(setting, await bodyOf({ 'good.xml': GOOD, ...others }), 'ciBuildId=b');
    const run = await read(setting.api, `/runs/${runId}`);
    expect({ status: run.status, problems: run.problems }).toEqual({ status: 'PASSED', problems: undefined });
  });
});

test('Files of a form without an ending are read as reports', async () => {
  const setting = await service();
  const other = junit({ 'tax.test.ts': { rounds: 'failed' } });
  const { runId } = await imported(setting, await formOf({ good: GOOD, other }), 'ciBuildId=b');
  expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({ groups: [{ tests: { overall: 2, failures: 1 } }] });
});

test('A form whose files are all empty is refused', async () => {
  const setting = await service();
  const body = await formOf({ 'a.xml': '', 'b.xml': '' });
  expect(await sendReport(setting, body)).toMatchObject({ status: 400, body: { code: 'UNREADABLE_FORM' } });
});

test('A request without a report can name files that could not be read, even after the run has passed', async () => {
  const setting = await service();
  const { runId } = await imported(setting, GOOD, 'ciBuildId=b');
  expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({ status: 'PASSED' });
  await imported(setting, '', 'ciBuildId=b&status=failed&unreadable[]=crashed.xml');
  expect(await read(setting.api, `/runs/${runId}`)).toMatchObject({
    status: 'FAILED',
    problems: [{ kind: 'unreadableFile', file: 'crashed.xml' }],
  });
});
