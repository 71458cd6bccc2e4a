import { redirect } from '#shared/engine/http/content.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { decideConsent, mustConfirm } from '#shared/oauth/consent.ts';
import { consentFields } from '#shared/oauth/consent-wire.ts';
import { readInteraction, settleInteraction } from '#shared/oauth/interaction.ts';
import { linkToConfirm, linkToConsent } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';

export const handler = form({
  operationId: 'submitConsent',
  route: 'POST /oauth/consent/{uid}',
  needs: 'account',
  fresh: 'let an application act for you',
  asksItself: true,
  access: { table: 'readWrite', writes: [oauthItems, grants, grantsOfAccount, auditRecords], artifacts: 'none' },
  fields: consentFields,
  page: 'showConsent',
  async submit({ visit, path: { uid }, fields, header }, services) {
    const place = { cookies: header('cookie'), uid };
    const request = await readInteraction(services, place);
    const { freshMilliseconds: milliseconds } = SIGN_IN_LIMITS;
    if (fields.decision === 'allow' && mustConfirm(visit, request, { now: services.now(), milliseconds }))
      return redirect(linkToConfirm(visit, linkToConsent({ base: '' }, uid), 'submitConsent'));
    const decision = await decideConsent(services, visit, request, fields);
    return redirect(await settleInteraction(services, place, decision));
  },
});
