/** The limit of stored bytes: which files it refuses, and how the bytes are counted. */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { artifacts, getInstanceArtifactsSpan } from '#shared/model/results/artifact.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { changeUsageLimits } from '#shared/organizations/usage-limits.ts';
import { measureStorage } from '#shared/usage/measure-storage.ts';
import { readUsage } from '#shared/usage/read-usage.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendFiles,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, uploadBody } from '#test/harness/recording-batch.ts';
import { failed, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { imported } from '#test/imports/reports.ts';
import { sampleFile } from '#test/reports/sources.ts';

const TEST = 'cart.spec.ts > sums';
const CONTENT = 'one mug in the cart';

type Stage = TestService & Tenant;

const bytesOf = async ({ services, organizationId }: Pick<Stage, 'services' | 'organizationId'>): Promise<number> =>
  (await readUsage(services, { organizationId, actor: OPERATOR })).storedBytes;

/** Lets the organization have 1,000 stored bytes, and sets its limit to the same number. */
async function fill({ services, organizationId }: Stage): Promise<void> {
  await services.table.update(storedBytes, { organizationId }, { add: [['balance', 1000]] });
  await changeUsageLimits(services, { organizationId, actor: OPERATOR, change: { storedBytes: 1000 } });
}

const FILE = { artifactId: 'a1', type: 'attachment', name: 'notes', attemptId: 0, contentType: 'text/plain' };

const announce = ({ api }: Stage, recordId: string | undefined) =>
  api.post(`@/artifacts/test-record/${recordId}`, FILE);

/** Records a failed test with one of our own reporters. Returns the id of the run, which is in progress. */
async function recordLive(here: Stage): Promise<string> {
  const tests = { [TEST]: failed() };
  const { runId } = await dataOf(sendStart(here, startBody([liveGroup('retail', Object.keys(tests))])));
  const instances = liveInstances('retail', tests);
  await dataOf(sendBatch(here, runId, { machineId: 'm1', sequence: 0, instances }));
  return runId;
}

/** Records a run with one stored file. */
async function withFile() {
  // The object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const here = await service();
  const { runId, records } = await recordRun(here, { retail: { tests: { [TEST]: failed() } } });
  const { body } = await announce(here, records[`retail ${TEST}`]);
  const put = { method: 'PUT', body: CONTENT, headers: { 'content-type': 'text/plain' } };
  expect((await fetch(body.uploadUrl, put)).status).toBe(200);
  await expect.poll(() => bytesOf(here)).toBe(CONTENT.length);
  return { here, runId };
}

describe('An organization whose storage is full', () => {
  test('records results, but gets 422 without Retry-After for each file of the published reporter', async () => {
    const here = await service();
    await fill(here);
    const { runId, records, instances } = await recordRun(here, { retail: { tests: { [TEST]: failed() } } });
    const answer = await announce(here, records[`retail ${TEST}`]);
    expect(answer).toMatchObject({ status: 422, body: { code: 'STORAGE_FULL' } });
    expect(answer.headers.get('retry-after')).toBeNull();
    const output = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
    const ofInstance = await here.api.post(`@/artifacts/instance/${instances['retail cart.spec.ts']}`, output);
    expect(ofInstance).toMatchObject({ status: 422, body: { code: 'STORAGE_FULL' } });
    expect(await read(here.api, `/runs/${runId}`)).toMatchObject({ completionState: 'COMPLETE' });
    const other = { ...here, ...(await here.tenant()) };
    const neighbour = await recordRun(other, { retail: { tests: { [TEST]: failed() } } });
    expect((await announce(other, neighbour.records[`retail ${TEST}`])).status).toBe(200);
  });

  test('records batches of results, but gets the reason storageFull instead of an upload URL for their files', async () => {
    const here = await service();
    await fill(here);
    const runId = await recordLive(here);
    const file = {
      groupId: 'retail',
      spec: 'cart.spec.ts',
      type: 'attachment',
      name: 'notes',
      contentType: 'text/plain',
      bytes: 5,
      sha256: 'a'.repeat(64),
    };
    const { files } = await dataOf(sendFiles(here, runId, { machineId: 'm1', files: [file] }));
    expect(files).toEqual([{ uploadUrl: null, reason: 'storageFull' }]);
  });

  test('records uploaded runs and imported reports without their files, and gets 422 for a cache upload', async () => {
    const here = await service();
    await fill(here);
    const artifacts = [{ path: 'notes.txt', type: 'attachment', contentType: 'text/plain' }];
    const instance = batchInstance('retail', 'cart.spec.ts', { [TEST]: failed() }, { artifacts });
    const { status, body } = await here.anonymous.post(
      '/runs',
      uploadBody(here, [suiteGroup('retail', [TEST])], [instance]),
    );
    expect({ status, links: JSON.stringify(body).includes('uploadUrl') }).toEqual({ status: 200, links: false });
    const bytes = Uint8Array.from(await sampleFile('playwright-blob-1.65.1.zip'));
    const done = await imported(here, bytes, 'ciBuildId=b2&root=/project');
    expect(JSON.stringify(done)).toContain('is left out: the storage of the organization is full');
    expect(await here.api.post('@/cache/upload', { id: 'npm' })).toMatchObject({
      status: 422,
      body: { code: 'STORAGE_FULL' },
    });
  });
});

describe('Files that were announced while there was room', () => {
  const LIMIT = 1000;

  test('are removed at their arrival beyond the limit, however many arrive at the same time, and the test names them', async () => {
    vi.useRealTimers();
    const here = await service();
    await changeUsageLimits(here.services, { ...here, actor: OPERATOR, change: { storedBytes: LIMIT } });
    const { records, instances } = await recordRun(here, { retail: { tests: { [TEST]: failed() } } });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const links = await Promise.all(
      names.map(async (name) => {
        const announced = { ...FILE, artifactId: name, name, attemptId: 1 };
        return (await here.api.post(`@/artifacts/test-record/${records[`retail ${TEST}`]}`, announced)).body.uploadUrl;
      }),
    );
    const put = { method: 'PUT', body: 'x'.repeat(300), headers: { 'content-type': 'text/plain' } };
    await Promise.all(links.map(async (link) => expect((await fetch(link, put)).status).toBe(200)));
    const instanceId = instances['retail cart.spec.ts'] ?? '';
    const rows = () =>
      here.services.table.queryAll(artifacts, getInstanceArtifactsSpan({ ...here, instanceId }), { consistent: true });
    const settled = async () => (await rows()).filter(({ bytes, refused }) => bytes ?? refused).length;
    await expect.poll(settled).toBe(names.length);
    const stored = (await rows()).filter(({ bytes }) => bytes !== undefined);
    expect(stored).toHaveLength(3);
    expect((await rows()).filter(({ refused }) => refused === 'storageFull')).toHaveLength(3);
    expect(await bytesOf(here)).toBe(900);
    const guest = await signedIn(here, 'guest');
    const { text } = await guest.get(
      `/${here.organizationId}/${here.projectId}/instances/${instanceId}/test?test_id=${testIdOf('retail', TEST)}`,
    );
    expect(text.match(/removed: the storage is full/g)).toHaveLength(3);
  });

  test('may only have the size that our own reporters announced', async () => {
    vi.useRealTimers();
    const here = await service();
    const runId = await recordLive(here);
    const file = {
      groupId: 'retail',
      spec: 'cart.spec.ts',
      type: 'attachment',
      name: 'notes',
      contentType: 'text/plain',
    };
    const sent = { ...file, bytes: 5, sha256: 'a'.repeat(64) };
    const { files } = await dataOf(sendFiles(here, runId, { machineId: 'm1', files: [sent] }));
    const put = (body: string) =>
      fetch(files[0].uploadUrl, { method: 'PUT', body, headers: { 'content-type': 'text/plain' } });
    expect((await put('x'.repeat(1_000_000))).status).toBe(403);
    expect((await put('seen!')).status).toBe(200);
    await expect.poll(() => bytesOf(here)).toBe(5);
  });
});

describe('The stored bytes', () => {
  test('grow when a file is stored, and shrink when its whole run or only the files of the run are deleted', async () => {
    const one = await withFile();
    expect((await one.here.api.send('DELETE', `/runs/${one.runId}/artifacts`)).status).toBe(200);
    // A confirmation that is not complete yet gives its room back a moment later.
    await expect.poll(() => bytesOf(one.here)).toBe(0);
    const other = await withFile();
    expect((await other.here.api.send('DELETE', `/runs/${other.runId}`)).status).toBe(200);
    await expect.poll(() => bytesOf(other.here)).toBe(0);
  });

  test('are corrected by the scheduled measurement, and later changes are added to the measured value', async () => {
    const { here } = await withFile();
    const { services, organizationId } = here;
    await services.table.update(storedBytes, { organizationId }, { add: [['balance', 5000]] });
    expect(await here.runSchedule('measureStorage')).toMatchObject({ finished: true });
    expect(await bytesOf(here)).toBe(CONTENT.length);
    await services.table.update(storedBytes, { organizationId }, { add: [['balance', 7]] });
    expect(await bytesOf(here)).toBe(CONTENT.length + 7);
    // It is the same night, so only a call by hand measures again.
    await here.runSchedule('measureStorage');
    expect(await bytesOf(here)).toBe(CONTENT.length + 7);
    await measureStorage(services, { remainingMilliseconds: () => Number.POSITIVE_INFINITY, isByHand: true });
    expect(await bytesOf(here)).toBe(CONTENT.length);
  });

  test('of 80 % of the limit or more count in the report of the measurement, which raises an alarm', async () => {
    const { here } = await withFile();
    const { services, organizationId } = here;
    const countWith = async (limit: number) => {
      await changeUsageLimits(services, { organizationId, actor: OPERATOR, change: { storedBytes: limit } });
      const options = { remainingMilliseconds: () => Number.POSITIVE_INFINITY, isByHand: true };
      return (await measureStorage(services, options)).nearlyFull;
    };
    const others = await countWith(Math.floor(CONTENT.length * 1.25) + 1);
    expect(await countWith(Math.floor(CONTENT.length * 1.25))).toBe(others + 1);
  });

  test('are measured first for the organization whose last measurement is the oldest, until the time is up', async () => {
    vi.useRealTimers();
    const { services, tenant, ...first } = await service();
    await measureStorage(services, { remainingMilliseconds: () => Number.POSITIVE_INFINITY });
    const fresh = await tenant();
    const before = Date.now();
    let checks = 0;
    // There is time for the two folders of one organization. It is checked before the organization and each folder.
    const time = { remainingMilliseconds: () => (++checks > 3 ? 0 : Number.POSITIVE_INFINITY), isByHand: true };
    expect(await measureStorage(services, time)).toEqual({ measured: 1, pages: 2, nearlyFull: 0, finished: true });
    const at = async ({ organizationId }: Pick<Tenant, 'organizationId'>) =>
      (await services.table.get(storedBytes, { organizationId }))?.measuredAt;
    expect(await at(fresh)).toBeGreaterThanOrEqual(before);
    expect(await at(first)).toBeLessThanOrEqual(before);
  });
});
