import { redirect } from '#shared/engine/http/content.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { deriveFormTarget } from '#shared/oauth/applications.ts';
import { decideConsent, listTickedScopes, mustConfirm, readConsent } from '#shared/oauth/consent.ts';
import { consentFields, consentQuery } from '#shared/oauth/consent-wire.ts';
import { readInteraction, settleInteraction } from '#shared/oauth/interaction.ts';
import { ConsentPage } from '#shared/pages/account/consent-page.tsx';
import { linkToConfirm, linkToConsent } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';

/** Needs write access, because reading an OAuth client may refresh the stored copy of its metadata document. */
export const showConsent = page({
  operationId: 'showConsent',
  route: 'GET /oauth/consent/{uid}',
  lambda: 'consent',
  needs: 'account',
  inCompanySession: true,
  fresh: 'let an application act for you',
  asksItself: true,
  access: { table: 'readWrite', writes: [oauthItems], artifacts: 'none' },
  query: consentQuery,
  async show({ visit, path: { uid }, query, header, pathWithQuery, refused }, services) {
    const request = await readInteraction(services, { cookies: header('cookie'), uid });
    const { freshPageMilliseconds: milliseconds } = SIGN_IN_LIMITS;
    const tickedScopes = query.scopes ?? request.scopes;
    if (!refused && mustConfirm(visit, request, tickedScopes, { now: services.now(), milliseconds }))
      return redirect(linkToConfirm(visit, pathWithQuery, 'showConsent'));
    const choice = await readConsent(services, visit, request);
    const { resource, redirectUri } = request;
    const body = (
      <ConsentPage visit={visit} uid={uid} choice={choice} resource={resource} earlier={query} refused={refused} />
    );
    return { title: 'Allow access?', hasSecret: true, formTarget: deriveFormTarget(redirectUri), body };
  },
});

export const submitConsent = form({
  operationId: 'submitConsent',
  route: 'POST /oauth/consent/{uid}',
  lambda: 'consent',
  needs: 'account',
  inCompanySession: true,
  fresh: 'let an application act for you',
  asksItself: true,
  access: { table: 'readWrite', writes: [oauthItems, grants, grantsOfAccount, auditRecords], artifacts: 'none' },
  fields: consentFields,
  page: 'showConsent',
  async submit({ visit, path: { uid }, fields, header }, services) {
    const place = { cookies: header('cookie'), uid };
    const request = await readInteraction(services, place);
    const { freshMilliseconds: milliseconds } = SIGN_IN_LIMITS;
    const scopes = listTickedScopes(fields);
    if (fields.decision === 'allow' && mustConfirm(visit, request, scopes, { now: services.now(), milliseconds })) {
      const { organizationId } = fields;
      return redirect(
        linkToConfirm(visit, linkToConsent({ base: '' }, uid, { organizationId, scopes }), 'submitConsent'),
      );
    }
    const decision = await decideConsent(services, visit, request, fields);
    return redirect(await settleInteraction(services, place, decision));
  },
});
