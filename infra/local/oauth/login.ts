/**
 * `npm run login`: signs a person in by OAuth and prints an access token with a `curl` to paste. The conversation is on
 * standard error, what was obtained on standard output, and nothing is written anywhere else.
 */
import { parseArgs } from 'node:util';
import { SCOPES } from '#shared/resources/permissions.ts';
import { complain } from '../terminal.ts';
import { CannotLogin } from './cannot-login.ts';
import { readStanding, showJson, showTokens, waiting } from './login-screen.ts';
import { targetFrom } from './login-target.ts';
import { discover, signIn } from './native-app.ts';

const DEFAULT_SCOPE = 'projects:read results:read offline_access';
const DEFAULT_WAIT_SECONDS = 300;

const USAGE = `Usage: npm run login -- [options]

  --scope <names>     what to ask for, separated by spaces; "${DEFAULT_SCOPE}" unless given
                      ${SCOPES.join(' ')} openid offline_access
  --resource <URL>    what the token is for: the origin of the API, or its MCP resource; the local service unless given
  --issuer <URL>      who issues it; as the resource says unless given
  --client <id>       as whom, where the issuer is not the local one; it must allow http://127.0.0.1/callback with any port
  --wait <seconds>    how long to wait for the browser; ${DEFAULT_WAIT_SECONDS} unless given
  --json              one JSON document for scripts`;

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
  else showTokens(obtained, await readStanding(obtained));
}

function secondsFrom(given: string | undefined): number {
  const seconds = Number(given ?? DEFAULT_WAIT_SECONDS);
  if (Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new CannotLogin(`--wait ${given} is no number of seconds`, 'Give a whole number, such as --wait 300');
}

/** `parseArgs` names a mistake by a code of its own. */
const isUsage = (error: Error): boolean => 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

try {
  await login();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  if (!(error instanceof CannotLogin) && !isUsage(error)) throw error;
  complain(isUsage(error) ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = isUsage(error) ? 2 : 1;
}
