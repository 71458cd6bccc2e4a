import { describe, expect, test } from 'vitest';
import { ACTIONS } from '#shared/access/actions.ts';
import { type Actor, OPERATOR } from '#shared/access/actor.ts';
import { isPermission } from '#shared/model/organizations/permissions.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { whoMay } from '#test/access/oracle.ts';
import { sampled } from '#test/harness/cases.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { type Cast, cast, stranger } from './cast.ts';
import { READS } from './reads.ts';
import { CHANGES, type Verb } from './verbs.ts';

const ROLES = ['admin', 'actionsAdmin', 'member', 'guest'] as const;
const VERBS = [...CHANGES, ...READS];
const DONE = 'done';

const TESTED_ELSEWHERE = [
  'accounts:erase',
  'integrations:fail',
  'accounts:create',
  'accounts:link',
  'organizations:list',
  'organizations:create',
  'organizations:join',
  'organizations:move',
  'accounts:addPasskey',
  'accounts:connectIdentity',
  'accounts:disconnectIdentity',
  'accounts:createCode',
  'accounts:endSession',
  'accounts:removePasskey',
  'members:confirm',
  'members:provision',
  'signIn:read',
  'signIn:change',
  'scimTokens:create',
  'scimTokens:revoke',
  'tokens:listAll',
  'tokens:cleanUp',
  'invitations:cleanUp',
  'outbox:read',
  'outbox:resend',
  'grants:give',
  'grants:revokeOwn',
  'grants:listAll',
  'grants:revokeAny',
  'grants:cleanUp',
  'record',
  'me:read',
  'signatures:read',
  'mcp:use',
  'shares:write',
  'shares:revokeAny',
  'trackers:read',
  'integrations:change',
  'companySignIn:admit',
  'companySignIn:change',
  'companySignIn:connect',
  'companySignIn:endIdentity',
];

const isAllowed = (verb: Verb, who: (typeof ROLES)[number] | 'operator'): boolean => whoMay(verb.action).includes(who);

/**
 * `npm test` tries half of the allowed actors of each operation, and at least one, so that it reaches every operation
 * and every actor.
 */
function isTried(verb: Verb, who: (typeof ROLES)[number] | 'operator'): boolean {
  const able = [...ROLES, 'operator' as const].filter((one) => isAllowed(verb, one));
  return able.length === 1 ? able.includes(who) : sampled(able, 2, VERBS.indexOf(verb)).includes(who);
}

/** Returns the message of the refusal, or `DONE`. */
const outcomeOf = (verb: Verb, on: Cast, actor: Actor): Promise<string> =>
  verb.act(on, actor).then(
    () => DONE,
    (error: Error) => error.message,
  );

/** Returns the outcomes of these operations, and expects that none of them changes the organization. */
async function outcomesWithoutChange(
  verbs: readonly Verb[],
  on: Cast,
  actor: Actor,
  target = on,
): Promise<Map<string, string>> {
  const before = await linesOfOrganization(on.stage);
  const outcomes = new Map<string, string>();
  for (const verb of verbs) outcomes.set(verb.name, await outcomeOf(verb, target, actor));
  expect(await linesOfOrganization(on.stage)).toEqual(before);
  return outcomes;
}

const each = (verbs: readonly Verb[], outcome: (verb: Verb) => string) =>
  new Map(verbs.map((verb) => [verb.name, outcome(verb)]));

async function deactivated(): Promise<Cast> {
  const on = await cast();
  await deactivateOrganization(on.stage.services, { organizationId: on.organizationId, actor: OPERATOR });
  return on;
}

describe('§5 Actions in an organization', () => {
  test('Every action that is not a permission of personal tokens is tested in this file or listed as tested elsewhere', () => {
    const tested = new Set<string>([...VERBS.map(({ action }) => action), ...TESTED_ELSEWHERE]);
    const untested = Object.keys(ACTIONS).filter((action) => !tested.has(action) && !isPermission(action));
    expect(untested).toEqual([]);
  });

  test.each(ROLES)('a member with the role %s is refused every action that the role does not allow', async (role) => {
    const on = await cast([role]);
    const refused = VERBS.filter((verb) => !isAllowed(verb, role));
    expect(await outcomesWithoutChange(refused, on, on.of[role])).toEqual(each(refused, ({ refusal }) => refusal));
  });

  test.each(ROLES)('a member with the role %s can take each action that the role allows', async (role) => {
    for (const verb of CHANGES.filter((one) => isTried(one, role))) {
      const on = await cast([role]);
      expect(await outcomeOf(verb, on, on.of[role]), verb.name).toBe(DONE);
    }
    const on = await cast([role]);
    const reads = READS.filter((one) => isAllowed(one, role));
    expect(await outcomesWithoutChange(reads, on, on.of[role])).toEqual(each(reads, () => DONE));
  });

  test('the operator can take each action that is allowed to the operator', async () => {
    for (const verb of VERBS.filter((one) => isTried(one, 'operator'))) {
      expect(await outcomeOf(verb, await cast([]), OPERATOR), verb.name).toBe(DONE);
    }
  });

  test('non-members get the same error as for an organization that does not exist', async () => {
    const on = await cast();
    const nothing = each(VERBS, () => 'Organization not found');
    for (const actor of [await stranger(on.stage), on.newcomer]) {
      expect(await outcomesWithoutChange(VERBS, on, actor)).toEqual(nothing);
      expect(await outcomesWithoutChange(VERBS, on, actor, { ...on, organizationId: 'nothing' })).toEqual(nothing);
    }
  });

  test('a role that an actor claims is ignored, and only the role of the membership counts', async () => {
    const on = await cast(['guest']);
    const impostor: Actor = { ...on.of.guest, role: 'admin' };
    const refused = VERBS.filter((verb) => !isAllowed(verb, 'guest'));
    expect(await outcomesWithoutChange(refused, on, impostor)).toEqual(each(refused, ({ refusal }) => refusal));
  });

  test('Members of a deactivated organization can do nothing, whatever their role', async () => {
    const on = await deactivated();
    const refused = each(VERBS, () => expect.stringContaining('is deactivated'));
    for (const role of ROLES) expect(await outcomesWithoutChange(VERBS, on, on.of[role]), role).toEqual(refused);
  });

  test('In a deactivated organization, the operator can only read, deprovision members, erase people, repeat the deactivation and delete the organization', async () => {
    const on = await deactivated();
    const ending = CHANGES.filter(({ name }) =>
      /^(deprovisioning|erasing|deactivating|deleting the organization)/.test(name),
    );
    const others = CHANGES.filter((verb) => isAllowed(verb, 'operator') && !ending.includes(verb));
    expect(await outcomesWithoutChange(READS, on, OPERATOR)).toEqual(each(READS, () => DONE));
    expect(await outcomesWithoutChange(others, on, OPERATOR)).toEqual(
      each(others, () => expect.stringContaining('is deactivated')),
    );
    for (const verb of ending) expect(await outcomeOf(verb, on, OPERATOR), verb.name).toBe(DONE);
  });
});

describe('§5 An actor with an API credential', () => {
  const keyOf = ({ organizationId }: Cast, level: 'readOnly' | 'readWrite'): Actor => ({
    kind: 'apiKey',
    organizationId,
    keyId: 'key',
    label: 'CI',
    level,
  });

  test('A change with an API key has an audit record with the label of the key', async () => {
    const on = await cast([]);
    const { organizationId, stage } = on;
    const request = { organizationId, actor: keyOf(on, 'readWrite'), name: 'Warehouse' };
    const { projectId } = await createProject(stage.services, request);
    const { records } = await readAudit(stage.services, { organizationId, actor: OPERATOR, limit: 50 });
    expect(records).toContainEqual(
      expect.objectContaining({ actor: 'api:CI', action: 'project created', subject: projectId }),
    );
  });

  test('An API key is refused in another organization, for reading the audit log, and for changes if it is read-only', async () => {
    const on = await cast([]);
    const { services } = on.stage;
    const foreign = {
      organizationId: on.organizationId,
      actor: keyOf({ ...on, organizationId: 'other' }, 'readWrite'),
    };
    await expect(listOrganizationProjects(services, foreign)).rejects.toThrow('Organization not found');
    const reader = { organizationId: on.organizationId, actor: keyOf(on, 'readOnly') };
    await expect(createProject(services, { ...reader, name: 'Warehouse' })).rejects.toThrow('Read Only');
    await expect(readAudit(services, reader)).rejects.toThrow('API keys and tokens cannot do this');
  });
});
