/** §5 Which forms need a recent sign-in. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { createBadge } from '#shared/badges/badges.ts';
import { createScimToken } from '#shared/directory/tokens.ts';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { form, type PageDeclaration } from '#shared/platform/page.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { listSessions } from '#shared/sign-in/sessions.ts';
import { attribute, elementsIn } from '#test/harness/elements.ts';
import { member } from '#test/harness/people.ts';
import { clock } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { secretOf, signedIn, signIn, type Visitor } from '#test/harness/visitor.ts';
import { givenGrant } from '#test/oauth/given-grant.ts';
import { trust } from '#test/trusted-ci/trust.ts';
import { declared, forms, pageWorld } from './page-world.ts';

const { freshPageMilliseconds } = SIGN_IN_LIMITS;
const needsSession = ({ needs }: PageDeclaration): boolean => needs !== 'public' && needs !== 'visitor';
const kindsOf = ({ access: { writes = [], alsoWrites = [] } }: PageDeclaration): readonly RowKind[] => [
  ...writes,
  ...alsoWrites,
];
const givesAway = (one: PageDeclaration): boolean => kindsOf(one).some(({ gives }) => gives !== undefined);

describe('A form of a person who is signed in', () => {
  test('A form that writes rows which give access, a link or results away needs a recent sign-in, unless it only revokes, proves who the person is, or keeps its receivers', () => {
    const undecided = forms.filter((one) => needsSession(one) && givesAway(one) && !one.fresh && !one.notFresh);
    expect(undecided.map(({ operationId }) => operationId)).toEqual([]);
    expect(forms.filter(({ fresh }) => fresh).length).toBeGreaterThan(15);
    expect(forms.filter(({ notFresh }) => notFresh).length).toBeGreaterThan(15);
  });

  const declaration = {
    operationId: 'submitProbe',
    route: 'POST /probe',
    needs: 'account',
    page: 'showProbe',
  } as const;
  const submit = () => ({ title: '', body: '' as never });
  test.each([
    ['a key without a word about the sign-in', [apiKeys], {}, /writes rows that give access, a link or results away/],
    [
      'a receiver without a word about the sign-in',
      [webhooks],
      {},
      /writes rows that give access, a link or results away/,
    ],
    [
      'nothing, but says that it only revokes',
      [],
      { notFresh: 'revokes' },
      /nothing in it would need a recent sign-in/,
    ],
    [
      'a key, and asks although it says that it only revokes',
      [apiKeys],
      { fresh: 'x', notFresh: 'revokes' },
      /notFresh/,
    ],
  ] as const)('A new form cannot be declared if it writes %s', (_, writes, decision, problem) => {
    const access = { table: 'readWrite', writes, artifacts: 'none' } as const;
    expect(() => form({ ...declaration, ...decision, access, submit })).toThrow(problem);
  });

  test('A person who signed in more than 25 minutes ago is asked to confirm before they fill in a form that needs a recent sign-in, so that nothing they typed is lost', async () => {
    const { as, pathOf } = await pageWorld();
    const pages = new Map(declared.map((one) => [one.operationId, one]));
    clock.advance(freshPageMilliseconds + 1);
    const lost: string[] = [];
    for (const one of forms.filter(({ fresh, asksItself }) => fresh && !asksItself)) {
      const page = pages.get(one.page ?? '');
      if (!page) throw new Error(`${one.operationId} has no page`);
      const shown = await as('admin').get(pathOf(page));
      if (shown.status === 303) continue;
      expect([page.operationId, shown.status]).toEqual([page.operationId, 200]);
      const shape = new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const own = shown.elements.filter(
        (element) => element.tagName === 'form' && shape.test(attribute(element, 'action') ?? ''),
      );
      const typed = own
        .flatMap((element) => elementsIn(element))
        .filter(({ tagName }) => ['input', 'select', 'textarea'].includes(tagName))
        .filter((element) => attribute(element, 'type') !== 'hidden');
      if (typed.length > 0) lost.push(one.operationId);
    }
    expect(lost).toEqual([]);
  });
});

/** The attributes of giving rows that say who gets access or where results go. */
const POWERS = [
  'accountId',
  'role',
  'level',
  'permissions',
  'hash',
  'url',
  'headers',
  'apiUrl',
  'repository',
  'secretName',
];

test('A form that needs no recent sign-in adds no row that gives anything away, and changes no right and no receiver', async () => {
  const here = await pageWorld();
  const { as, pathOf, services, environment, api, organizationId, projectId } = here;
  const kinds = (await loadRowKinds()).filter(({ gives }) => gives !== undefined);
  // Rows of other kinds may be in the same partition, but their sort keys begin differently.
  const keys = kinds.flatMap(({ patterns }) => patterns.map(({ pk, sk }) => [pk, sk].map((key) => key.split('#')[0])));
  const giving = async () => {
    const rows = await itemsOf(environment, ({ pk, sk }) =>
      keys.some((key) => String(pk).startsWith(`${key[0]}#`) && String(sk).split('#')[0] === key[1]),
    );
    return new Map(rows.map((row) => [`${row['pk']} ${row['sk']}`, row]));
  };
  const hook = (await api.get(`/webhooks?projectId=${projectId}`)).body.data[0];
  const { hookId } = hook;
  const [delivery] = (await api.get(`/webhooks/${hookId}/deliveries`)).body.data;
  const admin = as('admin');
  const badge = await createBadge(services, {
    organizationId,
    projectId,
    actor: OPERATOR,
    branch: 'main',
    label: 'tests',
    formId: 'f'.repeat(16),
  });
  const { trustId } = await trust(here, { issuer: 'https://gitlab.example.com' });
  const account = await member(here, 'member');
  const person = await signIn(here, account);
  await signIn(here, account);
  await signIn(here, account);
  const own = hashToken(secretOf(person));
  const session = (await listSessions(services, account)).find(({ hash }) => hash !== own);
  const grants = [await givenGrant(here, account), await givenGrant(here, account)];
  const email = 'invited@example.com';
  const formId = services.randomId(16);
  await inviteMember(services, { organizationId, actor: OPERATOR, email, role: 'member', formId });
  const removed = await member(here, 'guest');
  const left = await signedIn(here, 'guest');
  const sessionId = session?.sessionId ?? '';
  const identity = { organizationId, identity: 'a'.repeat(64), email: account.email, createdAt: services.now() };
  await services.table.put(companyIdentities, { ...identity, accountId: account.accountId });
  const scimToken = await createScimToken(services, { organizationId, actor: OPERATOR });

  /** Each form, who sends it and with what, in an order in which all of them work. */
  const sent: Record<
    string,
    { by?: Visitor; fields?: Record<string, string>; at?: Record<string, string>; answers?: number }
  > = {
    submitWebhookTest: {},
    submitRedelivery: { at: { deliveryId: delivery.deliveryId } },
    submitDeleteWebhookSecret: {},
    submitWebhookEnabled: { fields: { enabled: 'false' } },
    submitNotificationTest: { fields: { of: 'github' } },
    submitNotificationEnabled: { fields: { of: 'github', enabled: 'false' } },
    // The tracker of this organization has no credential.
    submitIntegrationTest: { answers: 409 },
    submitDeleteWebhook: {},
    submitDeleteNotification: {},
    submitRemoveIntegration: {},
    submitRevokeBadge: { at: { badgeId: badge.badgeId } },
    submitRemoveRepository: { at: { trustId } },
    submitRevokeShare: {},
    submitRevokeShares: {},
    submitRevokeApiKey: {},
    submitRevokeToken: {},
    submitWithdrawInvitation: { fields: { email } },
    submitEndMemberApplication: { at: { accountId: account.accountId }, fields: { grant: grants[0]?.hash ?? '' } },
    submitEndApplication: { by: person, fields: { grant: grants[1]?.hash ?? '' } },
    submitEndIdentity: { at: { accountId: account.accountId } },
    submitRevokeScimToken: { fields: { tokenId: scimToken.tokenId } },
    submitRemoveMember: { at: { accountId: removed.accountId } },
    submitLeave: { by: left },
    submitEndSession: { by: person, fields: { sessionId } },
    submitEndOtherSessions: { by: person },
    submitSignOut: { by: person },
    submitSignOutEverywhere: { by: as('member') },
  };
  const exempt = forms.filter(({ notFresh }) => notFresh !== undefined && notFresh !== 'provesIdentity');
  expect(Object.keys(sent).sort()).toEqual(exempt.map(({ operationId }) => operationId).sort());

  for (const [operationId, { by = admin, fields, at, answers = 303 }] of Object.entries(sent)) {
    const one = exempt.find((form) => form.operationId === operationId);
    if (!one) throw new Error(`${operationId} is not declared`);
    const before = await giving();
    const { status, text, headers } = await by.post(pathOf(one, at), fields);
    expect(status, `${operationId}: ${text}`).toBe(answers);
    expect(headers.get('location') ?? '').not.toMatch(/^\/sign-in(\/confirm|\?return_to)/);
    const after = await giving();
    const added = [...after.keys()].filter((key) => !before.has(key));
    const changed = [...after].flatMap(([key, row]) =>
      POWERS.filter((name) => before.has(key) && !isDeepStrictEqual(row[name], before.get(key)?.[name])),
    );
    expect({ operationId, added, changed }).toEqual({ operationId, added: [], changed: [] });
  }
  expect(await listSessions(services, account)).toEqual([]);
});
