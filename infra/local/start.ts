/** `npm start`: the whole service on 127.0.0.1, from the template that `cdk deploy` would deploy. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CannotStart } from './cannot-start.ts';
import { type DataDirectory, dataPath, openDataDirectory, replaceFile } from './data-directory.ts';
import type { LocalFile } from './demo.ts';
import { engineBinary } from './dynamodb.ts';
import { type Engines, startEngines } from './engines.ts';
import { LOOPBACK, listen } from './http-server.ts';
import { type LocalIssuer, localIssuer } from './oauth/local-issuer.ts';
import { type LocalService, startService } from './service.ts';
import { complain, quiet, say, step, strong } from './terminal.ts';

const PROJECT = join(import.meta.dirname, '../..');
const DEFAULT_PORT = 4000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** What to undo when the service stops, the last first. */
const undo: Array<() => Promise<void>> = [];
let stopping = false;

async function start(): Promise<void> {
  const began = performance.now();
  const port = portFrom(process.env.PORT);
  const data = await openDataDirectory(dataPath());
  undo.push(() => data.release());
  // Asked before the slow part, so that the refusals come at once.
  await (await listen(port)).close();
  if (!process.env.RUNDOWN_AWS_ENDPOINT) engineBinary();
  const oauth = await localIssuer({ servicePort: port, dataDirectory: data.path, onFault: complain });
  undo.push(oauth.close);
  const assembly = join(data.path, 'cdk.out');
  const { issuer } = oauth.file;
  await step('Synthesizing the CDK app', () => Promise.all([synthesizeTemplate(assembly, issuer), oauth.start()]));
  const engines = await step(`Connecting the stores (${storeName()})`, () => startStores(data, port));
  const service = await step(`Serving the template on ${LOOPBACK}:${port}`, () => serve(engines, assembly, port));
  const file = await step('Preparing the demo organization', () => demo(service, data, oauth));
  report(file, data, (performance.now() - began) / 1000);
}

function portFrom(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new CannotStart(`PORT=${text} is no port. Give a number from 1 to 65535, for example PORT=4000`);
}

const storeName = (): string => process.env.RUNDOWN_AWS_ENDPOINT ?? 'embedded';

async function startStores(data: DataDirectory, port: number): Promise<Engines> {
  const engines = await startEngines({ dataDirectory: data.path, s3Port: port + 1 });
  undo.push(engines.close);
  return engines;
}

/** In a process of its own: the CDK takes more memory than the whole service, and would keep it. */
async function synthesizeTemplate(outdir: string, oauthIssuer: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  // As the CDK CLI hands on `-c name=value`. Whoever tries webhooks has the receiver on the same machine.
  const context = JSON.stringify({ oauthIssuer, privateWebhooks: 'true' });
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: context };
  try {
    await promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: PROJECT, env, maxBuffer: MAX_OUTPUT_BYTES });
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? error.stderr : error;
    throw new CannotStart(`The CDK app does not synthesize. Correct this and start again:\n${words}`);
  }
}

async function serve(engines: Engines, assembly: string, port: number): Promise<LocalService> {
  const { RUNDOWN_LOG } = process.env;
  const onRequest = RUNDOWN_LOG === 'requests' || RUNDOWN_LOG === 'all' ? say : () => {};
  const onLog = RUNDOWN_LOG === 'all' ? say : () => {};
  const service = await startService({ assembly, port, engines, onRequest, onLog });
  undo.push(service.close);
  return service;
}

async function demo(service: LocalService, data: DataDirectory, oauth: LocalIssuer): Promise<LocalFile> {
  const { environment, origin, baseUrl } = service;
  // The SDK, here as in a function, finds endpoints and credentials in its process's environment.
  Object.assign(process.env, environment);
  // For `npm run admin`, which works on the same stores.
  await replaceFile(join(data.path, 'store.json'), environment);
  const [{ services }, { writeLocalFile }] = await Promise.all([import('#shared/services.ts'), import('./demo.ts')]);
  const connected = services(environment);
  const file = { origin, baseUrl, store: storeName(), oauth: oauth.file };
  const written = await writeLocalFile({ services: connected, dataDirectory: data.path, ...file });
  oauth.serve(connected);
  return written;
}

function report(
  { baseUrl, recordUrl, apiKeys, personalAccessToken, projects, oauth }: LocalFile,
  data: DataDirectory,
  seconds: number,
): void {
  const [project] = projects;
  say('');
  say(`${strong('REST API')}         ${baseUrl}`);
  say(`${strong('Recording')}        ${recordUrl}`);
  say(`${strong('Project')}          ${project?.projectId} ${quiet(project?.name ?? '')}`);
  say(`${strong('API key')}          ${apiKeys.readWrite} ${quiet('read and write; also the record key')}`);
  say(`${strong('Read-only key')}    ${apiKeys.readOnly}`);
  say(`${strong('Personal token')}   ${personalAccessToken} ${quiet('of the demo Admin; reads')}`);
  const how = oauth.clientId ? 'npm run login' : 'npm run login -- --client <id>';
  say(`${strong('OAuth issuer')}     ${oauth.issuer} ${quiet(`sign in with ${how}`)}`);
  say(`${strong('For scripts')}      ${join(data.path, 'local.json')}`);
  say('');
  say(`curl -H 'Authorization: Bearer ${apiKeys.readWrite}' ${baseUrl}/projects`);
  say('');
  say(
    `Rundown is ready ${quiet(`after ${seconds.toFixed(1)} s`)}. Ctrl-C stops it, and its data stays in ${data.path}`,
  );
}

async function stop(status: number): Promise<never> {
  // A second Ctrl-C is for a stop that hangs.
  if (stopping) process.exit(1);
  stopping = true;
  for (const action of undo.reverse()) await action();
  process.exit(status);
}

process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void stop(0));
// On Lambda these would end one function's process. Here the others go on.
process.on('unhandledRejection', (error) => complain(`Nobody handled a rejected promise: ${stackOf(error)}`));
process.on('uncaughtException', (error) => complain(`Nobody caught an error: ${stackOf(error)}`));

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

try {
  await start();
} catch (error) {
  complain(error instanceof CannotStart ? error.message : stackOf(error));
  await stop(1);
}
