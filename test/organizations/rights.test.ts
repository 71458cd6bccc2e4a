import { describe, expect, test } from 'vitest';
import { type Actor, OPERATOR } from '#shared/organizations/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { type Cast, cast } from './cast.ts';
import { CHANGES, LOOKS, type Verb } from './verbs.ts';

const ROLES = ['admin', 'actionsAdmin', 'member', 'guest'] as const;
const VERBS = [...CHANGES, ...LOOKS];
const DONE = 'done';

/** What the actor is told. */
const told = (verb: Verb, on: Cast, actor: Actor): Promise<string> =>
  verb.act(on, actor).then(
    () => DONE,
    (error: Error) => error.message,
  );

/** What the actor is told of each of these verbs, where that changes nothing in the organization at all. */
async function withoutTrace(verbs: readonly Verb[], on: Cast, actor: Actor, named = on): Promise<Map<string, string>> {
  const before = await linesOfOrganization(on.stage);
  const answers = new Map<string, string>();
  for (const verb of verbs) answers.set(verb.name, await told(verb, named, actor));
  expect(await linesOfOrganization(on.stage)).toEqual(before);
  return answers;
}

const allAre = (verbs: readonly Verb[], answer: (verb: Verb) => string) =>
  new Map(verbs.map((verb) => [verb.name, answer(verb)]));

async function deactivated(): Promise<Cast> {
  const on = await cast();
  await deactivateOrganization(on.stage.services, { organizationId: on.organizationId, actor: OPERATOR });
  return on;
}

describe('§5 Who may do what', () => {
  test.each(ROLES)(
    'what a member with the role %s may not do is refused as the oracle says, without a trace',
    async (role) => {
      const on = await cast();
      const refused = VERBS.filter(({ may }) => !may.includes(role));
      expect(await withoutTrace(refused, on, on.of[role])).toEqual(allAre(refused, ({ refusal }) => refusal));
    },
  );

  test.each(ROLES)('what a member with the role %s may do is done', async (role) => {
    for (const verb of CHANGES.filter(({ may }) => may.includes(role))) {
      const on = await cast();
      expect(await told(verb, on, on.of[role]), verb.name).toBe(DONE);
    }
    const on = await cast();
    const looks = LOOKS.filter(({ may }) => may.includes(role));
    expect(await withoutTrace(looks, on, on.of[role])).toEqual(allAre(looks, () => DONE));
  });

  test('the operator may do what nobody has to do for themselves', async () => {
    for (const verb of VERBS.filter(({ may }) => may.includes('operator'))) {
      expect(await told(verb, await cast(), OPERATOR), verb.name).toBe(DONE);
    }
  });

  test('a stranger is told the same of this organization as of one that there is not', async () => {
    const on = await cast();
    const nothing = allAre(VERBS, () => 'Organization not found');
    for (const actor of [on.stranger, on.newcomer]) {
      expect(await withoutTrace(VERBS, on, actor)).toEqual(nothing);
      expect(await withoutTrace(VERBS, on, actor, { ...on, organizationId: 'nothing' })).toEqual(nothing);
    }
  });

  test('in a deactivated organization no member does anything any more, whatever their role', async () => {
    const on = await deactivated();
    const over = allAre(VERBS, () => expect.stringContaining('was deactivated'));
    for (const role of ROLES) expect(await withoutTrace(VERBS, on, on.of[role]), role).toEqual(over);
  });

  test('in a deactivated organization the operator looks, and changes nothing but what is left to end', async () => {
    const on = await deactivated();
    const ending = CHANGES.filter(({ name }) => /^(deprovisioning|deactivating)/.test(name));
    const others = CHANGES.filter((verb) => verb.may.includes('operator') && !ending.includes(verb));
    expect(await withoutTrace(LOOKS, on, OPERATOR)).toEqual(allAre(LOOKS, () => DONE));
    expect(await withoutTrace(others, on, OPERATOR)).toEqual(
      allAre(others, () => expect.stringContaining('was deactivated')),
    );
    for (const verb of ending) expect(await told(verb, on, OPERATOR), verb.name).toBe(DONE);
  });
});
