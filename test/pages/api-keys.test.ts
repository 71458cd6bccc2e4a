import { describe, expect, test } from 'vitest';
import { parseDsn } from '#infra/client/settings/dsn.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { client } from '#test/harness/client.ts';
import { service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';
import { fillIn, refusedFields, valuesOf } from './form-of.ts';

async function stage() {
  const here = await service();
  const keys = `/${here.organizationId}/settings/api-keys`;
  const labels = async () => (await listApiKeys(here.services, { ...here, actor: OPERATOR })).map(({ label }) => label);
  return { ...here, page: keys, labels, admin: await signedIn(here, 'admin') };
}

const valueIn = ({ text }: Shown): string => /rdn_key_[0-9A-Za-z]{42}/.exec(text)?.[0] ?? 'no key';

describe('§5.1 An API key', () => {
  test('An Admin can create an API key, which is shown once with the settings for the reporters, and the API accepts the key', async () => {
    const { admin, page: keys, origin, organizationId, projectId, services } = await stage();
    const created = await fillIn(admin, `${keys}/new?project_id=${projectId}`, { label: 'Nightly <b>' });
    expect(created.status).toBe(200);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const value = valueIn(created);
    for (const line of [`API_URL=${origin}`, `PROJECT_ID=${projectId}`, `RECORD_KEY=${value}`])
      expect(created.text).toContain(`export CURRENTS_${line}`);
    const [, dsn = ''] = /data-copy="export RUNDOWN_DSN=([^"]*)"/.exec(created.html) ?? [];
    expect(parseDsn(dsn)).toEqual({ url: origin, key: value, project: projectId });
    expect(created.text).not.toContain('<key>');
    expect((await client(origin, value).get('/projects')).status).toBe(200);
    const list = await admin.get(keys);
    expect(list.text).toContain('Nightly <b>');
    expect(list.html).not.toContain(value);
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR });
    expect(records).toContainEqual(
      expect.objectContaining({ action: 'API key created', actor: expect.stringMatching(/^user:/) }),
    );
  });

  test('The page of a new API key shows the steps of the framework that was chosen on the page of the empty project, and leads back to it', async () => {
    const { admin, page: keys, organizationId, projectId } = await stage();
    const runs = `/${organizationId}/${projectId}/runs`;
    const link = (await admin.get(runs)).links.find((one) => one.includes('framework=node')) ?? 'no link';
    const refused = await fillIn(admin, link, { label: '' });
    const created = await admin.post(`${keys}/new`, { ...valuesOf(refused), label: 'Nightly' });
    expect(created.html).toContain('value="node:test" checked');
    expect(created.html.match(/name="framework" value="[^"]*" checked/g)).toHaveLength(1);
    expect(created.links).toContain(runs);
    expect((await fillIn(admin, `${keys}/new`, { label: 'Other' })).html).toContain('value="Playwright" checked');
    const unknown = await fillIn(admin, `${keys}/new?framework=nothing`, { label: 'Third' });
    expect(unknown.html).toContain('value="Playwright" checked');
  });

  test('An API key is created once and shown once, even if its form is sent repeatedly or concurrently', async () => {
    const { admin, page: keys, labels } = await stage();
    const form = { ...valuesOf(await admin.get(`${keys}/new`)), label: 'Once' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => admin.post(`${keys}/new`, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    const late = await admin.post(`${keys}/new`, form);
    expect(late.status).toBe(409);
    expect(late.text).toContain('This form was already sent, so nothing was created this time');
    expect([...answers, late].filter((answer) => valueIn(answer) !== 'no key')).toHaveLength(1);
    expect((await labels()).filter((label) => label === 'Once')).toHaveLength(1);
  });

  test('The page that refuses a repeated form has a new form, which can create a second API key', async () => {
    const { admin, page: keys, labels } = await stage();
    const form = { ...valuesOf(await admin.get(`${keys}/new`)), label: 'Twice' };
    await admin.post(`${keys}/new`, form);
    const refused = await admin.post(`${keys}/new`, form);
    expect((await admin.post(`${keys}/new`, valuesOf(refused))).status).toBe(200);
    expect((await labels()).filter((label) => label === 'Twice')).toHaveLength(2);
  });

  test('An API key without a valid label is refused, and the form keeps the chosen access level', async () => {
    const { admin, page: keys, labels } = await stage();
    const before = await labels();
    for (const label of ['', ' ', 'x'.repeat(129), 'two\nlines']) {
      const refused = await fillIn(admin, `${keys}/new`, { label, level: 'readOnly' });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('The label of a key must be one line of 1 to 128 characters');
      expect(valuesOf(refused)).toMatchObject({ level: 'readOnly' });
      expect(refusedFields(refused)).toEqual(['label']);
    }
    expect(await labels()).toEqual(before);
  });

  test('No API key is created for a project of another organization, with an unknown access level, or from an incomplete form', async () => {
    const { admin, page: keys, labels, tenant } = await stage();
    const before = await labels();
    const other = await tenant('Other');
    expect((await fillIn(admin, `${keys}/new`, { label: 'x', projectId: other.projectId })).status).toBe(404);
    expect((await admin.post(`${keys}/new`, { label: 'x', level: 'readOnly' })).status).toBe(400);
    expect((await fillIn(admin, `${keys}/new`, { label: 'x', level: 'admin' })).status).toBe(400);
    expect(await labels()).toEqual(before);
  });

  test('An API key is revoked after a confirmation, and requests with the key are then refused', async () => {
    const { admin, page: keys, labels, organizationId, services, api, reader } = await stage();
    const [{ keyId } = { keyId: '' }] = await listApiKeys(services, { organizationId, actor: OPERATOR });
    const question = await admin.get(`${keys}/${keyId}/revoke`);
    expect(question.text).toContain('Reporters and scripts that use it will stop working');
    const answer = await admin.post(`${keys}/${keyId}/revoke`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, keys]);
    expect(await labels()).toHaveLength(1);
    expect((await admin.post(`${keys}/${keyId}/revoke`)).status).toBe(404);
    const statuses = [await api.get('/projects'), await reader.get('/projects')].map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401]);
  });

  test('An API key cannot be revoked from another organization', async () => {
    const { admin, page: keys, tenant, services } = await stage();
    const other = await tenant('Other');
    const [{ keyId } = { keyId: '' }] = await listApiKeys(services, { ...other, actor: OPERATOR });
    expect((await admin.get(`${keys}/${keyId}/revoke`)).status).toBe(404);
    expect((await admin.post(`${keys}/${keyId}/revoke`)).status).toBe(404);
    expect(await listApiKeys(services, { ...other, actor: OPERATOR })).toHaveLength(2);
  });

  test('An Admin sees links to create and revoke API keys, and a Member sees none', async () => {
    const here = await stage();
    const seen = await (await signedIn(here, 'member')).get(here.page);
    expect(seen.text).toContain('Only Admins can create and revoke keys');
    expect(seen.links.filter((link) => /new$|revoke/.test(link))).toEqual([]);
    expect((await here.admin.get(here.page)).links.filter((link) => /new$|revoke/.test(link))).toHaveLength(3);
  });

  test('The list of API keys says who created a key, and when it was last used, as far as a sample of its requests tells', async () => {
    const { admin, page: keys, origin } = await stage();
    const value = valueIn(await fillIn(admin, `${keys}/new`, { label: 'Nightly' }));
    expect((await admin.get(keys)).text).toMatch(/Nightly.*none noted.* by Alex Doe/);
    // One of 32 requests is counted.
    for (let request = 0; request < 32; request += 1) await client(origin, value).get('/projects');
    expect((await admin.get(keys)).text).toMatch(/Nightly\s*…\w{4}\s*Read & Write\s*…\w{4}\s*just now/);
  });

  test('An API key is not stored in plain text', async () => {
    const { admin, page: keys, environment } = await stage();
    const value = valueIn(await fillIn(admin, `${keys}/new`, { label: 'Hidden' }));
    expect(JSON.stringify(await itemsOf(environment, () => true))).not.toContain(value.slice('rdn_key_'.length));
  });
});
