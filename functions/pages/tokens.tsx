import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { loadPeopleNames } from '#shared/organizations/actor-names.ts';
import { listOwnTokens, listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { listOwnOrganizations } from '#shared/organizations/own-organizations.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { CreatedTokenPage, NewTokenPage } from '#shared/pages/organization/new-token-page.tsx';
import { OwnTokensPage, TokensPage } from '#shared/pages/organization/tokens-page.tsx';
import {
  linkToAccount,
  linkToAccountForm,
  linkToOrganizationSettings,
  linkToTokens,
} from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';

export const showTokens = page({
  operationId: 'showTokens',
  route: 'GET /{organizationId}/settings/tokens',
  lambda: 'settings',
  needs: 'tokens:listAll',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller }, services) {
    const tokens = await listPersonalTokens(services, caller);
    const ownerOf = await loadPeopleNames(services, tokens);
    const body = <TokensPage visit={visit} tokens={tokens} now={services.now()} ownerOf={ownerOf} />;
    return { title: 'Tokens', tab: 'Tokens', body };
  },
});

export const showOwnTokens = page({
  operationId: 'showOwnTokens',
  route: 'GET /account/tokens',
  lambda: 'settings',
  needs: 'account',
  inCompanySession: true,
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const [tokens, organizations] = await Promise.all([
      listOwnTokens(services, visit.person),
      listOwnOrganizations(services, visit.person),
    ]);
    const mayCreate = organizations.some(({ role }) => may({ ...visit.person, role }, 'tokens:create'));
    return {
      title: 'Personal access tokens',
      breadcrumbs: [{ name: 'Your account', href: linkToAccount(visit) }, { name: 'Tokens' }],
      body: <OwnTokensPage visit={visit} tokens={tokens} now={services.now()} mayCreate={mayCreate} />,
    };
  },
});

export const showNewToken = page({
  operationId: 'showNewToken',
  route: 'GET /account/tokens/new',
  lambda: 'settings',
  needs: 'account',
  inCompanySession: true,
  fresh: 'create a personal access token',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ organization_id: id.optional() }),
  async show({ visit, query: { organization_id: organizationId }, refused }, services) {
    const all = await listOwnOrganizations(services, visit.person);
    const organizations = all.filter(({ role }) => may({ ...visit.person, role }, 'tokens:create'));
    const props = { visit, organizations, organizationId, refused, formId: makeFormId(services), now: services.now() };
    return {
      title: 'New personal access token',
      breadcrumbs: [
        { name: 'Your account', href: linkToAccount(visit) },
        { name: 'Tokens', href: linkToAccountForm(visit, 'tokens') },
        { name: 'New' },
      ],
      hasSecret: true,
      body: <NewTokenPage {...props} />,
    };
  },
});

export const submitNewToken = form({
  operationId: 'submitNewToken',
  route: 'POST /account/tokens/new',
  needs: 'account',
  inCompanySession: true,
  fresh: 'create a personal access token',
  access: {
    table: 'readWrite',
    writes: [personalTokens, tokensOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({
    formId: id,
    organizationId: id,
    name: z.string(),
    description: z.string().default(''),
    lifetime: z.string(),
    lastDay: z.string().default(''),
    permissions: z.union([z.string(), z.array(z.string())]).default([]),
  }),
  page: 'showNewToken',
  async submit({ visit, fields: { lastDay, description, ...tokenFields } }, services) {
    const token = await createPersonalToken(services, {
      ...tokenFields,
      actor: visit.person,
      description: description.trim() || undefined,
      lifetime: lastDay || tokenFields.lifetime,
      permissions: [tokenFields.permissions].flat(),
    });
    const body = <CreatedTokenPage visit={visit} token={token} origin={services.origin} />;
    return { title: 'New personal access token', hasSecret: true, body };
  },
});

/** §5.2 People see their own tokens, and Admins see all tokens. */
export const showRevokeToken = page({
  operationId: 'showRevokeToken',
  route: 'GET /{organizationId}/settings/tokens/{tokenId}/revoke',
  lambda: 'settings',
  needs: 'tokens:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { tokenId }, refused }, services) {
    const all = await listPersonalTokens(services, caller);
    const { name, lastFour } = all.find((token) => token.tokenId === tokenId) ?? refuse(notFound('Token'));
    return {
      title: `Revoke ${name}`,
      tab: 'Tokens',
      breadcrumbs: [{ name: 'Tokens', href: linkToTokens(visit) }, { name }],
      body: (
        <QuestionPage
          question={`Revoke the token ${name}?`}
          action={linkToOrganizationSettings(visit, 'tokens', tokenId, 'revoke')}
          refused={refused}
          yes="Revoke this token"
          back={linkToTokens(visit)}
        >
          The token that ends with <code>{lastFour}</code> will be refused immediately. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});

export const submitRevokeToken = form({
  operationId: 'submitRevokeToken',
  route: 'POST /{organizationId}/settings/tokens/{tokenId}/revoke',
  needs: 'tokens:revokeOwn',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [personalTokens, auditRecords], artifacts: 'none' },
  page: 'showRevokeToken',
  async submit({ visit, caller, path: { tokenId } }, services) {
    await revokePersonalToken(services, { ...caller, tokenId });
    return redirect(linkToTokens(visit));
  },
});
