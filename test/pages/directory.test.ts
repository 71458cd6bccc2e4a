/** §5 The page on which Admins connect the directory of their company. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { scimClient } from '#test/harness/directory.ts';
import { service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';

async function stage() {
  const here = await service();
  const admin = await signedIn(here, 'admin');
  const path = `/${here.organizationId}/settings/directory`;
  const formId = ({ html }: Shown) => /name="formId" value="([0-9a-f]+)"/.exec(html)?.[1] ?? '';
  const create = async () => admin.post(path, { formId: formId(await admin.get(path)) });
  return { ...here, admin, path, create };
}

const tokenIn = ({ text }: Shown): string => /rdn_scim_[0-9A-Za-z]{42}/.exec(text)?.[0] ?? '';

describe('The page of the directory', () => {
  test('shows a new SCIM token once, which works until it is revoked, and offers two at most', async () => {
    const { admin, path, create, origin, services, organizationId } = await stage();
    const created = await create();
    expect({ status: created.status, cache: created.headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'no-store',
    });
    expect(created.text).toContain(`${origin}/scim/v2`);
    const scim = scimClient(origin, `Bearer ${tokenIn(created)}`);
    expect((await scim('GET', '/Users')).status).toBe(200);
    const list = await admin.get(path);
    expect(list.html).not.toContain(tokenIn(created));
    const second = await create();
    expect(tokenIn(second)).not.toBe('');
    const full = await admin.get(path);
    expect(full.text).not.toContain('Create SCIM token');
    expect((await admin.post(path, { formId: 'a'.repeat(32) })).status).toBe(409);
    const tokenIds = [...full.html.matchAll(/name="tokenId" value="([0-9a-f]+)"/g)].map(([, id = '']) => id);
    expect(tokenIds).toHaveLength(2);
    for (const tokenId of tokenIds) expect((await admin.post(`${path}/revoke`, { tokenId })).status).toBe(303);
    expect((await scim('GET', '/Users')).status).toBe(401);
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR });
    const actions = records.map(({ action }) => action);
    expect(actions.filter((action) => action === 'SCIM token created')).toHaveLength(2);
    expect(actions.filter((action) => action === 'SCIM token revoked')).toHaveLength(2);
  });

  test('stores which groups give which role, one name per line, and shows a mistake beside its field', async () => {
    const { admin, path, create, origin } = await stage();
    const names = {
      admin: 'Platform team\r\n\r\n  QA leads ',
      actionsAdmin: '',
      member: '',
      guest: 'Visitors',
      defaultRole: 'guest',
    };
    expect((await admin.post(`${path}/roles`, names)).status).toBe(303);
    const { text, html } = await admin.get(path);
    expect(html).toContain('Platform team\nQA leads');
    expect(text).toContain('Everybody else');
    const scim = scimClient(origin, `Bearer ${tokenIn(await create())}`);
    const { body } = await scim('POST', '/Users', { userName: 'kim@acme.example' });
    await scim('POST', '/Groups', { displayName: 'qa LEADS', members: [{ value: body.id }] });
    expect((await admin.get(path)).text).toContain('qa LEADS');
    const refused = await admin.post(`${path}/roles`, { ...names, member: 'bad\u202ename' });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('Platform team');
  });
});
