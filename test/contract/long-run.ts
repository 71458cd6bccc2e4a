/**
 * `npm run test:contract`: sends many more generated requests than `npm test`, with random seeds. Then it calls the
 * service with clients from three generators, compiles those of six more, and, if Python is installed, calls it with a
 * Python client and with schemathesis. `-- --clients` runs only the generators.
 * Exit status 1 means that a response was unexpected.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDeclarations, PROJECT } from '#infra/build/declarations.ts';
import { printError, printLine, step } from '#infra/cli/terminal/terminal.ts';
import { compileClients } from './compiled-clients.ts';
import { generatedClients, generatedPythonClient, PYTHON_GENERATOR } from './generated-clients.ts';
import { type StandingService, standingService } from './standing-service.ts';

const SCHEMATHESIS = 'schemathesis==4.32.5';
const { PROPERTY_FACTOR = '50', PROPERTY_SEED = 'random', SCHEMATHESIS_EXAMPLES = '100' } = process.env;

const ONLY_CLIENTS = process.argv.includes('--clients');

/** Runs a program. Returns its exit status, or `undefined` if it is not installed. */
async function run(
  program: string,
  args: readonly string[],
  { env = {}, quiet = false, cwd = PROJECT }: { env?: Record<string, string>; quiet?: boolean; cwd?: string } = {},
) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
  });
  try {
    const [status]: (number | null)[] = await once(child, 'close');
    return status ?? 1;
  } catch {
    return undefined;
  }
}

async function fastCheck(): Promise<boolean> {
  printLine(`fast-check: ${PROPERTY_FACTOR} times the requests of npm test, seed ${PROPERTY_SEED}`);
  const args = ['run', '--config', 'test/vitest.config.ts', 'test/contract/generated.test.ts'];
  const env = { PROPERTY_FACTOR, PROPERTY_SEED };
  return (await run(join(PROJECT, 'node_modules/.bin/vitest'), args, { env })) === 0;
}

/** Runs external tools, which know the service only from its OpenAPI document. */
async function otherTools(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-contract-tools-'));
  const venv = join(folder, 'venv');
  try {
    const service = await step('Starting a service with data', standingService);
    try {
      await generatedClients(run, service, folder);
      await compileClients(run, service, folder);
      if ((await run('python3', ['--version'], { quiet: true })) !== 0) {
        printLine('NOT RUN: schemathesis and openapi-python-client need Python, and python3 is not installed.');
        return true;
      }
      await step(`Installing ${SCHEMATHESIS} and ${PYTHON_GENERATOR}`, () => install(venv));
      await generatedPythonClient(run, service, { folder, venv });
      return ONLY_CLIENTS || (await ask(service, folder));
    } finally {
      await service.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function install(venv: string): Promise<void> {
  const made = await run('python3', ['-m', 'venv', venv], { quiet: true });
  const pip = ['install', '--quiet', '--disable-pip-version-check', SCHEMATHESIS, PYTHON_GENERATOR];
  const installed = made === 0 ? await run(join(venv, 'bin/pip'), pip, { quiet: true }) : made;
  if (installed !== 0)
    throw new Error(
      'Python could not create a virtual environment or install the tools into it. Check that Python has `venv` and `pip`, and that pip reaches its package index',
    );
}

async function ask({ origin, key, ids }: StandingService, folder: string): Promise<boolean> {
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, configurationOf(ids));
  const args = [
    '--config-file',
    config,
    'run',
    `${origin}/v1/docs/openapi.json`,
    '--max-examples',
    SCHEMATHESIS_EXAMPLES,
  ];
  const options = ['--continue-on-failure', '--report-dir', folder, '-H', `Authorization: Bearer ${key}`];
  // Schemathesis writes a cache into its working directory.
  return (await run(join(folder, 'venv/bin/schemathesis'), [...args, ...options], { cwd: folder })) === 0;
}

/**
 * Operations with rules that no schema can express, such as rules about several members or about the content of a text.
 * The fast-check tests check that the document explains these rules.
 */
const WITH_FURTHER_RULES = [
  'cancelOwnRun',
  'claimInstance',
  'createAction',
  'createImport',
  'createImportLink',
  'createTestRecord',
  'createWebhook',
  'findRun',
  'getContext',
  'getInsights',
  'getTestResults',
  'listAffectedExecutions',
  'listAffectedTests',
  'listDeliveries',
  'listErrors',
  'listExecutionsOfAction',
  'listFlakyTests',
  'listProjects',
  'listPullRequests',
  'listRuns',
  'listSpecFiles',
  'listTerms',
  'listTests',
  'findCache',
  'registerInstanceArtifact',
  'registerTestArtifact',
  'resetOwnRun',
  'searchProject',
  'storeCache',
  'updateAction',
  'updateTestRecord',
  'updateWebhook',
];
/** Operations that ignore some members of a request because its path or `complete=true` takes precedence. */
const WITH_IGNORED_MEMBERS = ['createImport', 'registerInstanceArtifact'];

const AS_THINGS_ARE = ['2xx', '401', '403', '404', '409', '413', '414', '422', '429', '431'];

const declarations = (await loadDeclarations()).map(({ declaration }) => declaration);

/** The configuration of schemathesis: ids of existing data, and the status codes that each check accepts. */
const configurationOf = (ids: Readonly<Record<string, string>>): string =>
  [
    '[parameters]',
    ...Object.entries(ids).map(([name, id]) => `${name} = ${JSON.stringify(id)}`),
    '[checks]',
    '# §7: the service responds with 404 instead of 405 to an unsupported method.',
    'unsupported_method.enabled = false',
    `positive_data_acceptance.expected-statuses = ${JSON.stringify(AS_THINGS_ARE)}`,
    `negative_data_rejection.expected-statuses = ${JSON.stringify(['400', ...AS_THINGS_ARE.slice(1)])}`,
    ...declarations.flatMap(({ operationId, credential, permission }) => {
      // An operation that takes the key in the body ignores it if a header contains a key.
      const ignores = credential === 'body' || WITH_IGNORED_MEMBERS.includes(operationId);
      const settings = [
        ...(WITH_FURTHER_RULES.includes(operationId)
          ? [`checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(['400', ...AS_THINGS_ARE])}`]
          : []),
        ...(ignores ? ['checks.negative_data_rejection.enabled = false'] : []),
        // The service ignores the reporter's key header if the request has a valid Bearer key, so this check would
        // fail. test/refusals.test.ts tests wrong credentials.
        ...(permission === 'record' ? ['checks.ignored_auth.enabled = false'] : []),
      ];
      const operation = ['[[operations]]', `include-operation-id = ${JSON.stringify(operationId)}`];
      return settings.length > 0 ? [...operation, ...settings] : [];
    }),
    '',
  ].join('\n');

const passed = ONLY_CLIENTS ? [await otherTools()] : [await fastCheck(), await otherTools()];
if (passed.includes(false)) {
  printError('Some responses were unexpected. They are listed above.');
  process.exitCode = 1;
}
