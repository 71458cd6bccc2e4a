import { describe, expect, test } from 'vitest';
import { ACTIONS, type ApiAction, type OrganizationAction } from '#shared/access/actions.ts';
import {
  type Actor,
  type ApiActor,
  AUTOMATION,
  CLEAN_UP,
  COMPANY_SIGN_IN,
  DELIVERY,
  formatActorName,
  OPERATOR,
  parseAccountId,
} from '#shared/access/actor.ts';
import { makeDenialError } from '#shared/access/denial.ts';
import { findRefusal, listCredentialKinds, may } from '#shared/access/may.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { PERMISSIONS, type Permission, SCOPES } from '#shared/model/organizations/permissions.ts';
import { connectVerifier } from '#shared/platform/connect.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { CEILINGS, isAllowed } from './oracle.ts';

const EVERY_ACTION = Object.keys(ACTIONS) as OrganizationAction[];

const OF = { organizationId: 'org', accountId: 'account', tokenId: 'token', clientId: 'client' };
const keyWith = (level: 'readOnly' | 'readWrite'): ApiActor => ({
  ...OF,
  kind: 'apiKey',
  keyId: 'key',
  label: 'CI',
  level,
});
const GRANTS: readonly (readonly Permission[])[] = [[], ...PERMISSIONS.map((one) => [one]), PERMISSIONS];

/** Every kind of actor, with every level and role, and with no permission, each permission alone, and all of them. */
const ACTORS: readonly Actor[] = [
  OPERATOR,
  AUTOMATION,
  CLEAN_UP,
  COMPANY_SIGN_IN,
  DELIVERY,
  { kind: 'directory', organizationId: 'org', tokenId: 'token' },
  keyWith('readOnly'),
  keyWith('readWrite'),
  ...[undefined, ...ROLES].map((role): Actor => ({ kind: 'person', accountId: 'account', ...(role ? { role } : {}) })),
  ...GRANTS.flatMap((permissions): Actor[] => [
    { ...OF, kind: 'personalToken', permissions },
    ...ROLES.map((role): Actor => ({ ...OF, kind: 'accessToken', permissions, role })),
  ]),
];

describe('§5 The permission table', () => {
  test('The permission table allows each actor exactly the actions that the specification allows', () => {
    for (const actor of ACTORS) {
      const allowed = EVERY_ACTION.filter((action) => may(actor, action));
      expect(allowed, JSON.stringify(actor)).toEqual(EVERY_ACTION.filter((action) => isAllowed(actor, action)));
    }
  });

  test('API keys, people, background jobs and the operator have different actor names, and no key label can imitate another kind of actor', () => {
    const names = [keyWith('readOnly'), ...ACTORS.filter(({ kind }) => kind !== 'apiKey')].map(formatActorName);
    const others = ['automation', 'clean-up', 'company sign-in', 'delivery', 'operator', 'scim', 'user:account'];
    expect(new Set(names)).toEqual(new Set(['api:CI', ...others]));
    for (const label of others) {
      expect(names).not.toContain(formatActorName({ ...keyWith('readOnly'), label } as ApiActor));
    }
  });

  test('The account id can be read from the actor name of a person, and from no other actor name', () => {
    expect(ACTORS.map(formatActorName).map(parseAccountId)).toEqual(
      ACTORS.map((actor) => (actor.kind === 'person' || actor.kind.endsWith('Token') ? 'account' : undefined)),
    );
    expect(parseAccountId('api:user:')).toBeUndefined();
  });
});

/** The most powerful actor of each kind of credential. */
const STRONGEST: readonly ApiActor[] = [
  keyWith('readWrite'),
  { ...OF, kind: 'personalToken', permissions: PERMISSIONS },
  { ...OF, kind: 'accessToken', permissions: SCOPES, role: 'admin' },
];

const API_ACTIONS: readonly ApiAction[] = [...SCOPES, 'record', 'signatures:read', 'mcp:use', 'me:read'];

describe('The kinds of credentials of an operation', () => {
  test.each(API_ACTIONS)(
    'An operation accepts exactly the kinds of credentials that may perform its action: %s',
    (action) => {
      const kinds = STRONGEST.filter((actor) => may(actor, action)).map(({ kind }) => kind);
      expect(listCredentialKinds(action)).toEqual(kinds);
    },
  );

  test('A public operation accepts all kinds of credentials', () => {
    expect(listCredentialKinds('public')).toEqual(STRONGEST.map(({ kind }) => kind));
  });
});

/**
 * The actor of a Read & Write key, and the actor of an access token that has every scope and whose holder has this
 * role.
 */
async function actorsWith(role: (typeof ROLES)[number]) {
  const stage = await service();
  const { accountId } = await member(stage, role);
  const scope = SCOPES.join(' ');
  const value = await signed(claimsOf(stage.issuer, stage, accountId, { scope }), stage.issuer.key);
  const verifier = connectVerifier({ OAUTH_ISSUER: stage.issuer.issuer, PUBLIC_ORIGIN: stage.origin })();
  const holder = await verifier.verify(stage.services, value);
  const key = await verifier.verify(stage.services, stage.keys.readWrite);
  if (!holder || !key) throw new Error('The verifier refused a valid credential');
  return { holder, key };
}

describe('§5.3 An access token with every scope', () => {
  test.each(ROLES)(
    'An access token with every scope may use exactly the scopes that the role %s allows, and any other scope is refused with insufficient_role',
    async (role) => {
      const { holder } = await actorsWith(role);
      for (const permission of SCOPES) {
        const expected = CEILINGS[role].includes(permission) ? undefined : { denial: 'insufficientRole' };
        expect(findRefusal(holder, permission), permission).toEqual(expected);
      }
    },
  );

  test('An action that the role does not allow is refused with insufficient_role, without a WWW-Authenticate challenge', () => {
    const { statusCode, details } = makeDenialError('insufficientRole');
    expect({ statusCode, details }).toEqual({ statusCode: 403, details: { code: 'insufficient_role' } });
  });
});

describe('§5.4 A credential of the wrong kind', () => {
  test('The refusal of a credential of the wrong kind says which kind is needed, or that no credential may perform the action', async () => {
    const { holder, key } = await actorsWith('admin');
    expect(findRefusal(key, 'me:read')).toEqual({ denial: 'userCredentialRequired' });
    expect(findRefusal(holder, 'record')).toEqual({ denial: 'apiKeyRequired' });
    for (const actor of [holder, key])
      expect(findRefusal(actor, 'apiKeys:create')).toEqual({ denial: 'notWithCredential' });
  });
});
