import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { imported, junit, linked, manyTests, sendReport } from './reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

const recorded = async ({ api }: Pick<Tenant, 'api'>, importId: string) => {
  await expect.poll(async () => (await read(api, `/imports/${importId}`)).state).toBe('recorded');
  return read(api, `/imports/${importId}`);
};

describe('A large report', () => {
  test('is recorded in the background, and its import shows the progress and the run', async () => {
    const tenant = await service();
    const report = manyTests({ specs: 12, tests: 60 });
    const asked = await imported(tenant, report, 'ciBuildId=b1');
    expect(asked).toMatchObject({
      state: 'waiting',
      ciBuildId: 'b1',
      progress: { specs: { recorded: 0, overall: 12 }, tests: { recorded: 0, overall: 720 } },
      files: [{ tests: { overall: 720, failures: 12 } }],
    });
    const done = await recorded(tenant, asked.importId);
    expect(done).toMatchObject({
      runId: asked.runId,
      progress: { specs: { recorded: 12, overall: 12 }, tests: { recorded: 720, overall: 720 } },
    });
    expect(await read(tenant.api, `/runs/${asked.runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      status: 'FAILED',
      groups: [{ tests: { overall: 720, passes: 708, failures: 12 } }],
    });
    const again = await imported(tenant, report, 'ciBuildId=b1');
    expect(again.importId).toBe(asked.importId);
  });
});

describe('An import request', () => {
  const { bytes, work } = IMPORT_LIMITS.small;
  const padded = (size: number) => {
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    return `${report}${' '.repeat(size - report.length)}`;
  };
  const intricate = `<testsuites>${'<a/>'.repeat(work)}<testcase name="sums"/></testsuites>`;
  const tooLarge = {
    status: 413,
    body: { code: 'REPORT_TOO_LARGE', error: expect.stringContaining('or import it without dryRun') },
  };

  test('A dry run reads a report of up to 4 MiB, compressed or not, and refuses a larger one with the advice to import it without dryRun', async () => {
    const tenant = await service();
    for (const encode of [Buffer.from, gzipSync]) {
      const dryRun = (size: number) => sendReport(tenant, Uint8Array.from(encode(padded(size))), 'dryRun=true');
      expect(await dryRun(bytes - 1)).toMatchObject({ status: 200, body: { data: { state: 'read' } } });
      expect(await dryRun(bytes)).toMatchObject({ status: 200, body: { data: { state: 'read' } } });
      expect(await dryRun(bytes + 1)).toMatchObject(tooLarge);
    }
    expect(await sendReport(tenant, Uint8Array.from(gzipSync(intricate)), 'dryRun=true')).toMatchObject(tooLarge);
  });

  test.each([
    ['decompresses to more than 4 MiB', padded(bytes + 1)],
    ['is small but contains too many elements for one request', intricate],
  ])('An import is processed in the background if its report %s', async (_, report) => {
    const tenant = await service();
    const asked = await imported(tenant, Uint8Array.from(gzipSync(report)), 'ciBuildId=b1');
    expect(asked).toMatchObject({ state: 'waiting', runId: null });
    expect(await recorded(tenant, asked.importId)).toMatchObject({ files: [{ tests: { overall: 1 } }] });
  });
});

describe('A presigned URL for an import', () => {
  test('A file uploaded to a presigned URL is recorded without a credential, whether or not it is compressed with gzip', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'failed' } });
    for (const [build, bytes] of [
      ['b1', Uint8Array.from(Buffer.from(report))],
      ['b2', Uint8Array.from(gzipSync(report))],
    ] as const) {
      const { importId, status } = await linked(tenant, bytes, `ciBuildId=${build}&branch=main`);
      expect(status).toBe(200);
      const { runId, files } = await recorded(tenant, importId);
      expect(files).toMatchObject([{ tests: { overall: 2, failures: 1 } }]);
      expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ status: 'FAILED', meta: { ciBuildId: build } });
    }
  });

  test('A file uploaded to a presigned URL without a build id is recorded in the same run as an equal file that was imported directly', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    const direct = await imported(tenant, report);
    const { importId } = await linked(tenant, Uint8Array.from(Buffer.from(report)), '');
    expect((await recorded(tenant, importId)).runId).toBe(direct.runId);
  });

  test('The import of an uploaded file that is not a report says why the file was refused, and lists no file as imported', async () => {
    const tenant = await service();
    const { importId } = await linked(tenant, Uint8Array.from(Buffer.from('no report')), 'ciBuildId=b1');
    await expect.poll(async () => (await read(tenant.api, `/imports/${importId}`)).state).toBe('refused');
    expect(await read(tenant.api, `/imports/${importId}`)).toMatchObject({
      problem: expect.stringContaining('JUnit'),
      files: [],
    });
  });

  test('No presigned URL is created for the project of another organization, and other organizations cannot read the import of an uploaded file', async () => {
    const tenant = await service();
    const other = await tenant.tenant();
    const foreign = await tenant.api.send('POST', `/projects/${other.projectId}/imports/links`);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'Project not found' } });
    const { importId } = await linked(tenant, Uint8Array.from(Buffer.from('<testsuites/>')), '');
    expect((await other.api.get(`/imports/${importId}`)).status).toBe(404);
  });
});

test('A file above the size limit of a request is refused with 413', async () => {
  const tenant = await service();
  const { status } = await sendReport(tenant, `<testsuites>${' '.repeat(7 * 1024 * 1024)}</testsuites>`);
  expect(status).toBe(413);
});
