/** `npm run tokens:cleanup`: what the nightly function does, at once and for as long as it takes. */
import { parseArgs } from 'node:util';
import { complain, say } from '#infra/local/terminal.ts';
import { type CleanUp, cleanUpTokens } from '#shared/credentials/clean-up-tokens.ts';
import { show } from './screen.ts';
import { openStore } from './store.ts';
import { UsageError } from './usage.ts';

const USAGE = `Usage: npm run tokens:cleanup -- [--table <name>] [--json]

Marks dead the personal tokens whose owner left or was deprovisioned, or whose organization was deactivated.
A run that was cut off is gone on with by the next; to repeat one does no harm.

  --table <name>   the table of a deployed environment (output TableName), with the credentials and region
                   of the AWS CLI; without it, the service that npm start runs (optional)
  --json           one JSON document for scripts (optional)`;

const OPTIONS = { table: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } as const;

const PROGRESS_MILLISECONDS = 2000;

async function cleanUp(): Promise<void> {
  const { table, json, help } = parseArgs({ options: OPTIONS }).values;
  if (help) return say(USAGE);
  const services = await openStore(table);
  const remainingMilliseconds = () => Number.POSITIVE_INFINITY;
  const done = await cleanUpTokens(services, { remainingMilliseconds, onProgress: everyTwoSeconds(tell) });
  if (json) return say(JSON.stringify(done));
  const { organizations, tokens, revoked } = done;
  show([{ organizations: `${organizations}`, tokens: `${tokens}`, 'marked dead': `${revoked}` }]);
}

function everyTwoSeconds(act: (soFar: CleanUp) => void): (soFar: CleanUp) => void {
  let last = performance.now();
  return (soFar) => {
    if (performance.now() - last < PROGRESS_MILLISECONDS) return;
    last = performance.now();
    act(soFar);
  };
}

/** Not among the results, which a script may read. */
function tell({ organizations, tokens, revoked }: CleanUp): void {
  process.stderr.write(`... ${organizations} organizations and ${tokens} tokens looked at, ${revoked} marked dead\n`);
}

/** `parseArgs` names a mistake by a code of its own. */
const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

try {
  await cleanUp();
} catch (error) {
  const problem = error instanceof Error ? error.message || error.name : String(error);
  complain(
    isUsage(error)
      ? `${problem}\n\n${USAGE}`
      : `The clean-up stopped: ${problem}. What it did stands: run it again to go on. Is the service running, and are the AWS credentials and region those of the table?`,
  );
  process.exitCode = isUsage(error) ? 2 : 1;
}
