/** The `rundown` command. */
import { styleText } from 'node:util';
import type { Uploaded } from './answers.ts';
import { Failure, UsageFailure } from './failure.ts';
import { open } from './open.ts';
import { type Given, given, help } from './options.ts';
import { terminalSummary, totalOf } from './summary.ts';
import { complete, upload } from './upload.ts';
import { why } from './why.ts';

const USAGE_STATUS = 2;

async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') {
    process.stdout.write(`${help()}\n`);
    return args.length === 0 ? USAGE_STATUS : 0;
  }
  const asked = given(args, process.env);
  try {
    process.stdout.write(`${await outputOf(asked)}\n`);
    return 0;
  } catch (error) {
    tell(error, asked.has('json'));
    // A broken upload must not break the build of a team, unless it wants that.
    const isLenient = asked.command === 'upload' || asked.command === 'complete';
    return isLenient && !asked.has('strict') ? 0 : 1;
  }
}

async function outputOf(asked: Given): Promise<string> {
  const { command } = asked;
  if (command === 'why') return why(asked, process.env);
  if (command === 'open') return open(asked, process.env);
  const result = command === 'upload' ? await upload(asked, process.env) : await complete(asked, process.env);
  return asked.has('json') ? asJson(result) : terminalSummary(result);
}

const asJson = ({ runId, runUrl, imports }: Uploaded): string =>
  JSON.stringify({ status: 'OK', runId, runUrl, tests: totalOf(imports), imports }, null, 2);

/** With `--json` the problem is JSON, too, because a program reads it. */
function tell(error: unknown, asJsonText: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof Failure ? error.next : 'Try again. If it persists, report it with this message';
  if (asJsonText) process.stdout.write(`${JSON.stringify({ status: 'FAILED', error: message, next })}\n`);
  process.stderr.write(`${styleText('red', 'Error:', { stream: process.stderr })} ${message}. ${next}.\n`);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  tell(error, false);
  process.exitCode = error instanceof UsageFailure ? USAGE_STATUS : 1;
}
