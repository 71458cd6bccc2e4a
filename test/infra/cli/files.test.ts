/** Compares the files in the bucket with the rows of the table, as an operator does after restoring a table. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Bucket } from '#infra/cli/archives/bucket.ts';
import { type FoundProblem, reconcileFiles } from '#infra/cli/reconcile-files.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { getExportKey } from '#shared/model/analytics/exported-day.ts';
import {
  type Artifact,
  artifacts,
  deriveObjectName,
  getObjectKey,
  getUploadKey,
} from '#shared/model/results/artifact.ts';
import { instances, makeInstance } from '#shared/model/results/instance.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { administration } from '#test/harness/administration.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { clock, type service } from '#test/harness/service.ts';
import { versionedBucket } from '#test/harness/versioned-bucket.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

const HOUR = 3_600_000;
const RUN = runIdOf(1);
const INSTANCE = `${RUN}${'1'.repeat(16)}`;
const BYTES = Buffer.from('a picture');

type Tenant = Awaited<ReturnType<typeof service>>;

/** Records a run with one spec file. Uses the real clock, as the embedded S3 does. */
async function recorded({ services, ...owner }: Tenant): Promise<void> {
  vi.useRealTimers();
  const run = runItem(owner);
  const common = { organizationId: owner.organizationId, expiry: NEVER, createdAt: 0 };
  await storeRuns(services, [run]);
  const instance = makeInstance({ ...common, runId: RUN, instanceId: INSTANCE, groupId: 'e2e', spec: 'cart.spec.ts' });
  await services.table.put(instances, instance);
}

const fileOf = ({ organizationId }: Tenant, name: string, more: Partial<Artifact> = {}): Artifact => ({
  organizationId,
  instanceId: INSTANCE,
  artifactId: name,
  name,
  fileName: name,
  type: 'screenshot',
  objectName: deriveObjectName({ artifactId: name, expiry: NEVER }),
  contentType: 'image/png',
  createdAt: Date.now(),
  expiry: NEVER,
  ...more,
});

/** Stores objects by copying, because the service is notified of uploads and removes uploaded objects without a row. */
async function store({ services: { artifacts }, organizationId }: Tenant, ...keys: string[]): Promise<void> {
  const from = `backup/${organizationId}`;
  await artifacts.put(from, BYTES, 'image/png');
  const eTag = (await artifacts.describe(from))?.eTag ?? '';
  for (const to of keys) await artifacts.copy({ from, to, eTag });
}

const filesOf = async (tenant: Tenant) =>
  (await objectsOf(tenant)).filter((key) => key.startsWith(tenant.organizationId));

/** Stores a file and its row, as they are after a confirmed upload. */
async function confirmedFile(tenant: Tenant, name: string): Promise<Artifact> {
  const file = fileOf(tenant, name, { bytes: BYTES.length });
  await announceFiles(tenant.services, [file]);
  await store(tenant, getObjectKey(file));
  return file;
}

/**
 * Runs the command, and returns how many problems of each kind it found and repaired. Leaves out kinds without
 * problems.
 */
async function reconcile(json: Awaited<ReturnType<typeof administration>>['json'], ...words: string[]) {
  const rows: Record<string, string>[] = await json('files', 'reconcile', ...words);
  const found = rows.filter((row) => row['found'] !== '0');
  return Object.fromEntries(found.map((row) => [row['problem'], `${row['found']}, ${row['repaired']} repaired`]));
}

describe('npm run admin -- files reconcile', () => {
  test('files reconcile --repair deletes objects that are older than a day and have no table row, but no uploads in progress, caches or unknown objects', async () => {
    const { tenant, json } = await administration();
    await recorded(tenant);
    const { organizationId: org } = tenant;
    const confirmed = getObjectKey(await confirmedFile(tenant, 'kept.png'));
    const announced = fileOf(tenant, 'uploading.png');
    await announceFiles(tenant.services, [announced]);
    const others = [getUploadKey(announced), `cache/${org}/1/1.zip`];
    const exported = getExportKey({ organizationId: org, projectId: tenant.projectId, day: '2026-11-02' });
    const ofFile = [getObjectKey(fileOf(tenant, 'lost.png')), getUploadKey(fileOf(tenant, 'lost.png'))];
    const lost = [...ofFile, `imports/${org}/1`, exported];
    await store(tenant, ...others, ...lost);
    const kept = [confirmed, ...others, `backup/${org}`].sort();
    const all = [...kept, ...lost].sort();

    expect(await reconcile(json, '--repair')).toEqual({ young: '4, 0 repaired', unknown: '1, 0 repaired' });
    expect(await objectsOf(tenant)).toEqual(all);
    clock.advance(25 * HOUR);
    expect(await reconcile(json)).toEqual({ 'without row': '4, 0 repaired', unknown: '1, 0 repaired' });
    expect(await objectsOf(tenant)).toEqual(all);
    expect(await reconcile(json, '--repair')).toMatchObject({ 'without row': '4, 4 repaired' });
    expect(await objectsOf(tenant)).toEqual(kept);
    expect(await reconcile(json, '--repair')).toEqual({ unknown: '1, 0 repaired' });
  });

  test('files reconcile --repair restores a deleted file if the bucket has a version of it, and reports a file that is lost for good', async () => {
    const { tenant } = await administration();
    await recorded(tenant);
    const deleted = await confirmedFile(tenant, 'deleted.png');
    const lost = await confirmedFile(tenant, 'gone.png');
    await tenant.services.artifacts.remove(getObjectKey(lost));
    const remove = await versionedBucket(tenant);
    await remove(getObjectKey(deleted));
    const compare = async (repair: boolean) => {
      const found: FoundProblem[] = [];
      const how = {
        repair,
        safeAge: 24 * HOUR,
        onProblem: (one: FoundProblem) => found.push(one),
        onProgress: () => {},
      };
      await reconcileFiles(tenant.services, new Bucket(tenant.environment['ARTIFACTS_BUCKET'] ?? ''), how);
      return found
        .filter(({ key }) => key.startsWith(tenant.organizationId))
        .sort((a, b) => (a.problem < b.problem ? -1 : 1));
    };
    const gone = { problem: 'lost', key: getObjectKey(lost), bytes: BYTES.length, repaired: false };
    const hidden = { problem: 'deleted', key: getObjectKey(deleted), bytes: BYTES.length };
    expect(await compare(false)).toEqual([{ ...hidden, repaired: false }, gone]);
    expect(await filesOf(tenant)).toEqual([]);
    expect(await compare(true)).toEqual([{ ...hidden, repaired: true }, gone]);
    expect(await filesOf(tenant)).toEqual([getObjectKey(deleted)]);
    expect(await compare(true)).toEqual([gone]);
  });

  test('files reconcile --repair records the size of a file if the table was restored to a time between the upload of the file and its confirmation', async () => {
    const { tenant, json } = await administration();
    await recorded(tenant);
    const file = fileOf(tenant, 'arrived.png');
    await announceFiles(tenant.services, [file]);
    await store(tenant, getObjectKey(file));
    expect(await reconcile(json, '--repair')).not.toHaveProperty('unconfirmed');
    clock.advance(25 * HOUR);
    expect(await reconcile(json, '--repair')).toMatchObject({ unconfirmed: '1, 1 repaired' });
    const { table } = tenant.services;
    expect(await table.get(artifacts, file)).toMatchObject({ bytes: BYTES.length, eTag: expect.any(String) });
    const { organizationId } = tenant;
    const shown = await table.get(shownFiles, { organizationId, instanceId: INSTANCE });
    expect(shown?.pictures).toHaveProperty([file.objectName]);
    expect(await reconcile(json, '--repair')).not.toHaveProperty('unconfirmed');
  });

  test('files reconcile --list writes the problems to a file', async () => {
    const { tenant, json } = await administration();
    await recorded(tenant);
    const lost = fileOf(tenant, 'lost.png', { bytes: 9 });
    await announceFiles(tenant.services, [lost]);
    const list = join(await temporaryFolder(), 'problems');
    await reconcile(json, '--list', list);
    const lines = (await readFile(list, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({
      problem: 'lost',
      key: getObjectKey(lost),
      bytes: 9,
      repaired: false,
    });
  });

  test.each([
    [['--older-than', '30m'], '--older-than must be at least 1h'],
    [['--table', 'rundown-prod-restored-1'], 'Missing --bucket'],
    [
      ['--table', 'rundown-prod-restored-1', '--bucket', 'photos', '--repair'],
      '--bucket photos is not the bucket of a Rundown stack',
    ],
  ])('files reconcile refuses %j', async (words, problem) => {
    const { run } = await administration();
    const { status, errors } = await run('files', 'reconcile', ...words);
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining(problem) });
  });
});
