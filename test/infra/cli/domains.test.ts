import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { administration } from '#test/harness/administration.ts';

test('npm run admin proves, lists and removes the domain of an organization, which another one can prove only then', async () => {
  const { tenant, run, json } = await administration();
  const { organizationId } = tenant;
  const other = (await tenant.tenant('Other')).organizationId;
  const domain = `${organizationId}.example`;
  const at = (id: string) => ['--organization', id, '--domain', domain];
  expect(await json('domains', 'prove', ...at(organizationId))).toEqual([{ domain, state: 'proven' }]);
  expect(await json('domains', 'list', '--organization', organizationId)).toMatchObject([{ domain }]);
  const taken = await run('domains', 'prove', ...at(other));
  expect(taken).toMatchObject({ status: 2, errors: expect.stringContaining('Another organization') });
  expect(await run('domains', 'remove', ...at(other))).toMatchObject({ status: 2 });
  expect(await json('domains', 'remove', ...at(organizationId))).toEqual([{ domain, state: 'removed' }]);
  expect(await json('domains', 'prove', ...at(other))).toEqual([{ domain, state: 'proven' }]);
  const { records } = await readAudit(tenant.services, { organizationId, actor: OPERATOR, limit: 50 });
  const details = records.filter(({ subject }) => subject === domain).map(({ detail, actor }) => [detail, actor]);
  expect(details.reverse()).toEqual([
    ['domain proven by the operator', 'operator'],
    ['domain removed', 'operator'],
  ]);
});
