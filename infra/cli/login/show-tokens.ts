/** Shows the tokens of a sign-in, to people with `curl` commands, and to scripts as JSON. */
import type { ServerMetadata } from 'openid-client';
import * as z from 'zod';
import { printLine, quiet, strong } from '#infra/cli/terminal/terminal.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { LoginTarget } from './login-target.ts';
import type { Tokens } from './native-app.ts';

export interface LoginResult {
  readonly target: LoginTarget;
  readonly server: Readonly<ServerMetadata>;
  readonly tokens: Tokens;
  /** The requested scopes. */
  readonly scope: string;
  readonly granted: readonly string[];
  readonly expiresAt: string | undefined;
}

/** The other resource is the MCP server, whose path is not empty. */
const isRestApi = (resource: string): boolean => new URL(resource).pathname === '/';

const MeAnswer = z.object({
  data: z.object({
    email: z.string(),
    name: z.string(),
    organization: z.object({ name: z.string() }),
    role: z.string(),
  }),
});

const ANSWER_MILLISECONDS = 10_000;

/** Returns the owner of the token, or why the owner is unknown. Tokens for MCP are not sent to the API. */
export async function readHolder({ target: { resource }, tokens }: LoginResult): Promise<string> {
  if (!isRestApi(resource)) return `unknown: the REST API does not accept tokens for ${resource}`;
  const url = `${resource}/v1/me`;
  try {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { data } = MeAnswer.safeParse(await response.json());
    if (!data) return `unknown: ${url} answered ${response.status}. Check that the API trusts this issuer`;
    const { name, email, role, organization } = data.data;
    return `${name} (${email}), ${role} in ${organization.name}`;
  } catch {
    return `unknown: ${url} does not answer. Check that the API is running`;
  }
}

/** Access tokens do not contain these scopes, because they concern only the issuer. */
const ISSUER_SCOPES = ['openid', 'offline_access'];

export function showTokens({ target, server, tokens, scope, granted, expiresAt }: LoginResult, holder: string): void {
  const { resource } = target;
  const operation = granted.includes('projects:read') ? 'projects' : 'me';
  const exampleUrl = isRestApi(resource) ? `${resource}/v1/${operation}` : resource;
  const deniedScopes = scope
    .split(' ')
    .filter((name) => name && !granted.includes(name) && !ISSUER_SCOPES.includes(name));
  const client = `-d client_id=${target.clientId}`;
  printLine(`${strong('Signed in as')}   ${makeVisibleLine(holder)}`);
  printLine(`${strong('Scopes')}         ${granted.join(' ')}`);
  if (deniedScopes.length > 0)
    printLine(
      `${strong('Not granted')}    ${deniedScopes.join(' ')} ${quiet('the issuer does not know them, or you did not allow them')}`,
    );
  printLine(`${strong('Expires')}        ${expiresAt ?? 'unknown'}`);
  printLine('');
  printLine(quiet('Use it:'));
  printLine(`curl -H 'Authorization: Bearer ${tokens.access_token}' ${exampleUrl}`);
  if (tokens.refresh_token === undefined) return;
  printLine('');
  printLine(quiet('Renew it. Each refresh token works once and returns a new one:'));
  printLine(
    `curl -d grant_type=refresh_token ${client} -d refresh_token=${tokens.refresh_token} ${server.token_endpoint}`,
  );
  if (server.revocation_endpoint === undefined) return;
  printLine(quiet('Revoke it:'));
  printLine(`curl -d token=${tokens.refresh_token} ${client} ${server.revocation_endpoint}`);
}

export function showJson({ target, server, tokens, granted, expiresAt }: LoginResult): void {
  const document = {
    accessToken: tokens.access_token,
    expiresAt,
    scopes: granted,
    refreshToken: tokens.refresh_token,
    idToken: tokens.id_token,
    issuer: target.issuer.href.replace(/\/$/, ''),
    clientId: target.clientId,
    resource: target.resource,
    tokenEndpoint: server.token_endpoint,
    revocationEndpoint: server.revocation_endpoint,
  };
  printLine(JSON.stringify(document, null, 2));
}
