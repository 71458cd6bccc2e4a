/** `npm run tokens:cleanup`: runs the nightly clean-up of personal access tokens now, without a time limit. */
import { parseArgs } from 'node:util';
import { type CleanUp, cleanUpTokens } from '#shared/organizations/clean-up-tokens.ts';
import { show } from './screen.ts';
import { NoStore, openStore } from './store.ts';
import { makeProgressReporter } from './terminal/progress.ts';
import { FLAG, printLine, runProgram, TERMINAL, TEXT } from './terminal/terminal.ts';

const USAGE = `Usage: npm run tokens:cleanup -- [--table <name>] [--json]

Revokes the personal tokens of owners who left or were deprovisioned, and of deactivated organizations.
You can repeat it. It continues where an interrupted run stopped.

  --table <name>   table of a deployed environment (stack output TableName); uses the credentials and region
                   of the AWS CLI. Default: the local service of npm start. If several run, set
                   RUNDOWN_DATA=<folder> (optional)
  --json           print one JSON document (optional)`;

const OPTIONS = { table: TEXT, json: FLAG, help: FLAG };

const CHECK = 'Check that the service runs. With --table, check the AWS credentials and the region.';

async function cleanUp(): Promise<void> {
  const { table, json, help } = parseArgs({ options: OPTIONS }).values;
  if (help) return printLine(USAGE);
  const { services } = await openStore(table);
  const remainingMilliseconds = () => Number.POSITIVE_INFINITY;
  const onProgress = makeProgressReporter(
    TERMINAL,
    ({ organizations, tokens, revoked }: CleanUp) =>
      `${organizations} organizations and ${tokens} tokens checked, ${revoked} revoked`,
  );
  const counts = await cleanUpTokens(services, { remainingMilliseconds, onProgress });
  if (json) return printLine(JSON.stringify(counts));
  const { organizations, tokens, revoked } = counts;
  show([{ organizations: `${organizations}`, tokens: `${tokens}`, revoked: `${revoked}` }]);
}

await runProgram(USAGE, cleanUp, (error) => {
  const problem = error instanceof Error ? error.message || error.name : String(error);
  if (error instanceof NoStore) return problem;
  return `The clean-up stopped: ${problem}. Run it again to continue. ${CHECK}`;
});
