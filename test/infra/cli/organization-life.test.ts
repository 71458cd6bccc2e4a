/** §5 Moves whole organizations between two services with real stores. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import { runAdmin as runCommand } from '#infra/cli/administer.ts';
import { type ArchiveStore, makeArchiveStore } from '#infra/cli/archives/archive-store.ts';
import { Bucket } from '#infra/cli/archives/bucket.ts';
import { exportOrganization } from '#infra/cli/archives/export-organization.ts';
import { importOrganization } from '#infra/cli/archives/import-organization.ts';
import { makeRowRecognizer } from '#infra/cli/archives/row-owner.ts';
import { Pace, TableScan } from '#infra/cli/archives/table-scan.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { getRowKey } from '#shared/engine/table/writes.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { sampled } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { service } from '#test/harness/service.ts';
import { type Content, restore, contentOf as storedIn, linesOf as storedLines } from '#test/harness/stored-content.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { readAll } from '#test/release/released.ts';
import {
  administer,
  emptyService,
  type FullOrganization,
  fullOrganization,
  lastingFolder,
} from './full-organization.ts';
import { changeLine, changeManifest, contentOf, copied, linesOf, replacePart } from './tampered.ts';

/** Runs a command of `npm run admin` on the chosen service. */
async function run(...words: string[]) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(output), text(errors)]);
  const status = await runCommand(words, { output, errors });
  for (const stream of [output, errors]) stream.end();
  const [printed, complained] = await texts;
  return { status, output: printed, errors: complained };
}

/** A full organization and its archive, which several tests share. */
async function stage() {
  const here = await fullOrganization();
  const folder = await lastingFolder();
  await administer(here.environment);
  // The removal of another organization of this person is under way.
  await here.services.table.update(accounts, here.admin, { set: [['leaving', 'elsewhere']] });
  const exported = await run('organizations', 'export', '--id', here.organizationId, '--to', folder);
  return { here, folder, exported };
}
let shared: ReturnType<typeof stage> | undefined;
const sharedStage = () => (shared ??= stage());

let spare: Promise<Awaited<ReturnType<typeof emptyService>> & { readonly empty: Content }> | undefined;
/** Returns a service that several tests share, without any data. Commands of `npm run admin` work on this service. */
async function emptied() {
  spare ??= emptyService().then(async (other) => ({ ...other, empty: await storedIn(other.environment) }));
  const other = await spare;
  await administer(other.environment);
  await restore(other.environment, other.empty);
  return other;
}

const withoutCursors = (answers: object): unknown =>
  JSON.parse(JSON.stringify(answers), (name, value) => (name === 'cursor' ? '' : value));

/** The archive has no member who has an account in the new service. */
const nobody = async () => {
  throw new Error('Nobody is a member here');
};

/** Small pages, so that an export can be interrupted in many places. */
const PAGE_ROWS = 40;

const sourcesOf = async (here: FullOrganization, archive: ArchiveStore) => ({
  services: here.services,
  scan: new TableScan(here.environment['TABLE_NAME'] ?? '', new Pace(1e9), PAGE_ROWS),
  bucket: new Bucket(here.environment['ARTIFACTS_BUCKET'] ?? ''),
  recognize: await makeRowRecognizer(),
  archive,
});

const organizationOf = async ({ services: { table }, organizationId }: FullOrganization) => {
  const found = await table.get(organizations, { organizationId });
  if (!found) throw new Error('The organization is gone');
  return found;
};

/** Kinds of rows that count use. No archive contains them, and some exist only if a random request was counted. */
const OF_USE = ['requests of a credential', 'requests of a month', 'stored bytes'];

describe('npm run admin -- organizations export and import', () => {
  test('After an organization is imported into an empty service, every read operation responds as before, except that webhooks and connections have no secrets, and repeating the import changes nothing', async () => {
    const { here, folder, exported } = await sharedStage();
    const { world, keys, hookId, organizationId } = here;
    expect(exported.output).toContain('complete');
    const before = await readAll(here.origin, { ...world, keys });
    const other = await emptyService();
    await administer(other.environment);
    const imported = await run('organizations', 'import', '--from', folder);
    expect(imported).toMatchObject({ status: 0, output: expect.stringContaining('imported') });
    for (const what of ['signing secret of a webhook', 'headers of a webhook', 'credential of a notification', 'Jira'])
      expect(imported.errors).toContain(what);
    const stored = storedLines(await storedIn(other.environment));
    expect((await run('organizations', 'import', '--from', folder)).output).toContain('was imported before');
    expect(storedLines(await storedIn(other.environment))).toEqual(stored);
    const after = await readAll(other.origin, { ...world, keys });
    const withoutSecrets = JSON.parse(JSON.stringify(before), (_name, value) => {
      if (value?.hookId === hookId && 'signed' in value) return { ...value, headers: null, signed: false };
      return value?.name === 'Jira' && 'problem' in value
        ? { ...value, problem: 'The token is missing. Enter it again' }
        : value;
    });
    expect(withoutCursors(after)).toEqual(withoutCursors(withoutSecrets));
    expect((await client(other.origin, here.token).get('/projects')).status).toBe(200);
    const { body } = await client(other.origin, keys.readWrite).post('/projects', { name: 'Written here' });
    expect(body.status).toBe('OK');
    const actions = JSON.parse((await run('audit', 'list', '--organization', organizationId, '--json')).output);
    expect(actions.map(({ action }: { action: string }) => action)).toContain('organization imported');
  });

  test('An archive contains every kind of row of the organization except the kinds that this test lists, and no secret, and repeating the export changes nothing', async () => {
    const { here, folder, exported } = await sharedStage();
    const recognize = await makeRowRecognizer();
    const rows = (await itemsOf(here.environment, () => true)).map((row) => ({ ...row, ...getRowKey(row) }));
    expect(rows.filter((row) => !recognize(row))).toEqual([]);
    const own = rows.filter((row) => recognize(row)?.belongsTo(here.organizationId));
    const lines = [...(await linesOf(folder, 'rows')), ...(await linesOf(folder, 'work'))];
    const archived = new Set(lines.map((line) => JSON.parse(line).Item).map(({ pk, sk }) => `${pk.S} ${sk.S}`));
    const missing = own
      .filter(({ pk, sk }) => !archived.has(`${pk} ${sk}`))
      .flatMap((row) => recognize(row)?.type ?? [])
      .filter((type) => !OF_USE.includes(type));
    expect([...new Set(missing)].sort()).toEqual([
      'OAuth grant',
      'OAuth grant, listed',
      'OAuth item',
      'SCIM token',
      'SCIM token, listed',
      // Written after the archive.
      'audit record',
      'cached version',
      'call slots',
      // Made from the accounts of the archive.
      'company account, by address',
      'company identity',
      'company provider',
      'known terms',
      'news for Admins',
      'organization',
      'organization, listed',
      'outbox',
      'parked outbox row',
      'proven domain',
      'proven domain, listed',
      'trusted repository',
      'turn to create',
    ]);
    expect(missing.filter((type) => type === 'audit record')).toHaveLength(1);
    const present = new Set(own.map((row) => recognize(row)?.type));
    const kinds = (await loadRowKinds()).map(({ type }) => type);
    // Rows of people and of the service, work that lasts for a moment, and rows that this organization happens to lack.
    expect(kinds.filter((type) => !present.has(type) && !OF_USE.includes(type)).sort()).toEqual([
      'account',
      'account, by address',
      'active organizations',
      'analytics, pending run',
      'automatic issue',
      'automatic issues of a day',
      'build credential',
      'challenge secret',
      'checkpoint',
      'confirmation code',
      'deletion of a run',
      'delivery of a notification',
      'due deletion',
      'due delivery',
      'due files',
      'due organization',
      'due project',
      'ended run',
      'exported day',
      'issue draft',
      'issue quarantine',
      'issuer keys',
      'orchestration task',
      'outbox retry',
      'passkey',
      'passkey, listed',
      'provider identity',
      'provider identity, listed',
      'question of a leg',
      'renamed test',
      'session',
      'session, listed',
      'shard plan',
      'sign-in link',
      'sign-in link, of an account',
      'start lock',
      'stopped run',
      'submitted form',
      'target of a notification',
      'tries of a job',
      'try of a build',
      'used challenge',
    ]);
    const texts = JSON.stringify([await contentOf(folder), exported]);
    for (const secret of here.hidden) expect(texts).not.toContain(secret);
    const before = await contentOf(folder);
    await administer(here.environment);
    const again = await run('organizations', 'export', '--id', here.organizationId, '--to', folder);
    expect(again.output).toContain('was complete before');
    expect(await contentOf(folder)).toEqual(before);
  });

  test.each(sampled([0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99], 3))(
    'Repeating an export that was interrupted after a fraction of %f of its writes completes the same archive',
    async (share) => {
      const { here } = await sharedStage();
      const organization = await organizationOf(here);
      const sizes = { partBytes: 20_000, partPages: 1 };
      const exporting = async (folder: string, mayWrite: () => boolean = () => true) => {
        const store = makeArchiveStore(folder);
        const write: ArchiveStore['write'] = async (...given) => {
          if (!mayWrite()) throw new Error('The process has died');
          await store.write(...given);
        };
        const mortal = {
          ...{ place: folder, open: (name: string) => store.open(name), remove: (name: string) => store.remove(name) },
          write,
        };
        await exportOrganization(await sourcesOf(here, mortal), organization, () => {}, sizes);
      };
      const whole = await lastingFolder();
      let writes = 0;
      await exporting(whole, () => {
        writes += 1;
        return true;
      });
      expect(writes).toBeGreaterThan(20);
      const folder = await lastingFolder();
      let left = Math.floor(share * writes);
      await expect(exporting(folder, () => left-- > 0)).rejects.toThrow('died');
      await exporting(folder);
      expect(await contentOf(folder)).toEqual(await contentOf(whole));
    },
  );

  test('An import that is interrupted after any of its writes is completed by repeating it, with the same result', async () => {
    const { folder } = await sharedStage();
    const other = await emptied();
    const { table, now, randomId } = other.services;
    const result = await interruptions({
      environment: other.environment,
      services: { table, now, randomId, artifacts: new Bucket(other.environment['ARTIFACTS_BUCKET'] ?? '') },
      handle: async ({ artifacts: bucket, ...services }) =>
        importOrganization(
          {
            ...{ services, bucket, recognize: await makeRowRecognizer(), archive: makeArchiveStore(folder) },
            ...{ pace: new Pace(1e9), actor: OPERATOR, approve: nobody },
          },
          () => {},
        ),
      normal: (line) =>
        line
          .replace(/"cursorSecret":\{"B":"[^"]*"\}/, '')
          .replace(/("sk":\{"S":"AUDIT#\w+#)\w+/, '$1')
          .replace(/"auditId":\{"S":"\w+"\}/, ''),
    });
    expect(result.writes).toBeGreaterThan(200);
    expect(result).toMatchObject({ differing: [], repeated: [] });
  });

  test('An organization can be exported to an S3 bucket and imported from it', async () => {
    const here = await service();
    await administer(here.environment);
    const place = `s3://${here.environment['ARTIFACTS_BUCKET']}/archives/${here.organizationId}`;
    const exported = await run('organizations', 'export', '--id', here.organizationId, '--to', place);
    expect(exported).toMatchObject({ status: 0, output: expect.stringContaining('complete') });
    const other = await emptied();
    expect(await run('organizations', 'import', '--from', place)).toMatchObject({ status: 0 });
    expect((await client(other.origin, here.keys.readOnly).get(`/projects/${here.projectId}`)).body).toEqual(
      (await here.reader.get(`/projects/${here.projectId}`)).body,
    );
  });
});

const typed = (row: object) => JSON.stringify({ Item: row });
const OTHER = 'f'.repeat(16);

describe('The import of an archive that was changed', () => {
  test.each<[string, string, (folder: string, organizationId: string) => Promise<unknown>]>([
    [
      'a row in the partition of another organization',
      'belongs to another organization',
      (folder, id) =>
        changeLine(folder, {
          kind: 'rows',
          containing: '"RUN#',
          change: (line) => line.replaceAll(`#${id}`, `#${OTHER}`),
        }),
    ],
    [
      'a row whose content names another organization',
      'belongs to another organization',
      (folder, id) =>
        changeLine(folder, {
          kind: 'rows',
          containing: '"organizationId"',
          change: (line) => line.replace(`"organizationId":{"S":"${id}"}`, `"organizationId":{"S":"${OTHER}"}`),
        }),
    ],
    [
      'an API key of another organization',
      'belongs to another organization',
      (folder, id) =>
        changeLine(folder, { kind: 'rows', containing: '"KEY#', change: (line) => line.replaceAll(id, OTHER) }),
    ],
    [
      'an API key with another hash',
      'belongs to another organization',
      (folder) =>
        changeLine(folder, {
          kind: 'rows',
          containing: '{"S":"KEY#',
          change: (line) => line.replace(/"S":"KEY#\w+/, `"S":"KEY#${'0'.repeat(64)}`),
        }),
    ],
    [
      'work of another organization',
      'belongs to another organization',
      (folder, id) =>
        changeLine(folder, { kind: 'work', containing: 'DUE#', change: (line) => line.replaceAll(id, OTHER) }),
    ],
    [
      'the secret of the passkey challenges',
      'is of a kind that no archive contains',
      (folder) =>
        changeLine(folder, {
          kind: 'rows',
          containing: 'Item',
          change: () => typed({ pk: { S: 'CHALLENGES' }, sk: { S: 'SECRET' } }),
        }),
    ],
    [
      'a row of an unknown kind',
      'is of a kind that no archive contains',
      (folder, id) =>
        changeLine(folder, {
          kind: 'rows',
          containing: 'Item',
          change: () => typed({ pk: { S: `RUN#${id}#1` }, sk: { S: 'OTHER#1' } }),
        }),
    ],
    [
      'an account among the rows',
      'is in the wrong part',
      (folder) =>
        changeLine(folder, {
          kind: 'rows',
          containing: 'Item',
          change: () => typed({ pk: { S: 'ACCOUNT#1' }, sk: { S: 'ACCOUNT' }, accountId: { S: '1' } }),
        }),
    ],
    [
      'an account that another organization manages',
      'which another organization manages',
      (folder) =>
        changeLine(folder, {
          kind: 'people',
          containing: '"S":"ACCOUNT"',
          change: (line) => typed({ ...JSON.parse(line).Item, managedBy: { S: OTHER } }),
        }),
    ],
    [
      'the account of somebody who is not a member',
      'but no membership of this person',
      (folder) =>
        changeLine(folder, {
          kind: 'people',
          containing: '"S":"ACCOUNT"',
          change: (line) => {
            const stranger = { accountId: 'e'.repeat(16), email: 'eve@example.com' };
            const { managedBy: _, ...row } = JSON.parse(line).Item;
            const changed = { ...row, pk: { S: `ACCOUNT#${stranger.accountId}` } };
            const own = { accountId: { S: stranger.accountId }, email: { S: stranger.email } };
            return `${line}\n${typed({ ...changed, ...own })}`;
          },
        }),
    ],
    [
      'a row of more than 400 KB',
      'is larger than 400 KB',
      (folder) =>
        changeLine(folder, {
          kind: 'rows',
          containing: '"AUDIT#',
          change: (line) => line.replace('"detail":{"S":"', `"detail":{"S":"${'x'.repeat(410_000)}`),
        }),
    ],
    [
      'a line that is not a row',
      'line 1: the line does not have the format of an export',
      (folder) => changeLine(folder, { kind: 'rows', containing: 'Item', change: () => '{"Item":{"pk":{"N":"1"}}}' }),
    ],
    [
      'a file name that leaves its folder',
      'is not the name of a file of the organization',
      (folder, id) =>
        changeLine(folder, { kind: 'files', containing: id, change: (line) => line.replace(id, `${id}/../../etc`) }),
    ],
    [
      'a file of another organization',
      'is not the name of a file of the organization',
      (folder, id) => changeLine(folder, { kind: 'files', containing: id, change: (line) => line.replace(id, OTHER) }),
    ],
    [
      'a part whose name leaves the folder',
      'manifest.json is damaged at parts.0.name',
      (folder) =>
        changeManifest(folder, ({ parts, ...manifest }) => ({
          ...manifest,
          parts: parts.map((part) => ({ ...part, name: `../${part.name}` })),
        })),
    ],
    [
      'another organization in its manifest',
      'The manifest does not describe the organization of the archive',
      (folder) => changeManifest(folder, (manifest) => ({ ...manifest, organizationId: OTHER })),
    ],
    [
      'a manifest of a later version',
      'Import it with version 99.0.0 or a later one',
      (folder) => changeManifest(folder, (manifest) => ({ ...manifest, release: '99.0.0' })),
    ],
    [
      'a part that unpacks to more than the manifest says',
      'contains more data than the manifest says',
      (folder) => replacePart(folder, 'rows', Buffer.alloc(8_000_000, '\n'), { contentBytes: 1000 }),
    ],
    [
      'a part that is not a gzip file',
      'is damaged',
      async (folder) => {
        const content = Buffer.from('not gzip');
        const sha256 = 'a'.repeat(64);
        await replacePart(folder, 'rows', content, { sha256, bytes: content.length });
        await writeFile(join(folder, 'rows-000001.ndjson.gz'), content);
      },
    ],
    [
      'a part that does not have the checksum in the manifest',
      'does not match its checksum',
      (folder) => replacePart(folder, 'people', Buffer.from('\n'), { sha256: 'a'.repeat(64), lines: 0 }),
    ],
    ['a missing part', 'is missing', (folder) => rm(join(folder, 'rows-000001.ndjson.gz'))],
    ['a missing manifest', 'has no manifest.json', (folder) => rm(join(folder, 'manifest.json'))],
    [
      'a changed file',
      'does not match its checksum',
      async (folder) => {
        const [line = '{}'] = await linesOf(folder, 'files');
        await writeFile(join(folder, 'files', JSON.parse(line).key), 'other bytes');
      },
    ],
  ])('is refused if the archive has %s, and nothing is written', async (_, problem, change) => {
    const { here, folder } = await sharedStage();
    const changed = await copied(folder);
    await change(changed, here.organizationId);
    const other = await emptied();
    const before = storedLines(await storedIn(other.environment));
    const { status, errors } = await run('organizations', 'import', '--from', changed);
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining(problem) });
    expect(storedLines(await storedIn(other.environment))).toEqual(before);
  });
});

describe('npm run admin -- organizations import refuses', () => {
  test('an organization that exists with other content, and leaves it unchanged', async () => {
    const { here, folder } = await sharedStage();
    await administer(here.environment);
    await here.api.post('/projects', { name: 'New' });
    const changed = await copied(folder);
    await changeLine(changed, {
      kind: 'rows',
      containing: '"name":{"S":"Shop"}',
      change: (line) => line.replace('Shop', 'Store'),
    });
    const before = storedLines(await storedIn(here.environment));
    const { status, errors } = await run('organizations', 'import', '--from', changed);
    expect({ status, errors }).toEqual({
      status: 2,
      errors: expect.stringContaining('exists here with other content'),
    });
    expect(storedLines(await storedIn(here.environment))).toEqual(before);
  });

  test('a person whose email address belongs to another account in the target service', async () => {
    const { here, folder } = await sharedStage();
    await emptied();
    const { email } = here.admin;
    await run('accounts', 'create', '--email', email, '--name', 'Alex');
    const { status, errors } = await run('organizations', 'import', '--from', folder);
    expect({ status, errors }).toEqual({
      status: 2,
      errors: expect.stringMatching(new RegExp(`have a different account here.*: ${email}\\. Remove them`)),
    });
  });

  test('another archive of an organization whose import was interrupted, until the organization is deleted with --now', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const later = await copied(folder);
    await changeManifest(later, (manifest) => ({ ...manifest, finishedAt: new Date().toISOString() }));
    const { table, now, randomId } = other.services;
    const targets = {
      ...{ services: { table, now, randomId }, bucket: new Bucket(other.environment['ARTIFACTS_BUCKET'] ?? '') },
      ...{ recognize: await makeRowRecognizer(), archive: makeArchiveStore(folder), pace: new Pace(1e9) },
      ...{ actor: OPERATOR, approve: nobody },
    };
    const dies = (soFar: { step: string }) => {
      if (soFar.step === 'imported') throw new Error('The process has died');
    };
    await expect(importOrganization(targets, dies)).rejects.toThrow('died');
    const refused = await run('organizations', 'import', '--from', later);
    const [, advice = ''] = /npm run admin -- (organizations delete .*--now)/.exec(refused.errors) ?? [];
    expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining('whose import was interrupted') });
    expect(await run(...advice.split(' '))).toMatchObject({ status: 0 });
    expect(await storedIn(other.environment)).toMatchObject({ objects: new Map() });
    expect(await run('organizations', 'import', '--from', later)).toMatchObject({ status: 0 });
    expect((await client(other.origin, here.keys.readOnly).get('/projects')).status).toBe(200);
  });
});

describe('npm run admin -- organizations export refuses', () => {
  test('a folder with another archive, an unknown organization, zero capacity units, and a malformed bucket address', async () => {
    const { here, folder } = await sharedStage();
    await administer(here.environment);
    const { organizationId } = await createOrganization(here.services, { name: 'Other', actor: OPERATOR });
    const to = async (...words: string[]) => run('organizations', 'export', ...words);
    expect((await to('--id', organizationId, '--to', folder)).errors).toContain('does not belong to this export');
    expect((await to('--id', 'unknown', '--to', folder)).errors).toContain('Organization not found');
    const nothing = await to('--id', organizationId, '--to', await lastingFolder(), '--units', '0');
    expect(nothing).toMatchObject({ status: 2, errors: expect.stringContaining('--units must be at least 1') });
    expect((await to('--id', organizationId, '--to', 's3:/x')).errors).toContain('s3://<bucket>/<prefix>');
  });
});
