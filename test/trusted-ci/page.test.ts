import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { shop } from './stage.ts';

const FIELDS = {
  formId: '0'.repeat(32),
  provider: 'gitlab',
  issuer: '',
  repository: 'acme/web',
  branch: '',
  environment: '',
};

describe('The page Trusted CI', () => {
  test('lists, adds and removes repositories for Admins only, with an audit record of each change', async () => {
    const here = await shop({ branch: 'main', environment: 'ci' });
    const { organizationId, projectId } = here;
    const path = `/${organizationId}/${projectId}/trusted-ci`;
    const [admin, member] = [await signedIn(here, 'admin'), await signedIn(here, 'actionsAdmin')];
    expect((await member.get(path)).status).toBe(403);
    expect((await member.post(path, FIELDS)).status).toBe(403);
    const { text } = await admin.get(path);
    for (const part of ['acme/shop', here.ci.issuer, 'of the branch main', 'ci', 'not seen yet', 'never'])
      expect(text).toContain(part);
    expect(text).toContain(`RUNDOWN_DSN: ${here.origin}/${organizationId}/${projectId}`);
    expect((await here.exchange({ environment: 'ci' })).status).toBe(201);
    expect((await admin.get(path)).text).toContain('4711');
    expect((await admin.post(path, FIELDS)).status).toBe(303);
    expect((await admin.get(path)).text).toContain('GitLab CI');
    expect((await member.post(`${path}/${here.entry.trustId}/remove`)).status).toBe(403);
    expect((await admin.post(`${path}/${here.entry.trustId}/remove`)).status).toBe(303);
    expect((await admin.get(path)).text).not.toContain('4711');
    const { records } = await readAudit(here.services, { organizationId, actor: OPERATOR, limit: 50 });
    const changes = records.filter(({ action }) => action.startsWith('repository'));
    expect(changes.map(({ action, label }) => `${action}: ${label}`).toSorted()).toEqual([
      'repository removed: acme/shop',
      'repository trusted: acme/shop',
      'repository trusted: acme/web',
    ]);
  });

  test.each([
    ['a repository without its owner', { repository: 'shop' }, 'such as acme/shop'],
    ['an address', { repository: 'https://github.com/acme/shop' }, 'such as acme/shop'],
    ['an issuer that is no address', { issuer: 'gitlab' }, 'The URL is invalid'],
    ['an issuer inside the network', { issuer: 'https://169.254.169.254' }, 'may not send to'],
    ['the same repository again', { provider: 'github', repository: 'ACME/Shop' }, 'already exists'],
  ])('refuses %s, and shows the form with what was entered', async (_, more, problem) => {
    const here = await shop();
    const { organizationId, projectId, ci: issuer } = here;
    const admin = await signedIn(here, 'admin');
    const fields = { ...FIELDS, issuer: issuer.issuer, ...more };
    const { status, text, html } = await admin.post(`/${organizationId}/${projectId}/trusted-ci`, fields);
    expect([400, 409]).toContain(status);
    expect(text).toContain(problem);
    expect(html).toContain(`value="${fields.repository}"`);
  });
});
