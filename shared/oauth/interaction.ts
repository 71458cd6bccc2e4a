/** §5.3 The authorization request behind the consent page, whose Lambda function runs oidc-provider itself. */
import { generateKeyPairSync } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { errors, type default as Provider } from 'oidc-provider';
import { hashToken } from '#shared/access/token.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import type { Services } from '#shared/services.ts';
import type { ConsentDecision, ConsentRequest } from './consent-types.ts';
import { consentExpired } from './errors.ts';
import { makeGrantDetails } from './grant-rows.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { makeIncomingMessage } from './node-event.ts';
import { runWithState } from './request-state.ts';
import { RequestParameters } from './request-wire.ts';
import { makeProvider } from './server.ts';
import { Signer } from './signer.ts';

/** The reasons in an oidc-provider prompt for which the person must authenticate again. */
const FRESH = ['login_prompt', 'max_age'];

/** Identifies an authorization request and the browser that started it. */
interface Place {
  /** The `Cookie` header. */
  readonly cookies: string | undefined;
  readonly uid: string;
}

interface OpenedInteraction {
  readonly provider: Provider;
  readonly interaction: Awaited<ReturnType<Provider['interactionDetails']>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly consentRequest: ConsentRequest;
}

/** Throws 404 if another browser started the request, or if it has expired. */
export const readInteraction = (services: Services, place: Place): Promise<ConsentRequest> =>
  runWithState({ services }, async () => (await openInteraction(services, place)).consentRequest);

/** Stores the decision. Returns the URL to redirect the browser to. */
export const settleInteraction = (services: Services, place: Place, decision: ConsentDecision): Promise<string> =>
  runWithState({ services }, async () => {
    const { provider, interaction, request, response, consentRequest } = await openInteraction(services, place);
    if (decision.kind === 'denied') {
      return provider.interactionResult(request, response, {
        error: 'access_denied',
        error_description: 'The person denied the request',
      });
    }
    const grantId = await saveGrant(services, provider, consentRequest, decision);
    const { accountId } = decision;
    const addedScopes = decision.scopes.filter((scope) => !consentRequest.scopes.includes(scope));
    if (addedScopes.length > 0) {
      // oidc-provider issues only scopes of the request.
      interaction.params['scope'] = [...consentRequest.scopes, ...addedScopes].join(' ');
      await interaction.persist();
    }
    // Answers both prompts of oidc-provider, login and consent, in one step.
    return provider.interactionResult(request, response, {
      login: { accountId, remember: false },
      consent: { grantId },
    });
  });

async function openInteraction(services: Services, { cookies = '', uid }: Place): Promise<OpenedInteraction> {
  cachedProvider ??= makeProvider(services.origin, [makeUnusedSigner()]);
  const provider = cachedProvider;
  const requestHead = { httpMethod: 'GET', path: `/oauth/consent/${uid}`, multiValueHeaders: { cookie: [cookies] } };
  const requestRest = { multiValueQueryStringParameters: null, body: '', sourceIp: '127.0.0.1' };
  const request = makeIncomingMessage({ ...requestHead, ...requestRest }, new URL(services.origin));
  const response = new ServerResponse(request);
  const interaction = await provider.interactionDetails(request, response).catch(throwExpired);
  if (interaction.uid !== uid) throw consentExpired();
  const {
    client_id: clientId,
    redirect_uri: redirectUri,
    resource,
    scope,
  } = RequestParameters.parse(interaction.params);
  const client = await provider.Client.find(clientId);
  if (!client) throw consentExpired();
  const consentRequest: ConsentRequest = {
    uid,
    clientId,
    clientName: client.clientName,
    redirectUri,
    resource,
    scopes: scope.split(' '),
    startedAt: (interaction.iat + 1) * 1000,
    asksFreshLogin: interaction.prompt.reasons.some((reason) => FRESH.includes(reason)),
  };
  return { provider, interaction, request, response, consentRequest };
}

function throwExpired(error: unknown): never {
  throw error instanceof errors.SessionNotFound ? consentExpired() : error;
}

async function saveGrant(
  services: Services,
  provider: Provider,
  { clientId, clientName, resource, scopes }: ConsentRequest,
  { accountId, organizationId, scopes: allowedScopes, offline }: Extract<ConsentDecision, { readonly kind: 'granted' }>,
): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId });
  grant.addRar(makeGrantDetails({ organizationId, grantedAt: services.now(), clientName }));
  const isAllowed = (scope: string) => allowedScopes.some((one) => one === scope);
  const identityScopes = scopes.filter((scope) => scope === 'openid' || (scope === 'offline_access' && offline));
  if (identityScopes.length > 0) grant.addOIDCScope(identityScopes.join(' '));
  if (scopes.includes('offline_access') && !offline) grant.rejectOIDCScope('offline_access');
  grant.addResourceScope(resource, allowedScopes.join(' '));
  const deniedScopes = scopes.filter((scope) => scope.includes(':') && !isAllowed(scope));
  if (deniedScopes.length > 0) grant.rejectResourceScope(resource, deniedScopes.join(' '));
  const grantId = await grant.save();
  // Extends the lifetime of a registered client at each consent, so that only unused clients expire.
  const expiresAt = Math.floor(services.now() / 1000) + OAUTH_LIMITS.clientSeconds;
  const key = { model: 'Client', hash: hashToken(clientId) } as const;
  await services.table.update(oauthItems, key, { set: [['expiresAt', expiresAt]] }, PRESENT);
  return grantId;
}

let cachedProvider: Provider | undefined;

/** oidc-provider requires a signing key. This key never signs, because the consent page issues no tokens. */
function makeUnusedSigner(): Signer {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const key = { kid: 'unused', keyId: 'unused', x, y, firstSeenAt: 0 };
  return new Signer(key, () => Promise.reject(new Error('The consent page must not sign tokens')));
}
