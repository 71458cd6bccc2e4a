import { redirect } from '#shared/engine/http/content.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { deriveFormTarget } from '#shared/oauth/applications.ts';
import { mustConfirm, readConsent } from '#shared/oauth/consent.ts';
import { readInteraction } from '#shared/oauth/interaction.ts';
import { ConsentPage } from '#shared/pages/account/consent-page.tsx';
import { linkToConfirm } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';

/** Needs write access, because reading an OAuth client may refresh the stored copy of its metadata document. */
export const handler = page({
  operationId: 'showConsent',
  route: 'GET /oauth/consent/{uid}',
  needs: 'account',
  fresh: 'let an application act for you',
  asksItself: true,
  access: { table: 'readWrite', writes: [oauthItems], artifacts: 'none' },
  async show({ visit, path: { uid }, header, here, refused }, services) {
    const request = await readInteraction(services, { cookies: header('cookie'), uid });
    const { freshPageMilliseconds: milliseconds } = SIGN_IN_LIMITS;
    if (!refused && mustConfirm(visit, request, { now: services.now(), milliseconds }))
      return redirect(linkToConfirm(visit, here, 'showConsent'));
    const choice = await readConsent(services, visit, request);
    const { resource, redirectUri } = request;
    const body = <ConsentPage visit={visit} uid={uid} choice={choice} resource={resource} refused={refused} />;
    return { title: 'Allow access?', hasSecret: true, formTarget: deriveFormTarget(redirectUri), body };
  },
});
