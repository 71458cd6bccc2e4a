import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deleteArtifacts } from '#shared/lifecycle/delete-artifacts.ts';
import { finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { confirmArtifacts, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { sampled } from '#test/harness/cases.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { attempt, failed, passed, running, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { historyOf } from '#test/harness/recording-readback.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';
import { signedIn } from '#test/harness/visitor.ts';

deliverEvents();

const CART = 'cart.spec.ts > sums';
const TAX = 'tax.spec.ts > rounds';
const STEP = { title: 'opens the cart', category: 'test.step', duration: 5, steps: [] };
const FAILED = failed({ attempts: [attempt('failed', { attempt: 0, steps: [STEP], stdout: ['two pieces\n'] })] });
const DAY = 24 * 3_600_000;
const TIME = { remainingMilliseconds: () => 60_000 };
const FILES = [
  ['trace', 'application/octet-stream'],
  ['screenshot', 'image/png'],
  ['video', 'video/webm'],
  ['attachment', 'text/plain'],
] as const;

type Stage = Awaited<ReturnType<typeof service>>;
interface Announcement {
  readonly recordId: string;
  readonly type: string;
  readonly contentType?: string;
}

async function announce({ api }: Stage, { recordId, type, contentType = 'text/plain' }: Announcement): Promise<string> {
  const file = { type, name: type, artifactId: type, attemptId: 0, contentType };
  const { status, body } = await api.post(`@/artifacts/test-record/${recordId}`, file);
  expect(status).toBe(200);
  return body.uploadUrl;
}

async function put(link: string, contentType = 'text/plain'): Promise<void> {
  const request = { method: 'PUT', body: 'content', headers: { 'content-type': contentType } };
  expect((await fetch(link, request)).status).toBe(200);
}

/** Waits until all uploads are confirmed, because a confirmation would copy its file while the test deletes files. */
const allConfirmed = (stage: Stage) =>
  expect
    .poll(async () => (await objectsOf(stage)).filter((key) => key.startsWith('uploads/')), { timeout: 20_000 })
    .toEqual([]);

/**
 * Records a run with a file of each type for a failed test, the output of its spec file, and a file of another spec
 * file.
 */
async function withFiles(stage: Stage, ciBuildId = 'build-1') {
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const tests = { [CART]: FAILED, [TAX]: passed() };
  const { runId, instances, records } = await recordRun(stage, { retail: { tests } }, { ciBuildId });
  const [recordId = '', other = ''] = [CART, TAX].map((name) => records[`retail ${name}`]);
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  for (const [type, contentType] of FILES)
    await put(await announce(stage, { recordId, type, contentType }), contentType);
  const output = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
  await put((await stage.api.post(`@/artifacts/instance/${instanceId}`, output)).body.uploadUrl);
  await put(await announce(stage, { recordId: other, type: 'attachment' }));
  await allConfirmed(stage);
  const read = async () => (await stage.api.get(`/instances/${instanceId}`)).body.data.results;
  const links = async (): Promise<string[]> => {
    const { playwrightTraces, screenshots, videos, attachments, stdout } = await read();
    const files = [...playwrightTraces, ...screenshots, ...videos, ...attachments, ...(stdout ? [stdout] : [])];
    return files.map(
      ({ traceURL, screenshotURL, videoUrl, readUrl }) => traceURL ?? screenshotURL ?? videoUrl ?? readUrl,
    );
  };
  const query = `instance_id=${instanceId}&test_id=${testIdOf('retail', CART)}`;
  return {
    runId,
    instanceId,
    recordId,
    links,
    read,
    context: async () => (await stage.api.get(`/context?${query}`)).body.data,
  };
}

const remove = (stage: Stage, runId: string) => stage.api.send('DELETE', `/runs/${runId}/artifacts`);

/** Runs the sweep a minute later, when no request that began before the deletion can still be in progress. */
async function aMinuteLater(stage: Stage) {
  clock.advance(61_000);
  return stage.runSchedule('finishDeletions');
}

const recordsOf = async ({ services, organizationId }: Stage) =>
  (await readAudit(services, { organizationId, actor: OPERATOR })).records.filter(
    ({ action }) => action === 'files of a run deleted',
  );

/** The rows of files, and of deletions that are not finished. */
const rowsLeft = async (stage: Stage, runId: string) =>
  (await itemsWith(stage.environment, runId))
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .filter((key) => /ARTIFACT#|^FILES#|^DUE#deletion#/.test(key));

describe('§5.2 DELETE /runs/{runId}/artifacts', () => {
  test('deletes the files of all tests and spec files, and keeps results, steps and the output of tests', async () => {
    const stage = await service();
    const run = await withFiles(stage);
    const [links, before] = [await run.links(), await run.read()];
    expect(links).toHaveLength(5);
    expect(await remove(stage, run.runId)).toMatchObject({
      status: 200,
      body: { status: 'OK', data: { runId: run.runId, actor: 'api:CI' } },
    });
    expect(await objectsOf(stage)).toEqual([]);
    for (const link of links) expect((await fetch(link)).status).toBe(404);
    const none = { playwrightTraces: [], screenshots: [], videos: [], attachments: [], stdout: null };
    expect(await run.read()).toEqual({ ...before, ...none });
    expect(await run.context()).toMatchObject({
      assets: { totals: { traces: 0, screenshots: 0, videos: 0, attachments: 0 } },
      meta: { filesExpiredAt: expect.any(String) },
      steps: [{ title: 'opens the cart' }],
      stdout: ['two pieces\n'],
    });
    expect((await stage.api.get(`/runs/${run.runId}`)).status).toBe(200);
    expect(await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] })).toHaveLength(1);
    expect(await aMinuteLater(stage)).toMatchObject({ due: 1, failed: 0 });
    expect(await rowsLeft(stage, run.runId)).toEqual([]);
  });

  test('removes the files from the page of their test, which then says that they were deleted', async () => {
    const stage = await service();
    const { runId, instanceId } = await withFiles(stage);
    const guest = await signedIn(stage, 'guest');
    const page = linkToTestOfRun({ ...stage, base: '' }, { instanceId, testId: testIdOf('retail', CART) });
    expect((await guest.get(page)).html).toContain('/files/');
    await remove(stage, runId);
    const { text, html, status } = await guest.get(page);
    expect(status).toBe(200);
    expect(text).toMatch(/The files of this test were deleted on .*: their retention ended, or somebody deleted/);
    expect(html).not.toContain('/files/');
  });

  test('leaves the files of other runs alone', async () => {
    const stage = await service();
    const [one, other] = [await withFiles(stage), await withFiles(stage, 'build-2')];
    await remove(stage, one.runId);
    await aMinuteLater(stage);
    expect(await other.links()).toHaveLength(5);
    expect((await objectsOf(stage)).length).toBeGreaterThan(5);
    expect((await other.context()).meta).not.toHaveProperty('filesExpiredAt');
  });

  test('succeeds again if it is repeated or sent several times at once, and leaves a single audit record', async () => {
    const stage = await service();
    const { runId } = await withFiles(stage);
    const answers = await Promise.all([1, 2, 3].map(() => remove(stage, runId)));
    expect([...answers, await remove(stage, runId)].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await recordsOf(stage)).toMatchObject([
      { actor: 'api:CI', subject: runId, label: 'build-1', detail: expect.stringContaining('project Shop') },
    ]);
  });

  test('returns 404 for an unknown run and for a run of another organization, whose files stay', async () => {
    const stage = await service();
    const other = { ...stage, ...(await stage.tenant('Neighbour')) };
    const { runId, links } = await withFiles(other);
    for (const id of [runId, '0'.repeat(16)])
      expect(await remove(stage, id)).toMatchObject({ status: 404, body: { error: 'Run not found' } });
    expect(await links()).toHaveLength(5);
  });

  test('refuses a Read Only key, and leaves the files', async () => {
    const stage = await service();
    const { runId, links } = await withFiles(stage);
    expect((await stage.reader.send('DELETE', `/runs/${runId}/artifacts`)).status).toBe(403);
    expect(await links()).toHaveLength(5);
  });
});

describe('Files that arrive after the files of their run were deleted', () => {
  /** Handles the messages about all uploads right away. */
  const confirmAll = async (stage: Stage) => {
    const Records = (await objectsOf(stage)).map((key) => ({ s3: { object: { key } } }));
    await confirmArtifacts(inFreeSlot(stage.services, TRACE_CAPS), { Records, rounds: 0 });
  };

  test('A file that was announced before the files of its run were deleted is not kept if it is uploaded after the deletion', async () => {
    const stage = await service();
    vi.useRealTimers();
    const { runId, records } = await recordRun(stage, { retail: { tests: { [CART]: failed() } } });
    const link = await announce(stage, { recordId: records[`retail ${CART}`] ?? '', type: 'attachment' });
    await remove(stage, runId);
    await put(link);
    await confirmAll(stage);
    expect(await objectsOf(stage)).toEqual([]);
    expect(await rowsLeft(stage, runId)).toEqual([expect.stringContaining('DUE#deletion#')]);
  });

  test('After the files of a run in progress were deleted, new files get an upload link but are not kept, and results are still recorded', async () => {
    const stage = await service();
    vi.useRealTimers();
    const run = await startRun(stage, [suiteGroup('retail', [CART, TAX])]);
    const recordId = await createRecord(stage, await claim(stage, run, 'cart.spec.ts'), CART, running());
    await put(await announce(stage, { recordId, type: 'attachment' }));
    await allConfirmed(stage);
    expect((await remove(stage, run.runId)).status).toBe(200);
    const later = await createRecord(stage, await claim(stage, run, 'tax.spec.ts'), TAX, passed());
    for (const id of [recordId, later]) await put(await announce(stage, { recordId: id, type: 'video' }));
    await confirmAll(stage);
    expect(await objectsOf(stage)).toEqual([]);
    expect(await historyOf(stage, { spec: 'tax.spec.ts', title: ['rounds'] })).toHaveLength(1);
  });
});

describe('A deletion of files that is interrupted', () => {
  test.each(sampled([0, 1, 2, 3, 5, 8, 13], 4))(
    'A deletion that is interrupted after %i writes has either changed nothing, or is completed by a sweep and leaves an audit record',
    async (writes) => {
      const stage = await service();
      const { runId, links } = await withFiles(stage);
      const { organizationId, services } = stage;
      const request = { organizationId, runId, actor: OPERATOR };
      await expect(deleteArtifacts(mortal(services, writes).services, request)).rejects.toThrow('died');
      expect(await recordsOf(stage)).toHaveLength(writes === 0 ? 0 : 1);
      await aMinuteLater(stage);
      expect(await links()).toHaveLength(writes === 0 ? 5 : 0);
      if (writes === 0) return;
      expect(await objectsOf(stage)).toEqual([]);
      expect(await rowsLeft(stage, runId)).toEqual([]);
    },
  );

  test('An interrupted deletion is completed if the request is repeated', async () => {
    const stage = await service();
    const { runId } = await withFiles(stage);
    const { organizationId, services } = stage;
    const request = { organizationId, runId, actor: OPERATOR };
    await expect(deleteArtifacts(mortal(services, 4).services, request)).rejects.toThrow('died');
    expect((await remove(stage, runId)).status).toBe(200);
    expect(await objectsOf(stage)).toEqual([]);
    expect(await recordsOf(stage)).toHaveLength(1);
  });

  test('A deletion of files is continued by the next sweep if a sweep runs out of time', async () => {
    const stage = await service();
    const { runId } = await withFiles(stage);
    const { organizationId, services } = stage;
    await expect(
      deleteArtifacts(mortal(services, 1).services, { organizationId, runId, actor: OPERATOR }),
    ).rejects.toThrow('died');
    clock.advance(61_000);
    let left = 2;
    const short = { remainingMilliseconds: () => (left-- > 0 ? 60_000 : 11_000 - 60_000) };
    expect(await finishDeletions(services, short)).toMatchObject({ failed: 0 });
    expect((await rowsLeft(stage, runId)).length).toBeGreaterThan(0);
    expect(await finishDeletions(services, TIME)).toMatchObject({ failed: 0, finished: true });
    expect(await rowsLeft(stage, runId)).toEqual([]);
    expect(await objectsOf(stage)).toEqual([]);
  });

  test('A late sweep keeps an announced file of a run that was recorded again after its deletion', async () => {
    const stage = await service();
    const { runId } = await withFiles(stage);
    await remove(stage, runId);
    expect((await stage.api.send('DELETE', `/runs/${runId}`)).status).toBe(200);
    clock.advance(DAY + 3_600_000);
    const tests = { [CART]: failed() };
    const again = await recordRun(stage, { retail: { tests } });
    expect(again.runId).toBe(runId);
    await announce(stage, { recordId: again.records[`retail ${CART}`] ?? '', type: 'attachment' });
    expect(await finishDeletions(stage.services, TIME)).toMatchObject({ due: 2, failed: 0 });
    const rows = await rowsLeft(stage, runId);
    expect(rows.filter((row) => row.includes('ARTIFACT#'))).toHaveLength(1);
  });
});
