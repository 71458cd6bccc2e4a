/**
 * `npm run login`: signs a person in with OAuth and prints an access token with a `curl` command. Progress goes to standard
 * error, tokens go to standard output. Nothing is stored.
 */
import { parseArgs } from 'node:util';
import { ChooseService } from '#infra/local/host/running-services.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { CannotLogin } from './cannot-login.ts';
import { readHolder, showJson, showTokens, waiting } from './login-screen.ts';
import { targetFrom } from './login-target.ts';
import { discover, signIn } from './native-app.ts';
import { isUsage, printError } from './terminal.ts';

const DEFAULT_SCOPE = 'projects:read results:read offline_access';
const DEFAULT_WAIT_SECONDS = 300;

const USAGE = `Usage: npm run login -- [options]

  --scope <names>     requested scopes, separated by spaces. Default: "${DEFAULT_SCOPE}".
                      ${SCOPES.join(' ')} openid offline_access
  --resource <URL>    origin of the API, or its MCP resource. Default: the local service
  --issuer <URL>      authorization server. Default: the one that the resource names
  --client <id>       client id, if the issuer is not local. It must allow http://127.0.0.1/callback with any port
  --wait <seconds>    time to wait for the browser. Default: ${DEFAULT_WAIT_SECONDS}
  --json              print one JSON document

If several local services run, set RUNDOWN_DATA=<data folder>.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  scope: text,
  resource: text,
  issuer: text,
  client: text,
  wait: text,
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

async function login(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const { scope = DEFAULT_SCOPE, json = false } = values;
  const waitSeconds = secondsFrom(values.wait);
  const target = await targetFrom(values);
  const configuration = await discover(target);
  const screen = waiting(waitSeconds);
  const tokens = await signIn(configuration, { target, scope, waitSeconds, onAddress: screen.show }).finally(
    screen.end,
  );
  const obtained = { target, server: configuration.serverMetadata(), tokens, scope };
  if (json) showJson(obtained);
  else showTokens(obtained, await readHolder(obtained));
}

function secondsFrom(given: string | undefined): number {
  const seconds = Number(given ?? DEFAULT_WAIT_SECONDS);
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new CannotLogin(`--wait ${given} is not a number of seconds`, 'Use a whole number, such as --wait 300');
}

try {
  await login();
} catch (error) {
  if (!(error instanceof CannotLogin || error instanceof ChooseService) && !isUsage(error)) throw error;
  printError(isUsage(error) ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = isUsage(error) ? 2 : 1;
}
