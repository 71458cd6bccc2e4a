/** `npm run verify`: checks a deployment as its clients see it. */
import { TERMINAL } from '#infra/cli/terminal/terminal.ts';
import { runVerify } from './command.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.exitCode = await runVerify(process.argv.slice(2), {
  terminal: TERMINAL,
  environment: process.env,
  signal: interrupted.signal,
});
