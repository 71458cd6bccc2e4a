/** Implements `npm run verify` as a function that takes the arguments of the command line and returns the exit code. */
import { parseArgs } from 'node:util';
import { FLAG, isUsage, printError, printLine, strong, TEXT, type Terminal } from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import { CHECKS, NOT_CHECKED } from './checks.ts';
import { makeProgressPrinter, makeResultPrinter, printSummary } from './print-results.ts';
import { runChecks } from './run-checks.ts';

const USAGE = `Usage: npm run verify -- --url <address> --key <API key> [options]

Checks a deployment from the outside, and says how to fix each problem. It records a small run and creates a
webhook, and deletes both. Exit status: 0 all checks passed, 1 a check failed, 2 a mistake on the command line.

  --url <address>      address of the service: its domain, or the output RecordUrl
  --key <API key>      an API key with Read & Write. Default: the variable RUNDOWN_API_KEY
  --project <id>       project to record in. This triggers its webhooks and notifications. Default: the newest one
  --receiver <URL>     receiver for the webhook. Default: this command if the service runs on this machine, else the
                       service itself, which answers 404
  --json               print one JSON document`;

const OPTIONS = { url: TEXT, key: TEXT, project: TEXT, receiver: TEXT, json: FLAG, help: FLAG };

interface Surroundings {
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborting this signal ends the checks early; clean-up still runs. */
  readonly signal: AbortSignal;
}

export async function runVerify(
  words: readonly string[],
  { terminal, environment, signal }: Surroundings,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: words, options: OPTIONS });
    const { url, key = environment['RUNDOWN_API_KEY'], project: projectId, receiver, json, help } = values;
    if (help) {
      printLine(USAGE, terminal);
      return 0;
    }
    const origin = parseOrigin(url);
    if (!key) throw new UsageError('Missing --key');
    if (receiver !== undefined && !URL.canParse(receiver)) throw new UsageError(`--receiver ${receiver} is not a URL`);
    if (!json) printLine(`Verifying ${strong(origin, terminal)}`, terminal);
    const progress = makeProgressPrinter(terminal);
    const print = json ? () => {} : makeResultPrinter(terminal);
    const results = await runChecks({
      checks: CHECKS,
      origin,
      key,
      projectId,
      receiver,
      signal,
      onStart: ({ name }) => progress.start(name),
      onEnd: (result) => {
        progress.end();
        print(result);
      },
    });
    const hasFailed = signal.aborted || results.some(({ result }) => result === 'failed');
    if (json)
      printLine(
        JSON.stringify({ url: origin, passed: !hasFailed, checks: results, notChecked: NOT_CHECKED }),
        terminal,
      );
    else printSummary(results, terminal);
    if (signal.aborted) printError('The verification was interrupted before all checks had run', terminal);
    return hasFailed ? 1 : 0;
  } catch (error) {
    if (!isUsage(error)) throw error;
    printError(`${error.message}\n\n${USAGE}`, terminal);
    return 2;
  }
}

/** Also accepts the stack output BaseUrl, which ends with `/v1`. */
function parseOrigin(address: string | undefined): string {
  if (!address) throw new UsageError('Missing --url');
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--url ${address} is not a URL that begins with https://`);
  if (url.protocol === 'http:' && !LOOPBACK_HOSTS.includes(url.hostname))
    throw new UsageError(`--url ${address} does not use https, so the key would be sent unencrypted`);
  return trimFinalSlashes(trimFinalSlashes(url.origin + url.pathname).replace(/\/v1$/, ''));
}
