/** §5.2 What a person can still do after the directory of their company says that they are not active. */
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { addMember, changeRole } from '#shared/organizations/members.ts';
import { createPersonalToken } from '#shared/organizations/personal-tokens.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { listSessions } from '#shared/sign-in/sessions.ts';
import { authorized, goodRequest, sharedWorld } from '#test/engine/http/sample-requests.ts';
import { send } from '#test/engine/http/wire.ts';
import { client } from '#test/harness/client.ts';
import { directory, type Scim } from '#test/harness/directory.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { cookieOf, visitor } from '#test/harness/visitor.ts';
import { ask } from '#test/mcp/agents.ts';
import { givenGrant, isAlive } from '#test/oauth/given-grant.ts';
import { declared, isInside } from '#test/pages/page-world.ts';

type Stage = TestService & Tenant;

const declarations = (await loadDeclarations()).map(({ declaration }) => declaration);
const WAYS: readonly [string, (scim: Scim, id: string) => Promise<unknown>][] = [
  [
    'PATCH',
    (scim, id) => scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }),
  ],
  [
    'PUT',
    async (scim, id) => scim('PUT', `/Users/${id}`, { ...(await scim('GET', `/Users/${id}`)).body, active: false }),
  ],
  ['DELETE', (scim, id) => scim('DELETE', `/Users/${id}`)],
];
const activate = (scim: Scim, id: string) =>
  scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: true } }] });

/** An Admin from a directory who has signed in, with a token and access tokens of applications. */
async function stage(here: Stage) {
  const { services, organizationId, origin, issuer } = here;
  const { scim } = await directory(here);
  const email = `${crypto.randomUUID()}@acme.example`;
  const { body } = await scim('POST', '/Users', { userName: email, active: true });
  const entry = await services.table.get(directoryEntries, { organizationId, entryId: body.id }, { consistent: true });
  const { accountId } = entry ?? { accountId: '' };
  await changeRole(services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
  const actor = makePerson({ accountId });
  clock.advance(2000);
  const permissions = SCOPES.filter((scope) => scope !== 'shares:write');
  const { value } = await createPersonalToken(services, { organizationId, actor, name: 'laptop', permissions });
  const scope = SCOPES.join(' ');
  const accessToken = await signed(claimsOf(issuer, here, accountId, { scope }), issuer.key);
  const mcpToken = await signed(
    claimsOf(issuer, { ...here, origin: `${origin}/mcp` }, accountId, { scope }),
    issuer.key,
  );
  const grant = await givenGrant(here, { accountId });
  const { secret } = await createSignInLink(services, { actor: OPERATOR, email, organizationId });
  const signIn = await visitor(origin).post('/sign-in/link', { code: secret });
  const person = visitor(origin, cookieOf(signIn));
  const { secret: invitation } = await inviteMember(services, {
    organizationId,
    email: `friend-${email}`,
    role: 'admin',
    actor,
  });
  return {
    ...here,
    scim,
    email,
    entryId: String(body.id),
    accountId,
    value,
    accessToken,
    mcpToken,
    grant,
    person,
    invitation,
  };
}

/** The statuses of one cheap request with each credential. */
async function works({
  origin,
  value,
  accessToken,
  mcpToken,
  person,
  organizationId,
}: Awaited<ReturnType<typeof stage>>) {
  return {
    token: (await client(origin, value).get('/projects')).status,
    accessToken: (await client(origin, accessToken).get('/projects')).status,
    mcp: (await ask(origin, mcpToken, 'tools/list')).status,
    tokenAtMcp: (await ask(origin, value, 'tools/list')).status,
    page: (await person.get(`/${organizationId}`)).status,
  };
}

const DEAD = { token: 401, accessToken: 401, mcp: 401, tokenAtMcp: 401 };

describe('A person whom the directory of the company deactivates', () => {
  test('has no success with any operation, page, form or tool from the next request on', async () => {
    const { tenant, world } = await sharedWorld();
    const here = await stage(tenant);
    const { origin, organizationId, value, accessToken, mcpToken, person } = here;
    expect(await works(here)).toEqual({ token: 200, accessToken: 200, mcp: 200, tokenAtMcp: 200, page: 200 });
    await WAYS[0]?.[1](here.scim, here.entryId);
    const successes: string[] = [];
    for (const declaration of declarations.filter(({ credential }) => credential === 'header')) {
      for (const credential of [value, accessToken]) {
        const { status } = await send(origin, authorized(declaration, goodRequest(declaration, world), credential));
        if (status < 400) successes.push(declaration.operationId);
      }
    }
    for (const { method, path, operationId } of declared.filter(isInside)) {
      const url = path.replace('{organizationId}', organizationId).replaceAll(/\{\w+\+?\}/g, world.projectId);
      const { status, headers } = await (method === 'GET' ? person.get(url) : person.post(url));
      const isSentToSignIn = status === 303 && (headers.get('location') ?? '').startsWith('/sign-in');
      if (status < 400 && !isSentToSignIn) successes.push(operationId);
    }
    for (const credential of [value, mcpToken])
      for (const method of ['initialize', 'tools/list', 'tools/call'])
        if ((await ask(origin, credential, method, { name: 'list_projects' })).status !== 401) successes.push(method);
    expect(successes).toEqual([]);
    expect(declarations.length).toBeGreaterThan(60);
  });

  test.each(WAYS)(
    'loses tokens, applications, sessions and invitations by %s, which stay dead after the directory activates the person again',
    async (method, deactivate) => {
      const here = await stage(await service());
      const { services, organizationId, accountId, scim, entryId, email, invitation, origin } = here;
      expect(await works(here)).toMatchObject({ token: 200, page: 200 });
      await deactivate(scim, entryId);
      expect(await works(here)).toMatchObject(DEAD);
      const tokens = await listPersonalTokens(services, { organizationId, actor: OPERATOR });
      expect(tokens.map(({ state }) => state)).toEqual(['revoked']);
      expect(await isAlive(here, here.grant)).toBe(false);
      expect(await listSessions(services, { accountId })).toEqual([]);
      expect((await visitor(origin).post('/invitations', { code: invitation, name: 'Friend' })).status).toBe(404);
      if (method === 'DELETE') await scim('POST', '/Users', { userName: email, active: true });
      else await activate(scim, entryId);
      expect(await services.table.get(memberships, { organizationId, accountId }, { consistent: true })).toMatchObject({
        role: 'member',
      });
      await changeRole(services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
      expect(await works(here)).toMatchObject(DEAD);
      expect(await listSessions(services, { accountId })).toEqual([]);
      expect(await isAlive(here, here.grant)).toBe(false);
    },
  );

  test('keeps an account of their own, with its name, its sessions and its other organizations', async () => {
    const here = await service();
    const { services, organizationId } = here;
    const { scim } = await directory(here);
    const elsewhere = await here.tenant('Elsewhere');
    const email = `${crypto.randomUUID()}@acme.example`;
    const account = await createAccount(services, { email, name: 'Own name' });
    const { accountId } = account;
    for (const organization of [here, elsewhere])
      await addMember(services, {
        organizationId: organization.organizationId,
        accountId,
        role: 'admin',
        actor: OPERATOR,
      });
    const { secret } = await createSignInLink(services, { actor: OPERATOR, email });
    const person = visitor(here.origin, cookieOf(await visitor(here.origin).post('/sign-in/link', { code: secret })));
    const { body } = await scim('POST', '/Users', { userName: email, displayName: 'Other name', active: true });
    expect(await services.table.get(memberships, { organizationId, accountId })).toMatchObject({ role: 'admin' });
    await scim('PATCH', `/Users/${body.id}`, {
      Operations: [
        { op: 'replace', path: 'userName', value: `new-${email}` },
        { op: 'replace', path: 'active', value: false },
      ],
    });
    expect(await services.table.get(accounts, account)).toMatchObject({ email, name: 'Own name' });
    expect((await person.get(`/${elsewhere.organizationId}`)).status).toBe(200);
    expect((await person.get(`/${organizationId}`)).status).toBe(404);
  });
});

describe('A person with an account of their own who is no member', () => {
  test('is not taken over by the directory of an organization, which gets an account beside it and learns nothing', async () => {
    const here = await service();
    const { services, organizationId } = here;
    const { scim } = await directory(here);
    const known = `${crypto.randomUUID()}@acme.example`;
    const unknown = `${crypto.randomUUID()}@acme.example`;
    const own = await createAccount(services, { email: known, name: 'Own name' });
    const answers = [];
    for (const userName of [known, unknown]) answers.push(await scim('POST', '/Users', { userName, active: true }));
    const shapes = answers.map(({ status, body: { id, meta, userName, ...rest } }) => ({
      status,
      rest,
      keys: Object.keys(meta),
    }));
    expect(shapes[0]).toEqual(shapes[1]);
    expect(await services.table.get(memberships, { organizationId, accountId: own.accountId })).toBeUndefined();
    expect(await services.table.get(accounts, own)).toMatchObject(own);
  });
});
