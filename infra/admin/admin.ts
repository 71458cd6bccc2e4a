/** `npm run admin -- <noun> <verb>`: organizations, people, projects and credentials, in the local service or a deployed table. */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { complain, say } from '#infra/local/terminal.ts';
import { ApiError } from '#shared/errors.ts';
import { OPERATOR, person } from '#shared/organizations/actor.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { accountWith } from './rows.ts';
import { show } from './screen.ts';
import { openStore } from './store.ts';
import { helpOf, UsageError, usageOf } from './usage.ts';

const Common = z.object({
  as: z.string().optional(),
  table: z.string().optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** Every option that some command takes; which ones its own are, each command says. */
const OPTIONS = {
  ...Object.fromEntries(
    COMMANDS.flatMap(({ options }) => Object.keys(options)).map((name) => [name, { type: 'string' } as const]),
  ),
  as: { type: 'string' },
  table: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** The command that was named, for the explanation of what went wrong with it. */
let named: Command | undefined;

async function administer(): Promise<void> {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const { as, table, json, help } = Common.parse(values);
  const name = positionals.join(' ');
  named = COMMANDS.find((command) => command.name === name);
  if (help) return say(named ? helpOf(named) : usageOf(COMMANDS));
  if (!named) throw new UsageError(name === '' ? 'There is nothing to do' : `There is no command "${name}"`);
  const own = Object.entries(values).filter(([option]) => !(option in Common.shape));
  const run = named.prepare(Object.fromEntries(own));
  const services = await openStore(table);
  const actor = as === undefined ? OPERATOR : person(await accountWith(services, as));
  const rows = await run({ services, actor });
  if (json) say(JSON.stringify(rows));
  else show(rows, named.advice(rows));
}

/** `parseArgs` names a mistake by a code of its own. */
const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

/** What is not there can be looked up. */
function refusal({ statusCode, message }: ApiError): string {
  if (statusCode !== 404 || !message.endsWith(' not found')) return message;
  const noun = message.startsWith('Organization') ? 'organizations' : named?.name.split(' ')[0];
  return `${message}. "${noun} list" shows what there is`;
}

function explanationOf(error: unknown): string {
  if (isUsage(error)) return `${error.message}\n\n${named ? helpOf(named) : usageOf(COMMANDS)}`;
  if (error instanceof ApiError) return refusal(error);
  const problem = error instanceof Error ? error.message : String(error);
  return `The table did not answer: ${problem}. Is the service running, and are the AWS credentials and region those of the table?`;
}

try {
  await administer();
} catch (error) {
  complain(explanationOf(error));
  process.exitCode = isUsage(error) || error instanceof ApiError ? 2 : 1;
}
