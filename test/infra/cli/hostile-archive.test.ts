/** §5 Imports archives that somebody made or changed, to gain more than the organization. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runAdmin as runCommand } from '#infra/cli/administer.ts';
import { IMPORTABLE } from '#infra/cli/archives/importable-rows.ts';
import { makeRowRecognizer } from '#infra/cli/archives/row-owner.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { createBadge } from '#shared/badges/badges.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { verifyIntegration } from '#shared/issues/integrations.ts';
import { formatSecretName, hasCredential, readCredential } from '#shared/model/credential.ts';
import { notifications } from '#shared/model/events/notification.ts';
import { getIntegrationsSpan, type Integration, integrations } from '#shared/model/issues/integration.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { getPasskeysSpan, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { connectSecrets, connectTrackers } from '#shared/platform/connect.ts';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { type Content, restore, contentOf as storedIn } from '#test/harness/stored-content.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import { signIn } from '#test/harness/visitor.ts';
import {
  administer,
  emptyService,
  type FullOrganization,
  fullOrganization,
  lastingFolder,
} from './full-organization.ts';
import { archiveOf, changeLine, changeManifest, copied, linesOf, typedLine } from './tampered.ts';

/** Runs a command of `npm run admin` on the chosen service. `answer` is what the operator types. */
async function run(words: readonly string[], answer?: string) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(output), text(errors)]);
  const input = answer === undefined ? {} : { input: new PassThrough().end(`${answer}\n`) };
  const status = await runCommand([...words], { output, errors, ...input });
  for (const stream of [output, errors]) stream.end();
  const [printed, complained] = await texts;
  return { status, output: printed, errors: complained };
}

const importing = (folder: string, ...more: string[]) => run(['organizations', 'import', '--from', folder, ...more]);
const listOf = async (...words: string[]) => JSON.parse((await run([...words, '--json'])).output);

async function stage() {
  const here = await fullOrganization();
  const folder = await lastingFolder();
  await administer(here.environment);
  await run(['organizations', 'export', '--id', here.organizationId, '--to', folder]);
  return { here, folder };
}
let shared: ReturnType<typeof stage> | undefined;
const sharedStage = () => (shared ??= stage());

let spare: Promise<Awaited<ReturnType<typeof emptyService>> & { readonly empty: Content }> | undefined;
/** A service without any data, to which the archive is imported. Commands of `npm run admin` work on it. */
async function emptied() {
  spare ??= emptyService().then(async (other) => ({ ...other, empty: await storedIn(other.environment) }));
  const other = await spare;
  await administer(other.environment);
  await restore(other.environment, other.empty);
  return other;
}

const OTHER = 'f'.repeat(16);

/** Changes a row of this kind so that no import may accept it. */
function variantsOf(type: string, row: Attributes, { organizationId }: FullOrganization): Record<string, string> {
  const { kind, pickImportable } = IMPORTABLE.get(type) ?? {};
  if (kind === 'leftOut') return { whole: typedLine(row) };
  const isListed = Object.keys(pickImportable?.({ secretName: '' }) ?? {}).length === 0;
  return {
    ...(isListed ? { named: typedLine({ ...row, secretName: `${OTHER}/token` }) } : {}),
    // Accounts do not name the organization.
    ...(kind === 'people' ? {} : { foreign: typedLine(row).replaceAll(organizationId, OTHER) }),
    ...(kind === 'people' ? {} : { stated: typedLine({ ...row, organizationId: OTHER }) }),
  };
}

describe('A hostile row in an archive', () => {
  test('A row of each kind is refused if it belongs to another organization, sets an attribute that an import does not set, or is of a kind that no archive contains', async () => {
    const { here, folder } = await sharedStage();
    await emptied();
    const recognize = await makeRowRecognizer();
    const found = await itemsOf(here.environment, () => true);
    const samples = new Map(
      found.flatMap((row) => {
        const { type } = recognize({ ...row, pk: String(row['pk']), sk: String(row['sk']) }) ?? {};
        return type === undefined ? [] : [[type, row] as const];
      }),
    );
    const kindOf = (type: string) => {
      if (IMPORTABLE.get(type)?.kind === 'people') return 'people';
      return type.startsWith('due ') ? 'work' : 'rows';
    };
    const accepted: string[] = [];
    const tried = new Set<string>();
    for (const [type, row] of samples) {
      for (const [variant, line] of Object.entries(variantsOf(type, row, here))) {
        const place = await archiveOf(folder, kindOf(type), [line]);
        const { status, errors } = await importing(place);
        tried.add(type);
        attack('hostile archives');
        if (status === 0 || !/belongs to another organization|does not set|of a kind that no archive/.test(errors))
          accepted.push(`${type} (${variant}): ${errors}`);
      }
    }
    expect(accepted).toEqual([]);
    expect(tried.size).toBeGreaterThan(60);
    expect((await listOf('organizations', 'list')).length).toBe(0);
  });

  test.each<[string, string, string, (row: Record<string, object>) => object]>([
    [
      'rows',
      'the credential of another organization',
      '"INTEGRATION#',
      (row) => ({ ...row, secretName: { S: `${OTHER}/1` } }),
    ],
    [
      'rows',
      'the credential of a notification',
      '"S":"NOTIFICATION"',
      (row) => ({ ...row, secretName: { S: `${OTHER}/1` } }),
    ],
    ['rows', 'headers for a webhook', '"S":"WEBHOOK"', (row) => ({ ...row, headers: { S: '{"authorization":"x"}' } })],
    ['rows', 'a token that never expires', '{"S":"TOKEN#', (row) => ({ ...row, validUntil: { N: '9e14' } })],
    ['rows', 'a negative number of webhooks', '"S":"PROJECT"', (row) => ({ ...row, webhookCount: { N: '-1000' } })],
    ['people', 'a proven passkey', '"S":"ACCOUNT"', (row) => ({ ...row, passkeys: { N: '1' } })],
  ])('In %s, %s is refused', async (kind, _, containing, change) => {
    const { folder } = await sharedStage();
    await emptied();
    const place = await copied(folder);
    await changeLine(place, {
      kind,
      containing,
      change: (line) => JSON.stringify({ Item: change(JSON.parse(line).Item) }),
    });
    attack('hostile archives');
    expect(await importing(place)).toMatchObject({ status: 2, errors: expect.stringContaining('does not set') });
  });

  test.each([
    ['file', '"sk":{"S":"ARTIFACT#'],
    ['list of the shown files', '"pk":{"S":"FILES#'],
  ])('The row of a %s that leads to a file of another organization is refused', async (_, containing) => {
    const { folder } = await sharedStage();
    await emptied();
    const name = `../../${OTHER}/file`;
    const place = await copied(folder);
    await changeLine(place, {
      kind: 'rows',
      containing,
      change: (line) => {
        const row = JSON.parse(line).Item;
        const changed = row.objectName
          ? { ...row, objectName: { S: name }, sk: { S: `ARTIFACT#${name}` } }
          : { ...row, traces: { M: { [name]: { N: '0' } } } };
        return JSON.stringify({ Item: changed });
      },
    });
    attack('hostile archives');
    expect((await importing(place)).errors).toContain('leads to a file of another organization');
    expect(await listOf('organizations', 'list')).toEqual([]);
  });

  test('A row that unpacks to an enormous value is refused before it is unpacked', async () => {
    const { folder } = await sharedStage();
    await emptied();
    const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, '[')).toString('base64');
    const place = await copied(folder);
    await changeLine(place, {
      kind: 'rows',
      containing: '"packed":{"B":"',
      change: (line) => line.replace(/"packed":\{"B":"[^"]*"/, `"packed":{"B":"${bomb}"`),
    });
    attack('hostile archives');
    expect(await importing(place)).toMatchObject({ status: 2, errors: expect.stringContaining('unpacks to more') });
  });

  test('An entry in a list that leads to a row of another organization is refused, so that the removal of the organization cannot delete that row', async () => {
    const { folder } = await sharedStage();
    const other = await emptied();
    const victim = await createOrganization(other.services, { name: 'Victim', actor: OPERATOR });
    const [{ projectId }] = await listOf(
      ...['projects', 'create', '--organization', victim.organizationId, '--name', 'Shop'],
    );
    const badge = await createBadge(other.services, {
      ...{ organizationId: victim.organizationId, projectId, actor: OPERATOR, branch: 'main', label: 'tests' },
    });
    const place = await copied(folder);
    await changeLine(place, {
      kind: 'rows',
      containing: '"pk":{"S":"BADGES#',
      change: (line) =>
        line
          .replace(/"sk":\{"S":"BADGE#[^"]*"/, `"sk":{"S":"BADGE#${badge.badgeId}"`)
          .replace(/"badgeId":\{"S":"[^"]*"/, `"badgeId":{"S":"${badge.badgeId}"`),
    });
    expect(await importing(place)).toMatchObject({
      status: 2,
      errors: expect.stringContaining('leads to a row of another organization'),
    });
  });
});

describe('After the import of an archive', () => {
  test('A connection and a notification have no credential, pages and commands say so, and a new one can be entered', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    expect(JSON.stringify(await linesOf(folder, 'rows'))).not.toContain('secretName');
    expect(await importing(folder)).toMatchObject({ status: 0 });
    const { organizationId, projectId } = here;
    const [connection] = await other.services.table.queryAll(integrations, getIntegrationsSpan(here));
    const notification = await other.services.table.get(notifications, {
      ...{ organizationId, hookId: here.notification.hookId },
    });
    expect([connection, notification].map((row) => row && hasCredential(row))).toEqual([false, false]);
    const admin = await signIn({ ...here, ...other }, here.admin);
    expect((await admin.get(`/${organizationId}/settings/integrations`)).text).toContain('The token is missing');
    expect((await admin.get(`/${organizationId}/${projectId}/notifications`)).text).toContain(
      'The credential is missing',
    );
    const listed = await listOf(...['notifications', 'list', '--organization', organizationId, '--project', projectId]);
    expect(listed).toMatchObject([{ problem: 'the credential is missing; enter it again' }]);
    const file = join(await lastingFolder(), 'credential');
    await writeFile(file, 'https://hooks.slack.com/services/T0/B0/again');
    const save = ['notifications', 'slack', '--organization', organizationId, '--project', projectId, '--runs', 'all'];
    expect((await run(save)).errors).toContain('has no credential yet');
    expect(await run([...save, '--credential', file])).toMatchObject({ status: 0 });
    const saved = await other.services.table.get(notifications, here.notification);
    expect(saved && hasCredential(saved)).toBe(true);
  });

  test('Its people have accounts without a verified address and without passkeys, which another organization does not take without a question', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    expect(await importing(folder)).toMatchObject({ status: 0 });
    const account = await other.services.table.get(accounts, here.admin);
    expect(account).toMatchObject({ passkeys: 0, unproven: { organizationId: here.organizationId } });
    expect(await other.services.table.queryAll(passkeysOfAccount, getPasskeysSpan(here.admin))).toEqual([]);
    const { organizationId } = await createOrganization(other.services, { name: 'Other', actor: OPERATOR });
    const add = ['members', 'add', '--organization', organizationId, '--email', here.admin.email, '--role', 'admin'];
    const refused = await run(add);
    expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining('by the import of Acme') });
    const link = await listOf('accounts', 'link', '--email', here.admin.email, '--origin', 'http://localhost');
    expect(link).toMatchObject([{ made: expect.stringContaining('by the import of Acme') }]);
    expect(await run(add)).toMatchObject({ status: 0 });
  });

  test('The limits and the number of Admins in the archive are not those of the organization, and the operator reads which limits were left out', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const place = await copied(folder);
    await changeManifest(place, (manifest) => ({
      ...manifest,
      organization: { ...manifest.organization, admins: { N: '99' } },
    }));
    const imported = await importing(place);
    expect(imported.errors).toContain('requestsPerMonth 5000000');
    const organization = await other.services.table.get(organizations, here);
    expect(organization).not.toHaveProperty('limits');
    const members = await listOf('members', 'list', '--organization', here.organizationId);
    expect(organization?.admins).toBe(members.filter(({ role }: { role: string }) => role === 'admin').length);
    expect((await importing(place)).output).toContain('was imported before');
  });

  test('Audit records of the archive are marked as imported, on the page and in the list, even if the archive denies it', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const place = await copied(folder);
    await changeLine(place, {
      kind: 'rows',
      containing: '"AUDIT#',
      change: (line) => {
        const row = JSON.parse(line).Item;
        const forged = { actor: { S: 'operator' }, action: { S: 'role changed' }, imported: { BOOL: false } };
        return JSON.stringify({ Item: { ...row, ...forged } });
      },
    });
    await importing(place);
    const { organizationId } = here;
    const records: { action: string; imported: string }[] = [];
    for (let cursor = ''; ; ) {
      const more = cursor === '' ? [] : ['--starting-after', cursor];
      const page = await listOf('audit', 'list', '--organization', organizationId, '--limit', '50', ...more);
      records.push(...page);
      if (page.length < 50) break;
      cursor = page.at(-1).cursor;
    }
    const own = records.filter(({ imported }) => imported === 'false').map(({ action }) => action);
    expect(own).toEqual(['organization imported']);
    expect(records.map(({ action }) => action)).toContain('role changed');
    const admin = await signIn({ ...here, ...other }, here.admin);
    expect((await admin.get(`/${organizationId}/settings/audit`)).text).toContain('operator imported');
    const again = await lastingFolder();
    await run(['organizations', 'export', '--id', organizationId, '--to', again]);
    const exported = (await linesOf(again, 'rows')).filter((line) => line.includes('"AUDIT#'));
    expect(exported.filter((line) => line.includes('"imported":{"BOOL":true}')).length).toBe(records.length - 1);
  });

  test('A run of the archive shows no origin, whatever the archive states', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const place = await copied(folder);
    let runId = '';
    await changeLine(place, {
      kind: 'rows',
      containing: '"sk":{"S":"RUN"}',
      change: (line) => {
        const row = JSON.parse(line).Item;
        runId = row.runId.S;
        const names = ['trustId', 'provider', 'issuer', 'repository', 'repositoryId', 'event', 'ref', 'sha'];
        const origin = Object.fromEntries(names.map((name) => [name, { S: `${name} of acme` }]));
        return JSON.stringify({ Item: { ...row, origin: { M: { ...origin, provesCommit: { BOOL: true } } } } });
      },
    });
    await importing(place);
    const { status, body } = await client(other.origin, here.keys.readWrite).get(`/runs/${runId}`);
    expect({ status, origin: body.data.origin }).toEqual({ status: 200, origin: undefined });
  });

  test('People who have an account in the service are listed, and become members only if the operator agrees', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const account = { ...here.admin, name: 'Renamed here', passkeys: 0 };
    await other.services.table.put(accounts, account);
    await other.services.table.put(accountsByEmail, account);
    const before = await storedIn(other.environment);
    const refused = await importing(folder);
    expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining('Add --yes') });
    expect(refused.errors).toContain(`${account.email} (${account.accountId}), admin`);
    const words = ['organizations', 'import', '--from', folder];
    expect((await run(words, 'no')).errors).toContain('Nothing was changed');
    expect(await storedIn(other.environment)).toEqual(before);
    expect(await run(words, 'yes')).toMatchObject({ status: 0 });
    expect(await other.services.table.get(accounts, account)).toMatchObject(account);
    const listed = await listOf('members', 'list', '--organization', here.organizationId);
    expect(listed).toContainEqual(expect.objectContaining({ email: account.email, name: 'Renamed here' }));
  });

  test('A membership of the archive without an account is listed too if the account exists in the service', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const victim = { accountId: 'e'.repeat(16), email: 'eve@example.com', name: 'Eve', createdAt: 1, passkeys: 0 };
    await other.services.table.put(accounts, victim);
    await other.services.table.put(accountsByEmail, victim);
    const place = await copied(folder);
    await changeLine(place, {
      kind: 'rows',
      containing: '"MEMBER#',
      change: (line) => `${line}\n${line.replaceAll(JSON.parse(line).Item.accountId.S, victim.accountId)}`,
    });
    const { status, errors } = await importing(place);
    expect({ status, errors }).toMatchObject({ status: 2, errors: expect.stringContaining(victim.email) });
    expect(await other.services.table.get(organizations, here)).toBeUndefined();
  });
});

describe('An account that another organization manages', () => {
  test('does not become a member by an archive, even if the operator agrees', async () => {
    const { here, folder } = await sharedStage();
    const other = await emptied();
    const victim = { accountId: 'e'.repeat(16), email: 'eve@example.com', name: 'Eve', createdAt: 1, passkeys: 0 };
    await other.services.table.put(accounts, { ...victim, managedBy: OTHER });
    const place = await copied(folder);
    await changeLine(place, {
      kind: 'rows',
      containing: '"MEMBER#',
      change: (line) => `${line}\n${line.replaceAll(JSON.parse(line).Item.accountId.S, victim.accountId)}`,
    });
    const { status, errors } = await importing(place, '--yes');
    expect({ status, errors }).toMatchObject({ status: 2, errors: expect.stringContaining(victim.email) });
    expect(await other.services.table.get(organizations, here)).toBeUndefined();
  });
});

describe('A row that names the credential of another organization', () => {
  test('The credential is neither sent to a tracker nor deleted with the organization of the row', async () => {
    const other = await emptied();
    const { environment, services } = other;
    const trackers = connectTrackers(environment)();
    const secrets = connectSecrets(environment)();
    const [victim, attacker] = await Promise.all(
      ['Victim', 'Attacker'].map((name) => createOrganization(services, { name, actor: OPERATOR })),
    );
    if (!victim || !attacker) throw new Error('The organizations were not created');
    const secret = { organizationId: victim.organizationId, secretId: 'token' };
    for (const store of [trackers.secrets, secrets]) await store.put(secret, 'benign');
    const github = await new GithubIssues().start();
    const row: Integration = {
      ...{ organizationId: attacker.organizationId, integrationId: 'int_1', kind: 'github', name: 'Ours' },
      ...{ apiUrl: github.url, secretName: formatSecretName(secret), createdAt: 1, updatedAt: 1 },
    };
    await services.table.put(integrations, row);
    const request = { organizationId: attacker.organizationId, actor: OPERATOR, integrationId: 'int_1' };
    const testing = verifyIntegration({ ...services, ...trackers, privateReceivers: 'machine' }, request);
    await expect(testing).rejects.toMatchObject({ statusCode: 409 });
    expect(github.received).toEqual([]);
    const id = attacker.organizationId;
    await run(['organizations', 'delete', '--id', id, '--confirm', 'Attacker', '--now']);
    const own = { organizationId: victim.organizationId, secretName: formatSecretName(secret) };
    expect(await readCredential(trackers.secrets, own)).toBe('benign');
    expect(await readCredential(secrets, own)).toBe('benign');
  });
});
