import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { createPersonalToken } from '#shared/organizations/personal-tokens.ts';
import { cases } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { directory } from '#test/harness/directory.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';

const flag = fc.constantFrom<unknown>(true, false, 'True', 'False', 'true', 'false');
const step = fc.oneof(
  fc.record({ do: fc.constant('active' as const), value: flag, style: fc.constantFrom('path', 'value', 'PUT') }),
  fc.record({ do: fc.constant('name' as const), value: fc.string({ minLength: 1, maxLength: 20 }) }),
  fc.constant({ do: 'token' as const }),
  fc.constant({ do: 'delete' as const }),
  fc.constant({ do: 'group' as const }),
);

describe('Any sequence of requests of a directory', () => {
  test('ends with a member exactly if the last word of the directory was active, and no token from before an inactive time ever works again', async () => {
    const here = await service();
    const { services, organizationId, origin } = here;
    const { scim } = await directory(here);
    await member(here, 'admin');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const userName = `${crypto.randomUUID()}@acme.example`;
        const create = async () => {
          const { status, body } = await scim('POST', '/Users', { userName, active: true });
          expect(status).toBe(201);
          return String(body.id);
        };
        let id: string | undefined = await create();
        let isActive = true;
        let living: string[] = [];
        const dead: string[] = [];
        const end = () => {
          dead.push(...living);
          living = [];
        };
        const accountOf = async (entryId: string) =>
          (await services.table.get(directoryEntries, { organizationId, entryId }, { consistent: true }))?.accountId ??
          '';
        for (const one of steps) {
          clock.advance(1);
          if (one.do === 'delete') {
            if (id !== undefined) expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
            id = undefined;
            isActive = false;
            end();
            continue;
          }
          if (id === undefined) {
            id = await create();
            isActive = true;
          }
          if (one.do === 'active') {
            const whole = (await scim('GET', `/Users/${id}`)).body;
            const answer =
              one.style === 'PUT'
                ? await scim('PUT', `/Users/${id}`, { ...whole, active: one.value })
                : await scim('PATCH', `/Users/${id}`, {
                    Operations: [
                      one.style === 'path'
                        ? { op: 'Replace', path: 'active', value: one.value }
                        : { op: 'replace', value: { active: one.value } },
                    ],
                  });
            isActive = String(one.value).toLowerCase() === 'true';
            expect({ status: answer.status, active: answer.body.active }).toEqual({ status: 200, active: isActive });
            if (!isActive) end();
          }
          if (one.do === 'name') {
            const Operations = [{ op: 'replace', path: 'displayName', value: one.value }];
            expect((await scim('PATCH', `/Users/${id}`, { Operations })).status).toBe(200);
          }
          if (one.do === 'group') {
            const { body } = await scim('POST', '/Groups', {
              displayName: crypto.randomUUID(),
              members: [{ value: id }],
            });
            expect((await scim('DELETE', `/Groups/${body.id}`)).status).toBe(204);
          }
          if (one.do === 'token' && isActive) {
            const accountId = await accountOf(id);
            await changeRole(services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
            const actor = makePerson({ accountId });
            const inputs = { organizationId, actor, name: 'laptop', permissions: ['projects:read'] };
            living.push((await createPersonalToken(services, inputs)).value);
          }
          const statuses = (values: readonly string[]) =>
            Promise.all(values.map(async (value) => (await client(origin, value).get('/projects')).status));
          expect(await statuses(living)).toEqual(living.map(() => 200));
          expect(await statuses(dead)).toEqual(dead.map(() => 401));
          const membership = await services.table.get(
            memberships,
            { organizationId, accountId: await accountOf(id) },
            { consistent: true },
          );
          expect(membership !== undefined).toBe(isActive);
        }
      }),
      { numRuns: cases(200, 12) },
    );
  });

  test('creates a user once, even if requests for the user name come at the same time', async () => {
    const here = await service();
    const { scim } = await directory(here);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        scim('POST', '/Users', { userName: index % 2 === 0 ? 'Kim@acme.example' : 'kim@ACME.example' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect((await scim('GET', '/Users')).body.totalResults).toBe(1);
  });
});
