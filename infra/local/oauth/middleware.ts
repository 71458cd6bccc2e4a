/** Middleware before the provider: host check, pages, and two more lenient readings of standards. */
import type Provider from 'oidc-provider';
import { type Configuration, errors } from 'oidc-provider';
import { SCOPES } from '#shared/model/permissions.ts';
import type { CoreServices } from '#shared/services.ts';
import { SESSION_COOKIE, SESSION_COOKIE_NAME } from './configuration.ts';
import { askConsent, takeDecision } from './consent.ts';
import { documentOf, securityHeaders } from './html.ts';
import { CLIENT_ID, REDIRECT_PATH, ROUTES } from './names.ts';
import { NOTE, problemPage } from './pages.ts';
import { askWho, takeChoice } from './sign-in.ts';
import { AuthorizationRequest, problem, type Reply, type Visit } from './visit.ts';

type Middleware = Parameters<Provider['use']>[0];
type Context = Parameters<Middleware>[0];

/** Handles errors and unknown paths. Refuses other host names, which a page could use to pose as this machine. */
export const front =
  (issuer: string, onFault: (fault: string) => void): Middleware =>
  async (ctx, next) => {
    if (ctx.host !== new URL(issuer).host) return send(ctx, problem(421, otherHost(issuer)));
    try {
      await next();
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return send(ctx, problem(400, ENDED));
      onFault(`The OAuth issuer: ${error instanceof Error ? error.stack : error}`);
      return send(ctx, problem(500, FAULT));
    }
    if (ctx.status === 404 && !ctx.body) send(ctx, problem(404, notHere(issuer)));
  };

const otherHost = (issuer: string) => ({
  title: 'This address is not the issuer’s',
  detail: 'It answers to one name only, so that no other site can speak for it.',
  next: `Use ${issuer}`,
});
const ENDED = {
  title: 'This sign-in has ended',
  detail: 'It was answered already, took longer than an hour, or began in another browser.',
  next: 'Go back to the program that sent you here, and sign in again.',
};
const FAULT = {
  title: 'The issuer could not do that',
  detail: 'The reason is in the terminal where "npm start" runs.',
  next: 'See to it that the service runs there, then reload this page.',
};
const notHere = (issuer: string) => ({
  title: 'There is no such page',
  detail: 'A sign-in begins in a program that wants access, not here.',
  next: `Run "npm run login", or read ${issuer}/.well-known/oauth-authorization-server to build your own.`,
});

function send(ctx: Context, reply: Reply): void {
  if (reply.kind === 'page') {
    ctx.status = reply.status;
    ctx.set(securityHeaders(reply.formTarget));
    ctx.type = 'html';
    ctx.body = documentOf(reply.page, NOTE);
    return;
  }
  // Ends the session of an earlier sign-in, because the new one belongs to this member.
  if (reply.kind === 'signedIn') ctx.cookies.set(SESSION_COOKIE_NAME, null, SESSION_COOKIE);
  ctx.status = 303;
  ctx.redirect(reply.location);
}

const INTERACTION = /^\/interaction\/[\w-]+$/;

export const interactions =
  (provider: Provider, services: () => CoreServices | Promise<CoreServices>): Middleware =>
  async (ctx, next) => {
    if (!INTERACTION.test(ctx.path) || !['GET', 'POST'].includes(ctx.method)) return next();
    const details = await provider.interactionDetails(ctx.req, ctx.res);
    const request = AuthorizationRequest.parse(details.params);
    const client = await provider.Client.find(request.client_id);
    const visit: Visit = {
      provider,
      services: await services(),
      req: ctx.req,
      res: ctx.res,
      query: new URLSearchParams(ctx.querystring),
      details,
      request,
      clientName: client?.clientName ?? request.client_id,
    };
    const [ask, answer] = details.prompt.name === 'login' ? [askWho, takeChoice] : [askConsent, takeDecision];
    send(ctx, await (ctx.method === 'POST' ? answer : ask)(visit));
  };

/** RFC 8414: adds the API's scopes, and lists only features that the client may use. */
export const discovery: Middleware = async (ctx, next) => {
  await next();
  if (!ctx.path.startsWith('/.well-known/') || typeof ctx.body !== 'object') return;
  ctx.body = {
    ...ctx.body,
    scopes_supported: [...SCOPES, 'openid', 'offline_access'],
    response_modes_supported: ['query'],
  };
};

/**
 * §5.3 `offline_access` alone requests a refresh token. The provider also expects OpenID Connect's `prompt=consent`.
 */
export const offlineAccess: Middleware = (ctx, next) => {
  const { scope, prompt = '' } = ctx.query;
  if (ctx.path === ROUTES.authorization && typeof scope === 'string' && typeof prompt === 'string') {
    const prompts = prompt.split(' ').filter(Boolean);
    const forgotten = scope.split(' ').includes('offline_access') && !prompts.includes('none');
    if (forgotten) ctx.query = { ...ctx.query, prompt: [...new Set([...prompts, 'consent'])].join(' ') };
  }
  return next();
};

/** Shows errors that must not be sent to the address in the request, which may be forged. */
export const renderError: Configuration['renderError'] = (ctx, { error, error_description }) => {
  ctx.set(securityHeaders(undefined));
  ctx.type = 'html';
  ctx.body = documentOf(
    problemPage({
      title: 'This request cannot be answered',
      detail: `${error}: ${error_description ?? 'no further description'}`,
      next: REMEDIES[error] ?? 'Correct the request in the program that sent you here, and sign in again.',
    }),
    NOTE,
  );
};

const REMEDIES: Readonly<Record<string, string>> = {
  invalid_client: `There is one client here: use client_id=${CLIENT_ID}.`,
  invalid_redirect_uri: `Use http://127.0.0.1:<any port>${REDIRECT_PATH}, written exactly so.`,
  server_error: FAULT.next,
};
