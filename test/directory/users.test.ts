import { describe, expect, test } from 'vitest';
import { directory } from '#test/harness/directory.ts';
import { service } from '#test/harness/service.ts';

async function stage() {
  const here = await service();
  return { ...here, ...(await directory(here)) };
}

describe('A user of a directory', () => {
  test('works', async () => {
    const { scim } = await stage();
    const created = await scim('POST', '/Users', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'Kim@acme.example', name: { givenName: 'Kim', familyName: 'Roe' }, emails: [{ value: 'kim@acme.example', type: 'work', primary: true }], active: true });
    console.log(created.status, JSON.stringify(created.body), Object.fromEntries(created.headers));
    const id = created.body.id;
    for (const [m, p, b] of [
      ['GET', `/Users/${id}`], ['GET', '/Users'], ['GET', '/Users?filter=userName%20eq%20%22kim%40ACME.example%22'],
      ['PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }],
      ['PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: true } }] }],
      ['POST', '/Groups', { displayName: 'Testers', members: [{ value: id }] }],
      ['GET', '/Groups'], ['GET', `/Users/${id}`], ['DELETE', `/Users/${id}`], ['GET', `/Users/${id}`], ['GET', '/x'], ['GET', '/Schemas'],
    ] as [string, string, unknown?][]) {
      const answer = await scim(m, p, b);
      console.log(m, p, answer.status, JSON.stringify(answer.body)?.slice(0, 600));
    }
    expect(created.status).toBe(201);
  });
});
