/** A person with memberships, and authorization requests that ask for this person's consent. */

import { parse } from 'parse5';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { decideConsent, readConsent } from '#shared/oauth/consent.ts';
import type { ConsentDecision, ConsentRequest } from '#shared/oauth/consent-types.ts';
import { type ConsentFields, type ConsentQuery, consentFields } from '#shared/oauth/consent-wire.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import { ConsentPage } from '#shared/pages/account/consent-page.tsx';
import { makeSession } from '#shared/sign-in/sessions.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { elementsIn, textOf } from '#test/harness/elements.ts';
import { service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

export const requestOf = ({ origin }: Pick<Stage, 'origin'>, more: Partial<ConsentRequest> = {}): ConsentRequest => ({
  uid: 'interaction',
  clientId: 'https://evil.example/client.json',
  clientName: 'Rundown',
  redirectUri: 'http://127.0.0.1:7000/callback',
  resource: origin,
  scopes: [...SCOPES, 'offline_access'],
  asksFreshLogin: false,
  startedAt: Number.POSITIVE_INFINITY,
  ...more,
});

/** A person on the consent page. `join` makes them a member of an organization. */
export async function consentStage() {
  const stage = await service();
  const { services } = stage;
  const { accountId } = await createAccount(services, {
    email: `${crypto.randomUUID()}@example.com`,
    name: 'Dana Roe',
  });
  const account = await services.table.get(accounts, { accountId });
  if (!account) throw new Error('The account is missing');
  const { session } = makeSession(services, { accountId, method: 'passkey', browser: 'a test', earlier: undefined });
  const visit: AccountVisit = { base: '', theme: 'system', session, account, person: makePerson(account) };
  const join = async (role: Role, { organizationId }: { readonly organizationId: string } = stage) => {
    await addMember(services, { organizationId, accountId, role, actor: OPERATOR });
    return organizationId;
  };
  const allow = (fields: Partial<ConsentFields> = {}, more: Partial<ConsentRequest> = {}): Promise<ConsentDecision> =>
    decideConsent(
      services,
      visit,
      requestOf(stage, more),
      consentFields.parse({
        decision: 'allow',
        accountId,
        organizationId: stage.organizationId,
        scopes: [...SCOPES, 'offline_access'],
        ...fields,
      }),
    );
  const page = async (more: Partial<ConsentRequest> = {}, earlier: ConsentQuery = {}) => {
    const request = requestOf(stage, more);
    const choice = await readConsent(services, visit, request);
    const props = { visit, uid: request.uid, choice, resource: request.resource, earlier, refused: undefined };
    return shownPage(ConsentPage(props).toString());
  };
  return { ...stage, visit, accountId, join, allow, page };
}

function shownPage(html: string) {
  const document = parse(html);
  return { html, elements: elementsIn(document), text: textOf(document).replace(/\s+/g, ' ').trim() };
}
