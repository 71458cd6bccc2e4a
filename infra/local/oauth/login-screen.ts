/** What `npm run login` shows while it waits, and when it has what it came for. */
import type { ServerMetadata } from 'openid-client';
import * as z from 'zod';
import { quiet, say, strong } from '../terminal.ts';
import type { Target } from './login-target.ts';
import type { Tokens } from './native-app.ts';

export interface Obtained {
  readonly target: Target;
  readonly server: Readonly<ServerMetadata>;
  readonly tokens: Tokens;
  /** As asked for. */
  readonly scope: string;
}

const tell = (words: string): void => void process.stderr.write(words);
const SECOND = 1000;

/** Says what to open, and on a terminal how long it still waits. */
export function waiting(seconds: number): { readonly show: (url: URL) => void; readonly end: () => void } {
  let ticking: NodeJS.Timeout | undefined;
  const show = (url: URL): void => {
    tell(`Open this address in a browser on this machine, and sign in:\n\n${url}\n\n`);
    if (!process.stderr.isTTY) return void tell(`Waiting for the browser, ${seconds} seconds at most\n`);
    const until = Date.now() + seconds * SECOND;
    const tick = () => tell(`\r\u001b[2KWaiting for the browser, ${Math.ceil((until - Date.now()) / SECOND)} s left`);
    tick();
    ticking = setInterval(tick, SECOND);
  };
  const end = (): void => {
    clearInterval(ticking);
    if (ticking) tell('\r\u001b[2K');
  };
  return { show, end };
}

const Standing = z.object({
  data: z.object({
    email: z.string(),
    name: z.string(),
    organization: z.object({ name: z.string() }),
    role: z.string(),
  }),
});

const ANSWER_MILLISECONDS = 10_000;

/** Who the API takes the holder for; a sentence in its place when the API does not say. The MCP resource is not asked. */
export async function readStanding({ target: { resource }, tokens }: Obtained): Promise<string> {
  if (new URL(resource).pathname !== '/') return `for ${resource}, which the REST API refuses`;
  const url = `${resource}/v1/me`;
  try {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { data } = Standing.safeParse(await response.json());
    if (!data) return `unknown: ${url} answered ${response.status}. See whether the API accepts tokens of this issuer`;
    const { name, email, role, organization } = data.data;
    return `${name} (${email}), ${role} in ${organization.name}`;
  } catch {
    return `unknown: nothing answers at ${url}. See whether the API is running`;
  }
}

const endOf = ({ expires_in }: Tokens): Date | undefined =>
  expires_in === undefined ? undefined : new Date(Date.now() + expires_in * SECOND);

/** RFC 6749 section 5.1: left out when it is what was asked for. */
const grantedIn = ({ tokens, scope }: Obtained): string[] => (tokens.scope ?? scope).split(' ');

/** What a token's scope does not name: they say something to the issuer, not to the API. */
const IDENTITY = ['openid', 'offline_access'];

export function showTokens(obtained: Obtained, standing: string): void {
  const { target, server, tokens, scope } = obtained;
  const granted = grantedIn(obtained);
  const denied = scope.split(' ').filter((name) => name && !granted.includes(name) && !IDENTITY.includes(name));
  const client = `-d client_id=${target.clientId}`;
  say(`${strong('Signed in as')}   ${standing}`);
  say(`${strong('May')}            ${granted.join(' ')}`);
  if (denied.length > 0) say(`${strong('Not granted')}    ${denied.join(' ')} ${quiet('unknown to the issuer')}`);
  say(`${strong('Until')}          ${endOf(tokens)?.toISOString() ?? 'the issuer does not say'}`);
  say('');
  say(quiet('Use it:'));
  say(`curl -H 'Authorization: Bearer ${tokens.access_token}' ${useOf(obtained, granted)}`);
  if (tokens.refresh_token === undefined) return;
  say('');
  say(quiet('Renew it, which gives a new refresh token; each is good once:'));
  say(`curl -d grant_type=refresh_token ${client} -d refresh_token=${tokens.refresh_token} ${server.token_endpoint}`);
  if (server.revocation_endpoint === undefined) return;
  say(quiet('End it:'));
  say(`curl -d token=${tokens.refresh_token} ${client} ${server.revocation_endpoint}`);
}

function useOf({ target: { resource } }: Obtained, granted: readonly string[]): string {
  if (new URL(resource).pathname !== '/') return resource;
  return `${resource}/v1/${granted.includes('projects:read') ? 'projects' : 'me'}`;
}

export function showJson(obtained: Obtained): void {
  const { target, server, tokens } = obtained;
  const document = {
    accessToken: tokens.access_token,
    expiresAt: endOf(tokens)?.toISOString(),
    scopes: grantedIn(obtained),
    refreshToken: tokens.refresh_token,
    idToken: tokens.id_token,
    issuer: target.issuer.href.replace(/\/$/, ''),
    clientId: target.clientId,
    resource: target.resource,
    tokenEndpoint: server.token_endpoint,
    revocationEndpoint: server.revocation_endpoint,
  };
  say(JSON.stringify(document, null, 2));
}
