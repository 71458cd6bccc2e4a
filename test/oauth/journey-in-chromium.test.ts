import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  dynamicClientRegistration,
  None,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client';
import { beforeEach, expect, test, vi } from 'vitest';
import { describeInChromium } from '#test/harness/chromium.ts';
import { client } from '#test/harness/client.ts';
import { REDIRECT_URI } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { acceptLocalClients, issueOwnTokens, service } from '#test/harness/service.ts';
import { allow } from './allow-in-chromium.ts';
import { clientHost } from './client-host.ts';

issueOwnTokens();
acceptLocalClients();

/** Uses the real clock, because the browser and the client library use it. */
beforeEach(() => void vi.useRealTimers());

const OPTIONS = { algorithm: 'oauth2' as const, execute: [allowInsecureRequests] };

type Stage = Awaited<ReturnType<typeof service>>;

async function journey(stage: Stage, configuration: Configuration) {
  const pkceCodeVerifier = randomPKCECodeVerifier();
  const expectedState = randomState();
  const resource = stage.origin;
  const request = buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    scope: 'projects:read results:read offline_access',
    resource,
    state: expectedState,
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const redirect = await allow(stage, await member(stage, 'member'), request);
  const tokens = await authorizationCodeGrant(
    configuration,
    redirect,
    { pkceCodeVerifier, expectedState },
    { resource },
  );
  expect((await client(stage.origin, tokens.access_token).get('/projects')).status).toBe(200);
  const renewed = await refreshTokenGrant(configuration, tokens.refresh_token ?? '', { resource });
  expect((await client(stage.origin, renewed.access_token).get('/projects')).status).toBe(200);
  await tokenRevocation(configuration, renewed.refresh_token ?? '');
  await expect(refreshTokenGrant(configuration, renewed.refresh_token ?? '')).rejects.toThrow();
}

describeInChromium('An application that a person allows in Chromium gets, renews and revokes its access', () => {
  test('A client that registered itself can get, renew and revoke its tokens once a person has allowed it', async () => {
    const stage = await service();
    vi.useRealTimers();
    const metadata = { client_name: 'Editor', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
    const configuration = await dynamicClientRegistration(new URL(stage.origin), metadata, None(), OPTIONS);
    await journey(stage, configuration);
  });

  test('A client with a metadata document can get, renew and revoke its tokens once a person has allowed it', async () => {
    const stage = await service();
    vi.useRealTimers();
    const { clientId } = await clientHost();
    const configuration = await discovery(new URL(stage.origin), clientId, undefined, None(), OPTIONS);
    await journey(stage, configuration);
  });
});
