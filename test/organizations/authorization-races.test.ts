import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { changeRole, removeMember } from '#shared/organizations/members.ts';
import { whoMay } from '#test/access/oracle.ts';
import { sampled } from '#test/harness/cases.ts';
import { interrupted } from '#test/harness/interrupted-table.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { type Cast, cast } from './cast.ts';
import { CHANGES, type Verb } from './verbs.ts';

const isFor = (who: 'admin' | 'guest', { action }: Verb): boolean => whoMay(action).includes(who);
const changesOfAdmins = CHANGES.filter((verb) => isFor('admin', verb)).map((verb) => [verb.name, verb] as const);
/**
 * Selects the changes to try with an event. `npm test` tries each event with half of the changes, and each change with
 * at least one event.
 */
const changesWith = (event: number) => sampled(changesOfAdmins, 2, event);

/**
 * Returns the outcome of an operation by an Admin if `happens` runs after the operation has read all data, but before
 * it writes.
 */
async function outcomeDespite(verb: Verb, happens: (on: Cast) => Promise<unknown>): Promise<string> {
  const on = await cast(['admin']);
  let afterwards: string[] = [];
  const services = interrupted(on.stage.services, async () => {
    await happens(on);
    afterwards = await linesOfOrganization(on.stage);
  });
  const outcome = await verb.act({ ...on, stage: { ...on.stage, services } }, on.of.admin).then(
    () => 'done',
    (error: Error) => error.message,
  );
  if (outcome !== 'done') expect(await linesOfOrganization(on.stage)).toEqual(afterwards);
  return outcome;
}

describe('§5 A change between the reads and the write of an action', () => {
  test.each(changesWith(0))('an Admin who is removed cannot finish %s', async (_, verb) => {
    const outcome = await outcomeDespite(verb, ({ stage, organizationId, of }) =>
      removeMember(stage.services, { organizationId, accountId: of.admin.accountId, actor: OPERATOR }),
    );
    expect(outcome).toBe('Organization not found');
  });

  test.each(changesWith(1))('an Admin who becomes a guest finishes only what guests may do: %s', async (_, verb) => {
    const outcome = await outcomeDespite(verb, ({ stage, organizationId, of }) =>
      changeRole(stage.services, { organizationId, accountId: of.admin.accountId, role: 'guest', actor: OPERATOR }),
    );
    expect(outcome).toBe(isFor('guest', verb) ? 'done' : verb.refusal);
  });

  test.each(changesWith(2))('the deactivation of the organization prevents %s', async (_, verb) => {
    const outcome = await outcomeDespite(verb, ({ stage, organizationId }) =>
      deactivateOrganization(stage.services, { organizationId, actor: OPERATOR }),
    );
    expect(outcome).toContain('is deactivated');
  });
});
