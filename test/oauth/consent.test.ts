/** §5.3 Consent: the page that asks for consent, and the decision that its form submits. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';
import { SCOPES, type Scope } from '#shared/model/organizations/permissions.ts';
import { COMMAND_LINE, deriveAnswerPlace, deriveFormTarget } from '#shared/oauth/applications.ts';
import { mustConfirm } from '#shared/oauth/consent.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { changeRole, removeMember } from '#shared/organizations/members.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { attribute, textOf } from '#test/harness/elements.ts';
import { consentStage, requestOf } from './consent-stage.ts';

const READS_OF_GUESTS: readonly Scope[] = ['projects:read', 'results:read'];
const MEMBER: readonly Scope[] = [
  ...READS_OF_GUESTS,
  'analytics:read',
  'actions:read',
  'issues:write',
  'runs:write',
  'shares:write',
];

/** The permissions that each role can grant, written by hand from §5.2. */
const GRANTABLE: Readonly<Record<Role, readonly string[]>> = {
  admin: SCOPES,
  actionsAdmin: [...MEMBER, 'actions:write'],
  member: MEMBER,
  guest: READS_OF_GUESTS,
};

describe('consent', () => {
  test.each(ROLES)(
    'Consent by a person with the role %s grants exactly the scopes that the role allows, for each of the two resources',
    async (role) => {
      const { join, allow, origin, organizationId, accountId } = await consentStage();
      await join(role);
      for (const resource of [origin, `${origin}/mcp`]) {
        for (const scope of SCOPES) {
          const decision = await allow({ scopes: scope }, { resource, scopes: [scope] });
          const granted = { kind: 'granted', organizationId, accountId, resource, scopes: [scope], offline: false };
          expect(decision, scope).toEqual(GRANTABLE[role].includes(scope) ? granted : { kind: 'denied' });
        }
        const all = await allow({}, { resource });
        expect(all).toMatchObject({ kind: 'granted', resource, offline: true });
        expect(all.kind === 'granted' ? [...all.scopes].sort() : []).toEqual([...GRANTABLE[role]].sort());
      }
    },
  );

  test('grants only the ticked permissions, and nothing without a ticked permission', async () => {
    const { join, allow } = await consentStage();
    await join('admin');
    expect(await allow({ scopes: ['results:read'] })).toMatchObject({ scopes: ['results:read'], offline: false });
    expect(await allow({ scopes: [] })).toEqual({ kind: 'denied' });
    expect(await allow({ scopes: 'offline_access' })).toEqual({ kind: 'denied' });
    expect(await allow({ decision: 'deny', organizationId: undefined })).toEqual({ kind: 'denied' });
  });

  test('grants no permission of a role that the person lost after opening the page', async () => {
    const { join, allow, services, accountId, organizationId, page } = await consentStage();
    await join('actionsAdmin');
    expect((await page()).text).toContain('archive quarantine, skip and tag rules');
    await changeRole(services, { organizationId, accountId, role: 'guest', actor: OPERATOR });
    expect(await allow()).toMatchObject({ scopes: READS_OF_GUESTS });
  });

  test('is refused without an organization, for a deactivated organization, and for one of which the person is not a member', async () => {
    const { join, allow, tenant, services, accountId } = await consentStage();
    const [left, deactivated, foreign] = await Promise.all([tenant('Left'), tenant('Old'), tenant('Foreign')]);
    await join('admin');
    await join('member', left);
    await join('member', deactivated);
    await removeMember(services, { ...left, accountId, actor: OPERATOR });
    await deactivateOrganization(services, { ...deactivated, actor: OPERATOR });
    await expect(allow({ organizationId: undefined })).rejects.toThrow('Choose an organization');
    for (const { organizationId } of [left, deactivated, foreign, { organizationId: 'unknown' }])
      await expect(allow({ organizationId })).rejects.toThrow('not a member');
  });

  test('is refused for a scope that the application did not request, and if somebody else has signed in since the page was shown', async () => {
    const { join, allow } = await consentStage();
    await join('admin');
    await expect(allow({ scopes: 'runs:write' }, { scopes: ['results:read'] })).rejects.toThrow('did not ask for');
    await expect(allow({ scopes: 'results:read '.repeat(999) })).rejects.toThrow('did not ask for');
    await expect(allow({ accountId: 'somebody-else' })).rejects.toThrow('Somebody else signed in');
  });

  test('grants permissions that the application does not ask for, if the person ticks them, for the MCP server and not for the REST API', async () => {
    const { join, allow, origin } = await consentStage();
    await join('member');
    const mcp = { resource: `${origin}/mcp`, scopes: ['results:read'] };
    expect(await allow({ scopes: ['results:read', 'issues:write'] }, mcp)).toMatchObject({
      scopes: ['results:read', 'issues:write'],
      offline: false,
    });
    expect(await allow({ scopes: 'shares:write' }, mcp)).toMatchObject({ scopes: ['shares:write'] });
    expect(await allow({ scopes: ['results:read', 'actions:write', 'webhooks:write'] }, mcp)).toMatchObject({
      scopes: ['results:read'],
    });
    for (const scope of ['projects:write', 'offline_access', 'openid', 'admin'])
      await expect(allow({ scopes: scope }, mcp), scope).rejects.toThrow('did not ask for');
    await expect(allow({ scopes: 'issues:write' }, { ...mcp, resource: origin })).rejects.toThrow('did not ask for');
  });

  test('needs a recent sign-in for every write permission, for a refresh token, and whenever the application asks for a recent sign-in', async () => {
    const stage = await consentStage();
    const milliseconds = SIGN_IN_LIMITS.freshMilliseconds;
    const fresh = stage.services.now();
    const late = stage.services.now() + milliseconds + 1;
    const ask = (now: number, scopes: readonly string[], asksFreshLogin = false) =>
      mustConfirm(stage.visit, requestOf(stage, { asksFreshLogin }), scopes, { now, milliseconds });
    for (const scope of SCOPES) expect(ask(late, [scope]), scope).toBe(scope.endsWith(':write'));
    expect(ask(late, ['results:read', 'offline_access'])).toBe(true);
    expect(ask(late, ['results:read'], true)).toBe(true);
    expect([ask(fresh, SCOPES), ask(fresh, ['results:read'], true)]).toEqual([false, false]);
  });

  test('A sign-in that happened for the request of the application is recent enough for its consent, however long the person reads', async () => {
    const { visit, ...stage } = await consentStage();
    const milliseconds = SIGN_IN_LIMITS.freshMilliseconds;
    const now = stage.services.now() + milliseconds + 1;
    const { authenticatedAt } = visit.session;
    const ask = (startedAt: number) =>
      mustConfirm(visit, requestOf(stage, { asksFreshLogin: true, startedAt }), SCOPES, { now, milliseconds });
    expect([ask(authenticatedAt), ask(authenticatedAt + 1)]).toEqual([false, true]);
  });
});

describe('the consent page', () => {
  test('shows the host of a client before the name that the client claims, even if that name is "Rundown"', async () => {
    const { join, page } = await consentStage();
    await join('member');
    const { text, elements } = await page();
    const heading = textOf(elements.find(({ tagName }) => tagName === 'h1') ?? fail());
    expect(heading).toBe('evil.example (which calls itself “Rundown”) asks for access');
    expect(text.indexOf('evil.example')).toBeLessThan(text.indexOf('Rundown'));
    expect(text).toContain('The name in quotes is not verified');
    const registered = await page({ clientId: 'a1b2c3' });
    expect(registered.text).toMatch(/^An application that registered itself as “Rundown” asks for access/);
    const own = await page({ clientId: COMMAND_LINE, clientName: 'Anything' });
    expect(own.text).toMatch(/^The Rundown command line asks for accessContinue only if you started npm run login/);
  });

  test('names the person, the resource and the redirect target, and describes a scope in words', async () => {
    const { join, page, origin, visit } = await consentStage();
    await join('admin');
    const api = await page({ redirectUri: 'https://app.example:8443/done' });
    for (const text of [
      'Dana Roe',
      visit.account.email,
      'REST API',
      origin,
      'app.example:8443',
      'Cancel and reset runs',
    ])
      expect(api.text).toContain(text);
    const mcp = await page({ resource: `${origin}/mcp`, redirectUri: 'com.example.app:/done' });
    for (const text of ['MCP server', `${origin}/mcp`, 'com.example.app:']) expect(mcp.text).toContain(text);
  });

  test('lists write permissions separately, and strikes through the scopes that the person may not grant in any organization', async () => {
    const { join, page } = await consentStage();
    await join('guest');
    const { html, elements } = await page();
    expect(html.indexOf('What the application may see')).toBeLessThan(
      html.indexOf('What the application may change or delete'),
    );
    const struck = elements.filter(({ tagName }) => tagName === 's').map(textOf);
    expect(struck).toHaveLength(SCOPES.length - READS_OF_GUESTS.length);
    const boxes = elements.filter((element) => attribute(element, 'type') === 'checkbox');
    expect(boxes.map((box) => attribute(box, 'value'))).toEqual([...READS_OF_GUESTS, 'offline_access']);
  });

  test('offers the permissions that tools need and that an agent does not ask for, unticked and explained, as far as the role allows', async () => {
    const { join, page, origin } = await consentStage();
    await join('member');
    const agent = { resource: `${origin}/mcp`, scopes: [...READS_OF_GUESTS, 'offline_access'] };
    const { elements, text } = await page(agent);
    const tickedIn = (all: typeof elements) =>
      all
        .filter((element) => attribute(element, 'type') === 'checkbox')
        .map((box) => [attribute(box, 'value'), attribute(box, 'checked') !== undefined]);
    expect(tickedIn(elements)).toEqual([
      ...READS_OF_GUESTS.map((scope) => [scope, true]),
      ...MEMBER.filter((scope) => !READS_OF_GUESTS.includes(scope))
        .sort((one, other) => SCOPES.indexOf(one) - SCOPES.indexOf(other))
        .map((scope) => [scope, false]),
      ['offline_access', true],
    ]);
    expect(text).toContain('The application does not ask for these permissions');
    expect(text).toContain('Create issues in a connected issue tracker');
    const again = await page(agent, { scopes: ['results:read', 'issues:write'] });
    expect(tickedIn(again.elements).flatMap(([scope, isTicked]) => (isTicked ? [scope] : []))).toEqual([
      'results:read',
      'issues:write',
    ]);
    expect((await page({ ...agent, resource: origin })).text).not.toContain('does not ask for these permissions');
  });

  test('preselects the organization of a person who has only one, and names an organization in which the role of the person does not allow a permission', async () => {
    const { join, page, tenant } = await consentStage();
    await join('admin');
    const chosen = (elements: Awaited<ReturnType<typeof page>>['elements']) =>
      elements.filter((element) => attribute(element, 'type') === 'radio').map((one) => attribute(one, 'checked'));
    expect(chosen((await page()).elements)).toEqual(['']);
    await join('guest', await tenant('Beta'));
    const { elements, text } = await page();
    expect(chosen(elements)).toEqual([undefined, undefined]);
    expect(text).toContain('webhooks:read Not in Beta, because of your role.');
  });

  test('has no Allow button for a person who is not a member of any organization', async () => {
    const { page } = await consentStage();
    const { elements, text } = await page();
    expect(text).toContain('You are not a member of any active organization');
    expect(elements.filter(({ tagName }) => tagName === 'button').map(textOf)).toEqual(['Not you?', 'Deny']);
  });
});

const HOSTILE = [
  '</h1><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '\u202Etnuocca ruoy\u202C',
  '\u2066\u200B\u200D\uFEFF\u2069',
  'Claude\nCode\r\nby Anthropic',
  '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  'x'.repeat(10_000),
  '\u{1F468}\u200D'.repeat(5_000),
];

test.each(HOSTILE)(
  'the client name %j changes no element of the consent page, and is cut to one line of at most 80 characters',
  async (clientName) => {
    const { join, page } = await consentStage();
    await join('member');
    const structure = async (name: string) => (await page({ clientName: name })).elements.map(({ tagName }) => tagName);
    expect(await structure(clientName)).toEqual(await structure('Harmless'));
    const { elements } = await page({ clientName });
    const heading = textOf(elements.find(({ tagName }) => tagName === 'h1') ?? fail());
    expect(heading).toMatch(
      /^evil\.example \(which calls itself “[^\p{Cc}\p{Default_Ignorable_Code_Point}]{1,80}”\) asks for access$/u,
    );
  },
);

test.each([
  ['http://127.0.0.1:7000/callback', { kind: 'computer' }, 'http://127.0.0.1:7000'],
  ['http://localhost:7000/callback', { kind: 'computer' }, 'http://localhost:7000'],
  ['http://[::1]:7000/callback', { kind: 'computer' }, 'http:'],
  ['https://app.example/done', { kind: 'host', host: 'app.example' }, 'https://app.example'],
  ['https://аpple.example/done', { kind: 'host', host: 'xn--pple-43d.example' }, 'https://xn--pple-43d.example'],
  ['https://a;script-src.example/', { kind: 'host', host: 'a;script-src.example' }, 'https:'],
  ['cursor://callback', { kind: 'computer', scheme: 'cursor:' }, 'cursor:'],
] as const)(
  'The consent page names the target of the redirect %s, and its content security policy allows this target',
  (redirectUri, place, target) => {
    expect(deriveAnswerPlace(redirectUri)).toEqual(place);
    expect(deriveFormTarget(redirectUri)).toBe(target);
  },
);

function fail(): never {
  throw new Error('The page has no h1 element');
}
