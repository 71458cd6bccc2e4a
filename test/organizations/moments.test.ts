import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/organizations/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { changeRole, removeMember } from '#shared/organizations/members.ts';
import { interrupted } from '#test/harness/interrupted-table.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { type Cast, cast } from './cast.ts';
import { CHANGES, type Verb } from './verbs.ts';

const ofAdmins = CHANGES.filter(({ may }) => may.includes('admin')).map((verb) => [verb.name, verb] as const);

/** What an Admin is told whose verb read everything before this happened, and would write after it. Nothing is written but what happened. */
async function toldAfter(verb: Verb, happens: (on: Cast) => Promise<unknown>): Promise<string> {
  const on = await cast();
  let afterwards: string[] = [];
  const services = interrupted(on.stage.services, async () => {
    await happens(on);
    afterwards = await linesOfOrganization(on.stage);
  });
  const told = await verb.act({ ...on, stage: { ...on.stage, services } }, on.of.admin).then(
    () => 'done',
    (error: Error) => error.message,
  );
  if (told !== 'done') expect(await linesOfOrganization(on.stage)).toEqual(afterwards);
  return told;
}

describe('§5 An Admin', () => {
  test.each(ofAdmins)('who was removed a moment ago no longer gets done: %s', async (_, verb) => {
    const told = await toldAfter(verb, ({ stage, organizationId, of }) =>
      removeMember(stage.services, { organizationId, accountId: of.admin.accountId, actor: OPERATOR }),
    );
    expect(told).toBe('Organization not found');
  });

  test.each(ofAdmins)('who became a guest a moment ago gets done only what guests may: %s', async (_, verb) => {
    const told = await toldAfter(verb, ({ stage, organizationId, of }) =>
      changeRole(stage.services, { organizationId, accountId: of.admin.accountId, role: 'guest', actor: OPERATOR }),
    );
    expect(told).toBe(verb.may.includes('guest') ? 'done' : verb.refusal);
  });

  test.each(ofAdmins)(
    'of an organization that was deactivated a moment ago no longer gets done: %s',
    async (_, verb) => {
      const told = await toldAfter(verb, ({ stage, organizationId }) =>
        deactivateOrganization(stage.services, { organizationId, actor: OPERATOR }),
      );
      expect(told).toContain('was deactivated');
    },
  );
});
