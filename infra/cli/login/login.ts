/**
 * `npm run login`: signs a person in with OAuth and prints an access token with a `curl` command. Progress goes to
 * standard error, and tokens go to standard output. Nothing is stored.
 */

import { parseArgs } from 'node:util';
import { FLAG, printLine, runProgram, TEXT } from '#infra/cli/terminal/terminal.ts';
import { ChooseService } from '#infra/local/host/running-services.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { CannotLogin } from './cannot-login.ts';
import { resolveLoginTarget } from './login-target.ts';
import { discover, signIn } from './native-app.ts';
import { type LoginResult, readHolder, showJson, showTokens } from './show-tokens.ts';

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
  const loginResult: LoginResult = {
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

function writeError(text: string): void {
  process.stderr.write(text);
}

const SECOND = 1000;
/** Moves the cursor to the beginning of the line, and clears it. */
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the address to open. On a terminal, it also shows the remaining time. */
function makeWaitScreen(seconds: number): { readonly show: (url: URL) => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const show = (url: URL): void => {
    writeError(`Open this address in a browser on this computer, and sign in:\n\n${url}\n\n`);
    if (!process.stderr.isTTY) {
      writeError(`Waiting for the browser, for at most ${seconds} seconds\n`);
      return;
    }
    const until = Date.now() + seconds * SECOND;
    const showTime = () => {
      const secondsLeft = Math.ceil((until - Date.now()) / SECOND);
      writeError(`${CLEAR_LINE}Waiting for the browser, ${secondsLeft} s left`);
    };
    showTime();
    timer = setInterval(showTime, SECOND);
  };
  const end = (): void => {
    clearInterval(timer);
    if (timer) writeError(CLEAR_LINE);
  };
  return { show, end };
}

await runProgram(USAGE, runLogin, (error) =>
  error instanceof CannotLogin || error instanceof ChooseService ? error.message : undefined,
);
