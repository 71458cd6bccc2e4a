/** `npm run admin -- <noun> <verb>`: administers organizations, people, projects and credentials of a local or deployed service. */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { OPERATOR, person } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { accountWith } from './rows.ts';
import { show } from './screen.ts';
import { NoStore, openStore } from './store.ts';
import { isUsage as isMistyped, printError, printLine } from './terminal.ts';
import { helpOf, usageOf } from './usage.ts';
import { UsageError } from './usage-error.ts';

const Common = z.object({
  as: z.string().optional(),
  table: z.string().optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** The options of all commands. Each command declares its own. */
const OPTIONS = {
  ...Object.fromEntries(
    COMMANDS.flatMap(({ options }) => Object.keys(options)).map((name) => [name, { type: 'string' } as const]),
  ),
  as: { type: 'string' },
  table: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const DEPLOYED = 'Check --table, the AWS credentials and the region.';
const LOCAL = 'Check the output of "npm start", and restart it if needed.';

/** Whether --table names a deployed table. */
let isDeployed = false;

/** The given command. Error messages explain its usage. */
let named: Command | undefined;

async function administer(): Promise<void> {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const { as, table, json, help } = Common.parse(values);
  const name = positionals.join(' ');
  isDeployed = table !== undefined;
  named = COMMANDS.find((command) => command.name === name);
  if (help) return printLine(named ? helpOf(named) : usageOf(COMMANDS));
  if (!named) throw new UsageError(name === '' ? 'Missing command' : `Unknown command "${name}"`);
  const own = Object.entries(values).filter(([option]) => !(option in Common.shape));
  const run = named.prepare(Object.fromEntries(own));
  const services = await openStore(table);
  const actor = as === undefined ? OPERATOR : person(await accountWith(services, as));
  const rows = await run({ services, actor });
  if (json) printLine(JSON.stringify(rows));
  else show(rows, named.advice(rows));
}

const isUsage = (error: unknown): error is Error => error instanceof UsageError || isMistyped(error);

/** A 404 names the command that lists the existing ids. */
function refusal({ statusCode, message }: ApiError): string {
  if (statusCode !== 404 || !message.endsWith(' not found')) return message;
  const noun = message.startsWith('Organization') ? 'organizations' : named?.name.split(' ')[0];
  return `${message}. Run "${noun} list" to see the existing ones`;
}

function explanationOf(error: unknown): string {
  if (isUsage(error)) return `${error.message}\n\n${named ? helpOf(named) : usageOf(COMMANDS)}`;
  if (error instanceof ApiError) return refusal(error);
  const problem = error instanceof Error ? error.message : String(error);
  if (error instanceof NoStore) return problem;
  return `The table does not answer: ${problem}. ${isDeployed ? DEPLOYED : LOCAL}`;
}

try {
  await administer();
} catch (error) {
  printError(explanationOf(error));
  process.exitCode = isUsage(error) || error instanceof ApiError ? 2 : 1;
}
