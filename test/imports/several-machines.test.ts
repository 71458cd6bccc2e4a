import { describe, expect, test, vi } from 'vitest';
import { archive } from '#test/context/trace/archives.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { sampleFile } from '#test/reports/sources.ts';
import { imported, junit, sendReport } from './reports.ts';

const CART = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'passed' } });
const PRICE = junit({ 'price.test.ts': { adds: 'passed' } });
const BROKEN = junit({ 'price.test.ts': { adds: 'failed' } });

type Stage = Awaited<ReturnType<typeof service>>;
const stateOf = async ({ api }: Stage, runId: string) => {
  const { status, completionState, groups } = await read(api, `/runs/${runId}`);
  const tests = groups.reduce((sum: number, group: { tests: { overall: number } }) => sum + group.tests.overall, 0);
  return `${completionState} ${status} ${tests}`;
};
const ends = async (stage: Stage, runId: string) =>
  (await eventsOfRun(stage, runId)).flatMap(({ payload: { event, overall } }) =>
    event === 'RUN_FINISH' ? [overall] : [],
  );

describe('Imports with the same build id', () => {
  test('join one run, even concurrently and after the run has completed', async () => {
    const tenant = await service();
    const [first, second] = await Promise.all([
      imported(tenant, CART, 'ciBuildId=b1&machineId=m1'),
      imported(tenant, PRICE, 'ciBuildId=b1&machineId=m2'),
    ]);
    expect(second.runId).toBe(first.runId);
    expect(await stateOf(tenant, first.runId)).toBe('COMPLETE PASSED 3');
    clock.advance(60_000);
    await imported(tenant, junit({ 'late.test.ts': { waits: 'failed' } }), 'ciBuildId=b1&machineId=m3&group=late');
    expect(await stateOf(tenant, first.runId)).toBe('COMPLETE FAILED 4');
    // The late file reopened the run. Its verdict changed, so both groups end once more.
    expect(await ends(tenant, first.runId)).toEqual([3, 3, 1]);
  });

  test('An import of a build never replaces the results of another import, unless both name the same machine', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, BROKEN, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 1');
    await imported(tenant, PRICE, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 2');
    const named = await imported(tenant, BROKEN, 'ciBuildId=b2&machineId=m1');
    await imported(tenant, PRICE, 'ciBuildId=b2&machineId=m1');
    expect(await stateOf(tenant, named.runId)).toBe('COMPLETE PASSED 1');
  });

  test('Imports with complete=false keep the run open until an import without that parameter ends the run with all tests', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    expect(await stateOf(tenant, runId)).toBe('IN_PROGRESS RUNNING 2');
    await imported(tenant, BROKEN, 'ciBuildId=b1&complete=false');
    expect(await stateOf(tenant, runId)).toBe('IN_PROGRESS FAILING 3');
    await imported(tenant, junit({ 'last.test.ts': { ends: 'passed' } }), 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 4');
    expect(await ends(tenant, runId)).toEqual([4]);
  });

  test('An empty request with complete=true ends the run, can be repeated, and gets 404 if there is no run', async () => {
    const tenant = await service();
    expect((await sendReport(tenant, '', 'ciBuildId=b1&complete=true')).status).toBe(404);
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    for (const _ of [1, 2]) {
      const ended = await imported(tenant, '', 'ciBuildId=b1&complete=true');
      expect(ended).toMatchObject({ runId, state: 'recorded', files: [] });
      expect(await stateOf(tenant, runId)).toBe('COMPLETE PASSED 2');
    }
    expect(await ends(tenant, runId)).toEqual([2]);
  });

  test('An empty request with status=failed marks the run as failed, even if the run has already passed', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE PASSED 2');
    await imported(tenant, '', 'ciBuildId=b1&status=failed');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 2');
  });

  test('A dry run of an empty request with complete=true is refused, and does not end the run', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    expect((await sendReport(tenant, '', 'ciBuildId=b1&complete=true&dryRun=true')).status).toBe(400);
    expect(await stateOf(tenant, runId)).toBe('IN_PROGRESS RUNNING 2');
  });

  test('A run that is kept open by complete=false times out without passing if the remaining imports do not arrive, and passes once they do', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    clock.advance(24 * 60 * 60 * 1000);
    await tenant.runSchedule('timeOutRuns');
    expect(await stateOf(tenant, runId)).toBe('TIMEOUT FAILED 2');
    await imported(tenant, PRICE, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE PASSED 3');
  });

  test('Imports join an ended run that a reporter recorded, but no cancelled run', async () => {
    const tenant = await service();
    const ended = await recordRun(tenant, { retail: { tests: { 'cart.test.ts > sums': passed() } } });
    const { ciBuildId } = await read(tenant.api, `/runs/${ended.runId}`).then(({ meta }) => meta);
    await imported(tenant, PRICE, `ciBuildId=${ciBuildId}`);
    expect(await stateOf(tenant, ended.runId)).toBe('COMPLETE PASSED 2');
    clock.advance(24 * 3_600_000 + 1);
    expect(await sendReport(tenant, BROKEN, `ciBuildId=${ciBuildId}`)).toMatchObject({
      status: 422,
      body: { code: 'RUN_EXPIRED' },
    });
    const { runId } = await imported(tenant, CART, 'ciBuildId=b2&complete=false');
    await tenant.api.put(`/runs/${runId}/cancel`);
    expect(await sendReport(tenant, PRICE, 'ciBuildId=b2')).toMatchObject({
      status: 422,
      body: { code: 'RUN_CANCELLED' },
    });
  });

  test('Reports of two modules with the same class keep all results, and reruns within a folder are joined', async () => {
    const tenant = await service();
    const surefire = (outcome: string) =>
      `<?xml version="1.0"?><testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd" name="shop.CartTest" tests="1"><testcase name="sums" classname="shop.CartTest" time="0.1">${outcome}</testcase></testsuite>`;
    const failure = '<failure message="expected 2" type="AssertionError">at CartTest.java:7</failure>';
    const zipped = (files: Readonly<Record<string, string>>) =>
      Uint8Array.from(archive(Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) }))));
    const modules = { 'api/TEST-shop.CartTest.xml': surefire(failure), 'web/TEST-shop.CartTest.xml': surefire('') };
    const { runId } = await imported(tenant, zipped(modules), 'ciBuildId=modules');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 2');
    const reruns = { 'api/TEST-shop.CartTest.xml': surefire(failure), 'api/TEST-shop.CartTest-2.xml': surefire('') };
    const rerun = await imported(tenant, zipped(reruns), 'ciBuildId=reruns');
    expect(await stateOf(tenant, rerun.runId)).toBe('COMPLETE PASSED 1');
    const run = await read(tenant.api, `/runs/${runId}`);
    expect(run.repeated).toMatchObject({ tests: 1, first: [{ groupId: 'default', title: ['sums'] }] });
  });

  test('The option `group` comes before the groups that a report names', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const report = await sampleFile('playwright-blob-1.65.1-shard-1-of-2.zip');
    const { runId } = await imported(tenant, Uint8Array.from(report), 'ciBuildId=b1&group=linux');
    const { groups } = await read(tenant.api, `/runs/${runId}`);
    expect(groups.map(({ groupId }: { groupId: string }) => groupId)).toSatisfy((names: string[]) =>
      names.every((name) => name === 'linux' || name.startsWith('linux › ')),
    );
  });

  test('create separate runs in different organizations', async () => {
    const tenant = await service();
    const other = await tenant.tenant();
    const runs = [await imported(tenant, CART, 'ciBuildId=b1'), await imported(other, CART, 'ciBuildId=b1')];
    expect(runs[0].runId).not.toBe(runs[1].runId);
  });
});
