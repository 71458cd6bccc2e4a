import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';

const SPEC = 'tests/cart.spec.ts';
const TITLE = ['cart', 'sums', 'equal articles'];

const sign = async ({ reader, projectId }: Tenant, body: object = {}) =>
  reader.post('/signature/test', { projectId, specFilePath: SPEC, testTitle: TITLE, ...body });
const signatureOf = async (tenant: Tenant, body: object = {}): Promise<string> => {
  const answer = await sign(tenant, body);
  expect(answer).toMatchObject({ status: 200, body: { status: 'OK' } });
  return answer.body.data.signature;
};

describe('POST /signature/test', () => {
  test('returns a stable signature of 32 hexadecimal characters and nothing else', async () => {
    const tenant = await service();
    const { status, body } = await sign(tenant);
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'OK', data: { signature: expect.stringMatching(/^[0-9a-f]{32}$/) } },
    });
    expect((await sign(tenant)).body).toEqual(body);
  });

  test('returns the signature with which the results of the test can be queried', async () => {
    const tenant = await service();
    await recordRun(tenant, { retail: { tests: { [[SPEC, ...TITLE].join(' > ')]: passed() } } });
    const path = `/test-results/${await signatureOf(tenant)}?date_start=2026-11-01&date_end=2026-12-01`;
    expect((await tenant.reader.get(path)).body.data).toMatchObject([{ spec: SPEC, title: TITLE }]);
  });

  test('accepts a title as one string with ` > ` between its parts, and ignores extra spaces around the parts', async () => {
    const tenant = await service();
    const expected = await signatureOf(tenant);
    for (const testTitle of ['cart > sums > equal articles', ' cart  >  sums > equal articles ']) {
      expect(await signatureOf(tenant, { testTitle })).toBe(expected);
    }
    expect(await signatureOf(tenant, { testTitle: 'cart>sums' })).toBe(
      await signatureOf(tenant, { testTitle: ['cart>sums'] }),
    );
  });

  test('returns different signatures if the project, the spec file, the title or the division of the title into parts differs', async () => {
    const tenant = await service();
    const other = await createProject(tenant.services, {
      organizationId: tenant.organizationId,
      name: 'Other',
      actor: OPERATOR,
    });
    const bodies = [
      {},
      { projectId: other.projectId },
      { specFilePath: 'tests/cart2.spec.ts' },
      { testTitle: TITLE.slice(1) },
      { testTitle: ['cart', 'sumsequal articles'] },
      { testTitle: ['cartsums', 'equal articles'] },
      { testTitle: ['cart', '', 'sums', 'equal articles'] },
      { specFilePath: 'tests/cart.spec.tscart', testTitle: TITLE.slice(1) },
      { testTitle: ['Cart', ...TITLE.slice(1)] },
    ];
    const signatures = await Promise.all(bodies.map((body) => signatureOf(tenant, body)));
    expect(new Set(signatures).size).toBe(bodies.length);
  });

  test('accepts Read Only and Read & Write keys, because the operation changes nothing, and refuses requests without a key', async () => {
    const { api, reader, anonymous, projectId } = await service();
    const body = { projectId, specFilePath: SPEC, testTitle: TITLE };
    const statuses = [api, reader, anonymous].map(
      async (client) => (await client.post('/signature/test', body)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
  });

  test.each([
    [{ projectId: undefined }, '`projectId` is required'],
    [{ projectId: 7 }, '`projectId` must be a string'],
    [{ specFilePath: null }, '`specFilePath` must be a string'],
    [{ specFilePath: '' }, '`specFilePath` must have at least 1 character'],
    [{ specFilePath: 'x'.repeat(1025) }, '`specFilePath` must have at most 1024 characters'],
    [{ testTitle: undefined }, '`testTitle` is required'],
    [{ testTitle: [] }, '`testTitle` must have at least 1 element'],
    [{ testTitle: ['a', 7] }, '`testTitle`'],
    [
      { testTitle: { a: 1 } },
      '`testTitle` must be an array of 1 to 64 strings, or one string with its parts joined by " > "',
    ],
    [{ testTitle: ' > '.repeat(64) }, '`testTitle` must be an array of 1 to 64 strings'],
    [{ testTitle: Array.from({ length: 65 }, () => '') }, '`testTitle` must be an array of 1 to 64 strings'],
  ])('refuses %j and says what to send', async (body, problem) => {
    expect(await sign(await service(), body)).toMatchObject({
      status: 400,
      body: { status: 'FAILED', error: expect.stringContaining(problem) },
    });
  });

  test('returns 404 for an unknown project', async () => {
    const answer = await sign(await service(), { projectId: 'zzzzzz' });
    expect(answer).toMatchObject({ status: 404, body: { error: 'Project not found' } });
  });
});
