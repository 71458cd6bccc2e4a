/** `npm run admin -- <noun> <verb>`: organizations, projects and keys, in the local service or a deployed table. */
import { parseArgs } from 'node:util';
import { complain, say } from '#infra/local/terminal.ts';
import { ApiError } from '#shared/errors.ts';
import { COMMANDS } from './commands.ts';
import { show } from './screen.ts';
import { openStore } from './store.ts';
import { USAGE, UsageError } from './usage.ts';

const text = { type: 'string' } as const;
const OPTIONS = {
  name: text,
  organization: text,
  branch: text,
  label: text,
  level: text,
  key: text,
  email: text,
  role: text,
  token: text,
  permissions: text,
  description: text,
  lifetime: text,
  table: text,
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

async function administer(): Promise<void> {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const { json, help, table, ...options } = values;
  const command = COMMANDS[positionals.join(' ')];
  if (help) return say(USAGE);
  if (!command) throw new UsageError(`There is no command "${positionals.join(' ')}"`);
  const rows = await command(await openStore(table), options);
  if (json) say(JSON.stringify(rows));
  else show(rows);
}

/** `parseArgs` names a mistake by a code of its own. */
const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof ApiError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

try {
  await administer();
} catch (error) {
  if (isUsage(error)) complain(`${error.message}\n\n${USAGE}`);
  else
    complain(
      `The table did not answer: ${error instanceof Error ? error.message : String(error)}. Is the service running, and are the AWS credentials and region those of the table?`,
    );
  process.exitCode = isUsage(error) ? 2 : 1;
}
