/** `npm start`: the whole service on one port of this machine, from the template that `cdk deploy` would deploy. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isUsage, printError, printLine, step } from '#infra/cli/terminal/terminal.ts';
import type { OauthFile } from '#infra/demo/demo-organization.ts';
import { tellStory } from '#infra/demo/tell-story.ts';
import { hashSources } from '#infra/synthesis-cache.ts';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import { COMMAND_LINE } from '#shared/oauth/applications.ts';
import { PATHS } from '#shared/oauth/paths.ts';
import { type LocalAssembly, prepareAssembly } from './build/prepare-assembly.ts';
import { CannotStart, explainStartError } from './host/cannot-start.ts';
import { type DataDirectory, getDataPath, openDataDirectory } from './host/data-directory.ts';
import { endWhenBlocked } from './host/end-when-blocked.ts';
import { type HttpServer, listen } from './host/http-server.ts';
import { replaceFile } from './host/json-files.ts';
import { noteService } from './host/running-services.ts';
import { formatFault } from './lambda/fault-text.ts';
import { printAddresses } from './print-addresses.ts';
import { type LocalService, type ServiceOptions, startService } from './service.ts';
import { DEFAULT_PORT, getStoreName, parsePort, readExternalIssuer, readSignInProviders } from './start-environment.ts';
import { findEngineBinary } from './stores/engine-binary.ts';
import { startEngines } from './stores/engines.ts';

/** Functions normally yield the main thread many times a second. Waiting for their timeout could take 15 minutes. */
const BLOCKED_SECONDS = 60;

/** The steps that stop the service. They run in reverse order. */
const stopSteps: Array<() => Promise<void>> = [];
let isStopping = false;

const USAGE = `Usage: npm start -- [--empty] [--huge] [--live] [--watch] [--local-clients]

Serves Rundown on http://localhost:${DEFAULT_PORT} until Ctrl-C. The first start records a demo.

  --empty                creates an empty project instead, and records nothing
  --huge                 also records a project with two runs of 20,000 tests, which takes some minutes
  --live                 records another run in progress at each start
  --watch                serves a changed page, handler or style at the next request
  --local-clients        lets OAuth clients in development publish their metadata on this machine

Environment variables:

  PORT                   another port than ${DEFAULT_PORT}
  RUNDOWN_DATA           another data folder than .rundown
  RUNDOWN_LOG            "requests" logs each request, "all" also what functions log
  RUNDOWN_AWS_ENDPOINT   the URL of LocalStack or MiniStack, to use instead of the embedded DynamoDB, S3 and SQS
  RUNDOWN_DYNOXIDE       the executable of dynoxide, the embedded DynamoDB engine
  RUNDOWN_SIGN_IN        a JSON file with providers to sign in with, such as {"githubClient": "Ov23..."}
  RUNDOWN_OAUTH_ISSUER   an external authorization server, which replaces the built-in one

To run two services, give the second one another PORT and another RUNDOWN_DATA.`;

const OPTIONS = {
  empty: { type: 'boolean', default: false },
  huge: { type: 'boolean', default: false },
  live: { type: 'boolean', default: false },
  watch: { type: 'boolean', default: false },
  'local-clients': { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const;

interface StartOptions {
  readonly empty: boolean;
  readonly huge: boolean;
  readonly live: boolean;
  readonly watch: boolean;
  readonly 'local-clients': boolean;
}

async function start({ empty, huge, live, watch, 'local-clients': localClients }: StartOptions): Promise<void> {
  const startTime = performance.now();
  const port = parsePort(process.env.PORT);
  const data = await openDataDirectory(getDataPath());
  stopSteps.push(() => data.release());
  // The port is checked before the slow steps, so that a failure is reported immediately.
  const server = await listen(port);
  mountStyleguide(server);
  if (!process.env.RUNDOWN_AWS_ENDPOINT) findEngineBinary();
  const externalIssuer = readExternalIssuer();
  const signInProviders = await readSignInProviders();
  const { origin } = server;
  const oauth = externalIssuer === undefined ? describeOwnIssuer(origin) : { issuer: externalIssuer };
  // Three programs that do not need each other: the stores, the CDK in a process of its own, and the modules of the demo.
  const assemblyPromise = step('Synthesizing the CDK app', () =>
    synthesizeTemplate(data.path, { external: externalIssuer, watch }),
  );
  assemblyPromise.catch(() => {});
  const demoPromise = loadDemo();
  demoPromise.catch(() => {});
  const engines = await step(`Connecting the stores (${getStoreName()})`, () =>
    startEngines({ dataDirectory: data.path, server }),
  );
  stopSteps.push(engines.close);
  const assembly = await assemblyPromise;
  const service = await step(`Serving the template on ${server.origin}`, () =>
    startService({ ...assembly, engines, server, localClients, signInProviders, ...makeLog(process.env.RUNDOWN_LOG) }),
  );
  stopSteps.push(service.close);
  const { file, services } = await step('Preparing the demo organization', async () =>
    prepareDemo(service, data, { oauth, story: !empty }, await demoPromise),
  );
  stopSteps.push(await noteService(data.path, service.origin));
  endWhenBlocked(BLOCKED_SECONDS);
  printAddresses(file, data.path, (performance.now() - startTime) / 1000);
  if (empty) return;
  const recorder = { recordUrl: file.recordUrl, recordKey: file.apiKeys.readWrite, now: Date.now };
  stopSteps.push(tellStory({ services, dataDirectory: data.path, recorder, huge, live }));
}

/** The style guide is loaded at its first request, because it loads a compiler. */
const mountStyleguide = (server: HttpServer): void =>
  server.mount({
    takes: ({ method, url = '' }) => method === 'GET' && /^\/styleguide(?:\?|$)/.test(url),
    handle: async (request, response) =>
      (await import('./styleguide/serve-styleguide.ts')).serveStyleguide(request, response),
  });

/** §5.3 Without RUNDOWN_OAUTH_ISSUER, the issuer of access tokens is the service itself. */
const describeOwnIssuer = (origin: string): OauthFile => ({
  issuer: origin,
  clientId: COMMAND_LINE,
  authorizationEndpoint: origin + PATHS.authorization,
  tokenEndpoint: origin + PATHS.token,
  revocationEndpoint: origin + PATHS.revocation,
});

function makeLog(level: string | undefined): Pick<ServiceOptions, 'onRequest' | 'onLog' | 'onFault'> {
  const printVisible = (line: string) => printLine(makeVisibleLine(line));
  return {
    onRequest: level === 'requests' || level === 'all' ? printVisible : () => {},
    onLog: level === 'all' ? printVisible : () => {},
    onFault: (line) => void process.stderr.write(`${makeVisible(formatFault(line) ?? line)}\n`),
  };
}

async function synthesizeTemplate(
  dataDirectory: string,
  { external, watch }: { readonly external: string | undefined; readonly watch: boolean },
): Promise<LocalAssembly> {
  // Allows webhook receivers on this machine, which usually do not use TLS. Ignores the settings files of the
  // environments, which are only for deployments.
  const always = { privateWebhooks: 'true', settingsFile: 'false' };
  const context = external === undefined ? always : { ...always, oauthIssuer: external };
  // Other endpoints may check signatures, and may need TLS.
  const plainTable = !process.env.RUNDOWN_AWS_ENDPOINT;
  const order = {
    folder: join(dataDirectory, 'cdk.out'),
    context,
    sources: await hashSources({ ...context, plainTable: String(plainTable) }),
    watch,
    plainTable,
  };
  return prepareAssembly(order, {
    onNotice: printError,
    onStart: (close) => void stopSteps.push(close),
  });
}

/** The modules of the demo, which take longer to load than the stores to start. */
async function loadDemo() {
  const [{ makeServices }, { writeLocalFile }] = await Promise.all([
    import('#shared/platform/connect.ts'),
    import('#infra/demo/demo-organization.ts'),
  ]);
  return { makeServices, writeLocalFile };
}

async function prepareDemo(
  { environment, origin, baseUrl }: LocalService,
  { path: dataDirectory }: DataDirectory,
  { oauth, story }: { readonly oauth: OauthFile; readonly story: boolean },
  { makeServices, writeLocalFile }: Awaited<ReturnType<typeof loadDemo>>,
) {
  // The AWS SDK reads endpoints and credentials from the environment, in this process as in a function.
  Object.assign(process.env, environment);
  // Lets `npm run admin` use the stores of this service.
  await replaceFile(join(dataDirectory, 'store.json'), environment);
  const demoServices = makeServices(environment);
  const store = getStoreName();
  const file = await writeLocalFile({ services: demoServices, dataDirectory, origin, baseUrl, store, oauth, story });
  return { file, services: demoServices };
}

async function stop(status: number): Promise<never> {
  // A second Ctrl-C ends a shutdown that hangs.
  if (isStopping) process.exit(1);
  isStopping = true;
  for (const action of stopSteps.reverse()) await action();
  process.exit(status);
}

async function stopByUser(): Promise<void> {
  if (!isStopping) printLine('\nStopping. Requests in progress are answered first; another Ctrl-C ends them');
  await stop(0);
}

process.on('SIGINT', () => void stopByUser());
process.on('SIGTERM', () => void stopByUser());
// On Lambda, an unhandled error ends the process of one function. Here all other functions must continue.
process.on('unhandledRejection', (error) => printError(`Unhandled promise rejection: ${formatStack(error)}`));
process.on('uncaughtException', (error) => printError(`Uncaught error: ${formatStack(error)}`));

const formatStack = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

try {
  const { help, ...options } = parseArgs({ options: OPTIONS }).values;
  if (help) printLine(USAGE);
  else await start(options);
} catch (error) {
  if (isUsage(error)) printError(`${error.message}\n\n${USAGE}`);
  else {
    const explainedError = explainStartError(error, getDataPath());
    printError(explainedError instanceof CannotStart ? explainedError.message : formatStack(explainedError));
  }
  await stop(isUsage(error) ? 2 : 1);
}
