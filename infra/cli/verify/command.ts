/** Implements `npm run verify` as a function that takes the arguments of the command line and returns the exit code. */
import { parseArgs } from 'node:util';
import {
  bad,
  FLAG,
  good,
  isUsage,
  printError,
  printLine,
  quiet,
  strong,
  TEXT,
  type Terminal,
} from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { makeVisible, makeVisibleLine, trimFinalSlashes } from '#shared/engine/plain-text.ts';
import type { CheckFindings, DeploymentCheck } from './check.ts';
import { CHECKS, NOT_CHECKED } from './checks.ts';
import { type CheckedDeployment, type DeploymentToCheck, makeCheckedDeployment, NotHere, Wrong } from './deployment.ts';

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
    const results = await verify({
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

const INDENT = ' '.repeat(9);
const SLOW_SECONDS = 2;

const MARKS = {
  passed: [good, 'pass'],
  failed: [bad, 'FAIL'],
  skipped: [quiet, 'skip'],
  measured: [quiet, 'info'],
} as const;

function makeResultPrinter(terminal: Terminal): (result: CheckResult) => void {
  const print = (line: string) => printLine(line, terminal);
  let shownArea = '';
  return ({ area, name, result, seconds, details = [], problem, fix }) => {
    if (area !== shownArea) print(`\n${strong(area, terminal)}`);
    shownArea = area;
    const [style, mark] = MARKS[result];
    const time = seconds < SLOW_SECONDS ? '' : quiet(`  ${seconds.toFixed(1)} s`, terminal);
    print(`  ${style(mark, terminal)}   ${name}${time}`);
    for (const line of details) print(`${INDENT}${quiet(makeVisibleLine(line), terminal)}`);
    if (problem !== undefined)
      print(`${INDENT}${result === 'failed' ? makeVisible(problem) : quiet(makeVisible(problem), terminal)}`);
    if (fix !== undefined) print(`${INDENT}${strong('fix:', terminal)} ${fix}`);
  };
}

function printSummary(results: readonly CheckResult[], terminal: Terminal): void {
  const count = (result: CheckResult['result']) => results.filter((one) => one.result === result).length;
  printLine(`\n${strong('Not checked', terminal)}`, terminal);
  for (const { what, why } of NOT_CHECKED) printLine(`${INDENT}${quiet(`${what}: ${why}`, terminal)}`, terminal);
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  const failedCount = count('failed');
  const counts = `${count('passed')} passed, ${failedCount} failed, ${count('skipped')} skipped`;
  printLine(`\n${(failedCount > 0 ? bad : good)(counts, terminal)} in ${seconds.toFixed(1)} s`, terminal);
}

/** Prints slow checks to standard error, because a script may read standard output. */
function makeProgressPrinter({ errors }: Terminal): {
  readonly start: (name: string) => void;
  readonly end: () => void;
} {
  let timer: NodeJS.Timeout | undefined;
  const isTerminal = 'isTTY' in errors && errors.isTTY === true;
  let isShown = false;
  const end = () => {
    clearInterval(timer);
    if (isShown && isTerminal) errors.write('\r\u001b[2K');
    isShown = false;
  };
  const start = (name: string) => {
    end();
    const startTime = performance.now();
    timer = setInterval(() => {
      const seconds = Math.round((performance.now() - startTime) / 1000);
      // A log file gets one line for each slow check, not one line every two seconds.
      if (isTerminal) errors.write(`\r\u001b[2K  ...    ${name} (${seconds} s)`);
      else if (!isShown) errors.write(`... ${name}\n`);
      isShown = true;
    }, SLOW_SECONDS * 1000);
  };
  return { start, end };
}

// Runs the checks one after another, because later checks use the results of earlier checks.

export interface CheckResult extends Pick<DeploymentCheck, 'area' | 'name'> {
  readonly result: 'passed' | 'measured' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly details?: readonly string[];
  /** Why the check failed or was skipped. */
  readonly problem?: string;
  readonly fix?: string;
}

interface Options extends DeploymentToCheck {
  readonly checks: readonly DeploymentCheck[];
  readonly onStart: (check: DeploymentCheck) => void;
  readonly onEnd: (result: CheckResult) => void;
}

/** Aborting the signal ends the checks. The data that the checks created is removed nevertheless. */
export async function verify({ checks, signal, onStart, onEnd, ...options }: Options): Promise<CheckResult[]> {
  const findings: CheckFindings = {};
  const results: CheckResult[] = [];
  const deployment = makeCheckedDeployment({ ...options, signal });
  const cleaning = makeCheckedDeployment({ ...options, signal: new AbortController().signal });
  for (const check of checks) {
    if (signal.aborted && !check.isCleanUp) continue;
    onStart(check);
    const result = await runCheck(check, check.isCleanUp ? cleaning : deployment, findings);
    results.push(result);
    onEnd(result);
    if (check.isRequired && result.result === 'failed') break;
  }
  findings.receiver?.close();
  return results;
}

async function runCheck(
  check: DeploymentCheck,
  deployment: CheckedDeployment,
  findings: CheckFindings,
): Promise<CheckResult> {
  const { area, name, fix, run, isMeasurement } = check;
  const startTime = performance.now();
  const summarize = () => ({ area, name, seconds: Math.round(performance.now() - startTime) / 1000 });
  try {
    const details = await run(deployment, findings);
    return { ...summarize(), result: isMeasurement ? 'measured' : 'passed', ...(details && { details }) };
  } catch (error) {
    if (deployment.signal.aborted) return { ...summarize(), result: 'skipped', problem: 'interrupted' };
    const problem = error instanceof Error ? error.message : String(error);
    if (error instanceof NotHere) return { ...summarize(), result: 'skipped', problem };
    return { ...summarize(), result: 'failed', problem, fix: (error instanceof Wrong ? error.fix : undefined) ?? fix };
  }
}
