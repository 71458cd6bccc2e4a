/**
 * `npm run login`: signs a person in with OAuth and prints an access token with a `curl` command. Progress goes to
 * standard error, and tokens go to standard output. Nothing is stored.
 */

import { parseArgs } from 'node:util';
import type { ServerMetadata } from 'openid-client';
import * as z from 'zod';
import { FLAG, printLine, quiet, runProgram, strong, TEXT } from '#infra/cli/terminal/terminal.ts';
import { ChooseService } from '#infra/local/host/running-services.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { CannotLogin } from './cannot-login.ts';
import { type LoginTarget, resolveLoginTarget } from './login-target.ts';
import { discover, signIn, type Tokens } from './native-app.ts';

const DEFAULT_SCOPE = 'projects:read results:read offline_access';
const DEFAULT_WAIT_SECONDS = 300;

const USAGE = `Usage: npm run login -- [options]

  --scope <names>     requested scopes, separated by spaces. Default: "${DEFAULT_SCOPE}".
                      ${SCOPES.join(' ')} openid offline_access
  --resource <URL>    origin of the API, or its MCP resource. Default: the local service
  --issuer <URL>      authorization server. Default: the one that the resource names
  --client <id>       client id, if the issuer is another service. It must allow http://127.0.0.1/callback with any port
  --wait <seconds>    time to wait for the browser. Default: ${DEFAULT_WAIT_SECONDS}
  --json              print one JSON document

If several local services run, set RUNDOWN_DATA=<data folder>.`;

const OPTIONS = { scope: TEXT, resource: TEXT, issuer: TEXT, client: TEXT, wait: TEXT, json: FLAG, help: FLAG };

async function runLogin(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return printLine(USAGE);
  const { scope = DEFAULT_SCOPE, json } = values;
  const waitSeconds = Number(values.wait ?? DEFAULT_WAIT_SECONDS);
  if (!Number.isInteger(waitSeconds) || waitSeconds <= 0)
    throw new CannotLogin(
      `--wait ${values.wait} is not a whole number of seconds above 0`,
      'Use a number such as --wait 300',
    );
  const target = await resolveLoginTarget(values);
  const configuration = await discover(target);
  const screen = makeWaitScreen(waitSeconds);
  const tokens = await signIn(configuration, { target, scope, waitSeconds, onAddress: screen.show }).finally(
    screen.end,
  );
  // RFC 6749 section 5.1: a server may omit the scope if it equals the requested scope.
  const grantedScopes = (tokens.scope ?? scope).split(' ');
  const { expires_in: seconds } = tokens;
  const expiresAt = seconds === undefined ? undefined : new Date(Date.now() + seconds * SECOND).toISOString();
  const loginResult = {
    target,
    server: configuration.serverMetadata(),
    tokens,
    scope,
    granted: grantedScopes,
    expiresAt,
  };
  if (json) showJson(loginResult);
  else showTokens(loginResult, await readHolder(loginResult));
}

interface LoginResult {
  readonly target: LoginTarget;
  readonly server: Readonly<ServerMetadata>;
  readonly tokens: Tokens;
  /** The requested scopes. */
  readonly scope: string;
  readonly granted: readonly string[];
  readonly expiresAt: string | undefined;
}

const writeError = (words: string): void => void process.stderr.write(words);
const SECOND = 1000;

/** Shows the address to open. On a terminal, it also shows the remaining time. */
function makeWaitScreen(seconds: number): { readonly show: (url: URL) => void; readonly end: () => void } {
  let ticking: NodeJS.Timeout | undefined;
  const show = (url: URL): void => {
    writeError(`Open this address in a browser on this computer, and sign in:\n\n${url}\n\n`);
    if (!process.stderr.isTTY) return void writeError(`Waiting for the browser, for at most ${seconds} seconds\n`);
    const until = Date.now() + seconds * SECOND;
    const tick = () =>
      writeError(`\r\u001b[2KWaiting for the browser, ${Math.ceil((until - Date.now()) / SECOND)} s left`);
    tick();
    ticking = setInterval(tick, SECOND);
  };
  const end = (): void => {
    clearInterval(ticking);
    if (ticking) writeError('\r\u001b[2K');
  };
  return { show, end };
}

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
async function readHolder({ target: { resource }, tokens }: LoginResult): Promise<string> {
  if (new URL(resource).pathname !== '/') return `unknown: the REST API does not accept tokens for ${resource}`;
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

/** Scopes that concern only the issuer. Access tokens do not contain them. */
const IDENTITY = ['openid', 'offline_access'];

function showTokens({ target, server, tokens, scope, granted, expiresAt }: LoginResult, holder: string): void {
  const { resource } = target;
  const isApi = new URL(resource).pathname === '/';
  const use = isApi ? `${resource}/v1/${granted.includes('projects:read') ? 'projects' : 'me'}` : resource;
  const deniedScopes = scope.split(' ').filter((name) => name && !granted.includes(name) && !IDENTITY.includes(name));
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
  printLine(`curl -H 'Authorization: Bearer ${tokens.access_token}' ${use}`);
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

function showJson({ target, server, tokens, granted, expiresAt }: LoginResult): void {
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

await runProgram(USAGE, runLogin, (error) =>
  error instanceof CannotLogin || error instanceof ChooseService ? error.message : undefined,
);
