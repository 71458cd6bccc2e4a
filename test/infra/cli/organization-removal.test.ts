/** §5.2 Scans the table and the bucket after an organization was removed: nothing of it may remain. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { runAdmin as runCommand } from '#infra/cli/administer.ts';
import { Bucket } from '#infra/cli/archives/bucket.ts';
import { makeRowRecognizer } from '#infra/cli/archives/row-owner.ts';
import { Pace, TableScan } from '#infra/cli/archives/table-scan.ts';
import { listDueRemovals, removeNow } from '#infra/cli/remove-organization-now.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { getRowKey, removeKey } from '#shared/engine/table/writes.ts';
import { removeOrganizations } from '#shared/lifecycle/remove-organizations.ts';
import { findSecret } from '#shared/model/credential.ts';
import { unpackContent as unpacked } from '#shared/model/events/outbox-content.ts';
import { getIntegrationsSpan, integrations } from '#shared/model/issues/integration.ts';
import { cleanUpTokens } from '#shared/organizations/clean-up-tokens.ts';
import { deleteOrganization } from '#shared/organizations/delete-organization.ts';
import { sampled } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { clock } from '#test/harness/service.ts';
import { type Content, contentOf, linesOf, restore } from '#test/harness/stored-content.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import {
  administer,
  alsoElsewhere,
  type FullOrganization,
  fullOrganization,
  useRealTime,
} from './full-organization.ts';

const DAY = 24 * 3_600_000;
const TIME = { remainingMilliseconds: () => 60_000 };

async function run(...words: string[]) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(output), text(errors)]);
  const status = await runCommand(words, { output, errors });
  for (const stream of [output, errors]) stream.end();
  const [printed, complained] = await texts;
  return { status, output: printed, errors: complained };
}

/** A full organization whose Admin also belongs to another organization. `only` are the members who do not. */
async function stage() {
  const here = await fullOrganization();
  const elsewhere = await alsoElsewhere(here, here.admin);
  await administer(here.environment);
  const members: { readonly accountId: string }[] = JSON.parse(
    (await run('members', 'list', '--organization', here.organizationId, '--json')).output,
  );
  const only = members.map(({ accountId }) => accountId).filter((accountId) => accountId !== here.admin.accountId);
  const [tracker] = await here.services.table.queryAll(integrations, getIntegrationsSpan(here));
  return { ...here, elsewhere, only, tracker };
}
/** The credentials of the notification and of the issue tracker. */
function credentialsOf({ notification, tracker, ...here }: Stage) {
  const ofNotification = findSecret(notification);
  const ofTracker = tracker && findSecret(tracker);
  const ofProvider = findSecret(here.provider);
  if (!ofNotification || !ofTracker || !ofProvider) throw new Error('The organization has no credentials');
  return [
    { store: here.secrets, secret: ofNotification },
    { store: here.trackers, secret: ofTracker },
    { store: here.providers, secret: ofProvider },
  ];
}
type Stage = Awaited<ReturnType<typeof stage>>;
let shared: Promise<Stage & { readonly content: Content }> | undefined;

/** Returns the shared organization, restored to its original state. */
async function fullStage() {
  shared ??= stage().then(async (here) => ({ ...here, content: await contentOf(here.environment) }));
  const here = await shared;
  useRealTime();
  await administer(here.environment);
  await restore(here.environment, here.content);
  for (const { store, secret } of credentialsOf(here)) await store.put(secret, 'secret');
  return here;
}

/** The rows and objects that mention the organization, or the people who belong to no other organization. */
async function left({ environment, organizationId, only }: Stage): Promise<string[]> {
  const rows = await itemsOf(environment, (row) => {
    const packed = row['packed'];
    const content = JSON.stringify([row, packed instanceof Uint8Array ? unpacked(packed) : '']);
    return [organizationId, ...only].some((id) => content.includes(id));
  });
  const { objects } = await contentOf(environment);
  return [...rows.map((row) => `${row['pk']} ${row['sk']}`), ...objects.keys()].filter(
    (place) => !place.startsWith('SUBMITTED#') && (place.includes('#') || place.includes(organizationId)),
  );
}

/** What belongs to others, as sorted lines. */
const others = (here: Stage, content: Content): string[] =>
  linesOf(content).filter((line) => ![here.organizationId, ...here.only].some((id) => line.includes(id)));

async function removing(here: FullOrganization) {
  const { environment, secrets, trackers, providers } = here;
  const pace = new Pace(1e9);
  const given = { bucket: new Bucket(environment['ARTIFACTS_BUCKET'] ?? ''), recognize: await makeRowRecognizer() };
  return { ...given, secrets, trackers, providers, pace, scan: new TableScan(environment['TABLE_NAME'] ?? '', pace) };
}

/** Deletes the expired rows, as DynamoDB would. The embedded database does not do this. */
async function playTtl({ environment, services }: Stage): Promise<void> {
  const rows = await itemsOf(environment, ({ expiresAt }) => Number(expiresAt ?? Infinity) * 1000 <= Date.now());
  await services.table.writeMany(rows.map((row) => removeKey(getRowKey(row))));
}

/** Runs the sweeps of a removal once per minute, as their schedules do. Returns the organizations that were removed. */
async function sweepFor(here: Stage, minutes: number): Promise<object[]> {
  const removed: object[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.advance(61_000);
    for (const name of [
      'removeOrganizations',
      'removeProjects',
      'finishDeletions',
      'mergeAnalytics',
      'trackIssues',
      'retryDeliveries',
    ]) {
      const report = await here.runSchedule(name);
      expect({ name, report }).toMatchObject({ report: { failed: 0 } });
      if (name === 'removeOrganizations' && typeof report === 'object' && report && 'removed' in report)
        removed.push(...[report.removed].flat().filter((one) => typeof one === 'object' && one !== null));
    }
  }
  return removed;
}

describe('npm run admin -- organizations delete', () => {
  test('The keys and tokens of an organization stop working as soon as it is deleted, and work again when it is restored', async () => {
    const here = await fullStage();
    const { organizationId, keys, token } = here;
    const token200 = () => client(here.origin, token).get('/projects');
    const wrong = await run('organizations', 'delete', '--id', organizationId, '--confirm', 'Acme Inc.');
    expect(wrong).toMatchObject({ status: 2, errors: expect.stringContaining('must be the name of the organization') });
    expect((await here.reader.get('/projects')).status).toBe(200);
    const deleted = await run('organizations', 'delete', '--id', organizationId, '--confirm', 'Acme');
    expect(deleted.output).toContain(`organizations restore --id ${organizationId}`);
    for (const key of [keys.readOnly, keys.readWrite, token])
      expect((await client(here.origin, key).get('/projects')).status).toBe(401);
    await cleanUpTokens(here.services, TIME);
    clock.advance(29 * DAY);
    await here.runSchedule('removeOrganizations');
    const [first] = JSON.parse((await run('organizations', 'restore', '--id', organizationId, '--json')).output);
    expect(first).toMatchObject({ deactivatedAt: '', deletesAt: '' });
    expect((await here.reader.get('/projects')).status).toBe(200);
    expect((await token200()).status).toBe(200);
    clock.advance(2 * DAY);
    expect(await here.runSchedule('removeOrganizations')).toMatchObject({ due: 0 });
    const audit = JSON.parse((await run('audit', 'list', '--organization', organizationId, '--json')).output);
    expect(audit.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
      'organization restored',
      'organization deleted',
    ]);
  });

  test('An organization that was deactivated before its deletion stays deactivated when it is restored', async () => {
    const here = await fullStage();
    const { organizationId } = here;
    await run('organizations', 'deactivate', '--organization', organizationId);
    await run('organizations', 'delete', '--id', organizationId, '--confirm', 'Acme');
    await run('organizations', 'restore', '--id', organizationId);
    expect((await here.reader.get('/projects')).status).toBe(401);
  });

  test('organizations delete --now removes all rows, objects and credentials of the organization and of people who belong to no other one, and changes nothing else', async () => {
    const here = await fullStage();
    const { organizationId, content } = here;
    expect((await left(here)).length).toBeGreaterThan(100);
    const before = others(here, content);
    const removed = await run('organizations', 'delete', '--id', organizationId, '--confirm', 'Acme', '--now');
    expect(removed).toMatchObject({ status: 0, output: expect.stringContaining('Keep this output') });
    expect(await left(here)).toEqual([]);
    expect(others(here, await contentOf(here.environment))).toEqual(before);
    for (const { store, secret } of credentialsOf(here)) expect(await store.get(secret)).toBeUndefined();
    const again = await run('organizations', 'delete', '--id', organizationId, '--confirm', 'Acme', '--now');
    expect(again).toMatchObject({ status: 2, errors: expect.stringContaining('pass the id as --confirm') });
    const sure = ['organizations', 'delete', '--id', organizationId, '--confirm', organizationId, '--now', '--json'];
    expect(JSON.parse((await run(...sure)).output)).toMatchObject([{ rows: '0', objects: '0' }]);
  });

  test('A removal with --now that is interrupted after any of its writes is completed by repeating it', async () => {
    const here = await fullStage();
    const { organizationId, services } = here;
    await deleteOrganization(services, { organizationId, actor: OPERATOR, atOnce: true });
    const [due = { organizationId, name: '', dueAt: 0, deletedBy: '', deletedAt: 0 }] = await listDueRemovals(
      services,
      here,
    );
    const { bucket, ...targets } = await removing(here);
    const result = await interruptions({
      environment: here.environment,
      services: { table: services.table, now: services.now, randomId: services.randomId, artifacts: bucket },
      handle: ({ artifacts, ...given }) => {
        // Lists through `bucket` itself, because the interrupted `artifacts` would return a promise, not an iterable.
        const files = {
          pages: (prefix?: string) => bucket.pages(prefix),
          remove: (key: string) => artifacts.remove(key),
        };
        return removeNow({ ...targets, services: given, bucket: files }, due, () => {});
      },
      sample: 2,
    });
    expect(result.writes).toBeGreaterThan(200);
    expect(result).toMatchObject({ differing: [], repeated: [] });
  });
});

describe('The removal of an organization by the schedule', () => {
  test.each(sampled(['none', 0, 1, 2, 3, 5, 8, 13, 21], 5))(
    'The schedule reports a deleted organization, removes all its data and keeps the data of others, with or without an interruption (writes before it: %s)',
    async (writes) => {
      const here = await fullStage();
      const { organizationId, services, content } = here;
      const before = others(here, content).filter((line) => !/"(DUE|OUTBOX|SUBMITTED)#/.test(line));
      await deleteOrganization(services, { organizationId, actor: OPERATOR, atOnce: false });
      clock.advance(30 * DAY - 60_000);
      await here.runSchedule('removeOrganizations');
      expect((await run('organizations', 'list')).output).toContain(organizationId);
      clock.advance(61_000);
      if (typeof writes === 'number')
        await removeOrganizations(
          { ...dyingAfter(services, writes), trackers: here.trackers, providers: here.providers },
          TIME,
        );
      const removed = await sweepFor(here, 8);
      expect(removed).toMatchObject([{ organizationId, name: 'Acme', deletedBy: 'operator' }]);
      for (const { store, secret } of credentialsOf(here)) expect(await store.get(secret)).toBeUndefined();
      // Imports, the last rows that expire by themselves, do so after 90 days.
      clock.advance(61 * DAY);
      await sweepFor(here, 1);
      // An erasure that was still due ends, because its person is gone.
      await here.runSchedule('erasePeople');
      await playTtl(here);
      // The events of a running service leave the outbox, and a lifecycle rule of the bucket removes caches.
      expect((await left(here)).filter((place) => !/^(OUTBOX#|cache\/)/.test(place))).toEqual([]);
      // The organization that remains is noted as the only one, to which limits do not apply.
      const after = linesOf(await contentOf(here.environment)).map((line) =>
        line.replace(/"isOnly":\{"BOOL":true\},?/, ''),
      );
      expect(before.filter((line) => !after.includes(line) && !line.includes('"expiresAt"'))).toEqual([]);
    },
  );
});
