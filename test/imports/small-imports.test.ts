import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { projects } from '#shared/model/organizations/project.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { rowsOfRun } from '#test/harness/recording-rows.ts';
import { clock, service } from '#test/harness/service.ts';
import { imported, junit, sendReport } from './reports.ts';

describe('POST /projects/{projectId}/imports', () => {
  test('An import records a JUnit report and completes the run before it responds with the id of the run', async () => {
    const tenant = await service();
    const report = junit({
      'cart.test.ts': { sums: 'passed', refuses: 'failed' },
      'price.test.ts': { rounds: 'skipped' },
    });
    const { status, body } = await sendReport(
      tenant,
      report,
      'ciBuildId=b1&branch=main&sha=abc&tags[]=nightly&name=unit.xml',
    );
    const { importId, runId } = body.data;
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: {
          importId: expect.stringMatching(/^[0-9a-f]{24}$/),
          projectId: tenant.projectId,
          state: 'recorded',
          runId: expect.stringMatching(/^[0-9a-f]{16}$/),
          runUrl: `${tenant.origin}/${tenant.organizationId}/${tenant.projectId}/runs/${runId}`,
          ciBuildId: 'b1',
          createdAt: '2026-11-02T10:00:00.000Z',
          changedAt: '2026-11-02T10:00:00.000Z',
          problem: null,
          progress: { specs: { recorded: 2, overall: 2 }, tests: { recorded: 3, overall: 3 } },
          files: [
            {
              name: 'unit.xml',
              format: 'junit',
              dialect: expect.anything(),
              specs: 2,
              attachments: 0,
              tests: { overall: 3, passes: 1, failures: 1, pending: 1, skipped: 0, flaky: 0 },
              truncated: false,
              duplicates: 0,
              runErrors: [],
              warnings: [],
            },
          ],
        },
      },
    });
    const run = await read(tenant.api, `/runs/${runId}`);
    expect(run).toMatchObject({
      status: 'FAILED',
      completionState: 'COMPLETE',
      tags: ['nightly'],
      meta: { commit: { branch: 'main', sha: 'abc' } },
      groups: [{ groupId: 'default', tests: { overall: 3, passes: 1, failures: 1, pending: 1 } }],
    });
    expect((await tenant.reader.get(`/imports/${importId}`)).body).toEqual(body);
    expect(await historyOf(tenant, { spec: 'cart.test.ts', title: ['refuses'] })).toMatchObject([{ status: 'failed' }]);
  });

  test('An import accepts plain and gzip reports, even if the content type is JSON or missing', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    const answers = [
      await sendReport(tenant, report, 'ciBuildId=b1', { 'content-type': 'application/json' }),
      await sendReport(tenant, Uint8Array.from(gzipSync(report)), 'ciBuildId=b2'),
      await sendReport(tenant, Uint8Array.from(gzipSync(report)), 'ciBuildId=b3', { 'content-encoding': 'gzip' }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.data.files).toMatchObject([{ tests: { overall: 1, passes: 1 } }]);
    }
  });

  test('A repeated import gets the same response, except for the time of its last change, and adds no row to the run, even days later or concurrently', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed', refuses: 'failed' } });
    const first = await imported(tenant, report, 'ciBuildId=b1');
    const rows = await rowsOfRun(tenant.environment, first.runId);
    clock.advance(2 * 24 * 60 * 60 * 1000);
    const again = await Promise.all([1, 2, 3].map(() => imported(tenant, report, 'ciBuildId=b1')));
    for (const one of again) expect({ ...one, changedAt: first.changedAt }).toEqual(first);
    expect(await rowsOfRun(tenant.environment, first.runId)).toHaveLength(rows.length);
    expect(await historyOf(tenant, { spec: 'cart.test.ts', title: ['sums'] })).toHaveLength(1);
  });

  test('Imports without a build id record equal files in one run, and different files in different runs', async () => {
    const tenant = await service();
    const [passing, failing] = (['passed', 'failed'] as const).map((sums) => junit({ 'cart.test.ts': { sums } }));
    const runs = [];
    for (const report of [passing, passing, failing]) runs.push((await imported(tenant, report ?? '')).runId);
    expect(runs[1]).toBe(runs[0]);
    expect(runs[2]).not.toBe(runs[0]);
  });

  test('A dry run returns what it read from the report, and creates neither a run nor an import', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    const dry = await imported(tenant, report, 'ciBuildId=b1&dryRun=true');
    expect(dry).toMatchObject({ state: 'read', files: [{ tests: { overall: 1 } }] });
    expect((await tenant.api.get(`/runs/${dry.runId}`)).status).toBe(404);
    expect((await tenant.api.get(`/imports/${dry.importId}`)).status).toBe(404);
    expect((await tenant.api.get(`/projects/${tenant.projectId}/runs`)).body.data).toEqual([]);
  });

  test('An import with status=failed marks its run as failed, even if no test failed', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    const { runId } = await imported(tenant, report, 'ciBuildId=b1&status=failed');
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE' });
  });

  test('An import records the readable part of a file that ends early, and marks the run as failed', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'passed' } });
    const data = await imported(tenant, report.slice(0, report.indexOf('</testsuite>')), 'ciBuildId=b1');
    expect(data.files).toMatchObject([{ truncated: true, tests: { overall: 2 } }]);
    expect(await read(tenant.api, `/runs/${data.runId}`)).toMatchObject({ status: 'FAILED' });
  });

  test('An import records a report without tests as a failed run, and warns that the report has no tests', async () => {
    const tenant = await service();
    const { runId, files } = await imported(tenant, '<testsuites></testsuites>', 'ciBuildId=b1');
    expect(files).toMatchObject([{ warnings: [{ message: expect.stringContaining('The report has no tests') }] }]);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE' });
  });

  test('Fail-fast does not cancel the run of an imported report, because its tests have already run', async () => {
    const tenant = await service();
    const key = { organizationId: tenant.organizationId, projectId: tenant.projectId };
    await tenant.services.table.update(projects, key, { set: [['failFast', true]] });
    const { runId } = await imported(tenant, junit({ 'cart.test.ts': { sums: 'failed', rounds: 'passed' } }));
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ completionState: 'COMPLETE' });
  });

  test.each([
    ['', ''],
    ['{"coverage": 1}', ''],
    ['<html></html>', ''],
    ['no report', ''],
    ['<testsuites/>', 'format=yaml'],
    ['<testsuites/>', 'pullRequest=seven'],
    ['<testsuites/>', 'colour=red'],
  ])('The body %j with the query %j is refused with status 400 and an error text', async (report, query) => {
    const tenant = await service();
    const { status, body } = await sendReport(tenant, report, query);
    expect({ status, body }).toMatchObject({ status: 400, body: { status: 'FAILED', error: expect.any(String) } });
    if (query === '') expect(body.error).toMatch(/JUnit.*CTRF.*Playwright/);
  });

  test('An import gets 403 with a Read Only key and 404 for the project of another organization, and other organizations cannot read it', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    const foreign = await sendReport({ ...tenant, projectId: (await tenant.tenant()).projectId }, report);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'Project not found' } });
    expect((await sendReport({ ...tenant, api: tenant.reader }, report)).status).toBe(403);
    const { importId } = await imported(tenant, report);
    expect((await (await tenant.tenant()).api.get(`/imports/${importId}`)).status).toBe(404);
  });
});
