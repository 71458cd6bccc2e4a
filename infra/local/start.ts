/** `npm start`: the whole service on 127.0.0.1, from the template that `cdk deploy` would deploy. */
import { join } from 'node:path';
import { CannotStart } from './cannot-start.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import type { LocalFile } from './demo.ts';
import { type Engines, startEngines } from './engines.ts';
import { LOOPBACK, listen } from './http-server.ts';
import { type LocalService, startService } from './service.ts';
import { complain, quiet, say, step, strong } from './terminal.ts';

const PROJECT = join(import.meta.dirname, '../..');
const DEFAULT_PORT = 4000;

/** What to undo when the service stops, the last first. */
const undo: Array<() => Promise<void>> = [];
let stopping = false;

async function start(): Promise<void> {
  const began = performance.now();
  const port = portFrom(process.env.PORT);
  const data = await openDataDirectory(process.env.RUNDOWN_DATA ?? join(PROJECT, '.rundown'));
  undo.push(() => data.release());
  // Asked before the slow part, so that the answer comes at once.
  await (await listen(port)).close();
  const [engines, assembly] = await Promise.all([startStores(data, port), synthesizeTemplate(data)]);
  const service = await step(`Serving the template on ${LOOPBACK}:${port}`, () => serve(engines, assembly, port));
  const file = await step('Looking for the demo organization', () => demo(service, data));
  report(file, data, (performance.now() - began) / 1000);
}

function portFrom(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new CannotStart(`PORT=${text} is no port. Give a number from 1 to 65535, for example PORT=4000`);
}

async function startStores(data: DataDirectory, port: number): Promise<Engines> {
  return step(
    `Starting ${process.env.RUNDOWN_AWS_ENDPOINT ? 'no store: RUNDOWN_AWS_ENDPOINT has them' : 'DynamoDB and S3'}`,
    async () => {
      const engines = await startEngines({ dataDirectory: data.path, s3Port: port + 1 });
      undo.push(engines.close);
      return engines;
    },
  );
}

async function synthesizeTemplate(data: DataDirectory): Promise<string> {
  const outdir = join(data.path, 'cdk.out');
  await step('Synthesizing the CDK app', async () => {
    const { synthesize } = await import('#infra/synth.ts');
    await synthesize({ outdir, context: { env: 'dev' } });
  });
  return outdir;
}

async function serve(engines: Engines, assembly: string, port: number): Promise<LocalService> {
  const onLog = process.env.RUNDOWN_LOG === 'requests' ? say : () => {};
  const service = await startService({ assembly, port, engines, onLog });
  undo.push(service.close);
  return service;
}

async function demo({ environment, origin, baseUrl }: LocalService, data: DataDirectory): Promise<LocalFile> {
  // The SDK, here as in a function, finds endpoints and credentials in its process's environment.
  Object.assign(process.env, environment);
  const [{ services }, { writeLocalFile }] = await Promise.all([import('#shared/services.ts'), import('./demo.ts')]);
  const store = process.env.RUNDOWN_AWS_ENDPOINT ?? 'embedded';
  return writeLocalFile({ services: services(environment), dataDirectory: data.path, origin, baseUrl, store });
}

function report({ baseUrl, recordUrl, apiKeys, projects }: LocalFile, data: DataDirectory, seconds: number): void {
  const [project] = projects;
  say('');
  say(`${strong('REST API')}         ${baseUrl}`);
  say(`${strong('Recording')}        ${recordUrl}`);
  say(`${strong('Project')}          ${project?.projectId} ${quiet(project?.name ?? '')}`);
  say(`${strong('API key')}          ${apiKeys.readWrite} ${quiet('read and write; also the record key')}`);
  say(`${strong('Read-only key')}    ${apiKeys.readOnly}`);
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

process.once('SIGINT', () => void stop(0));
process.once('SIGTERM', () => void stop(0));
process.on('unhandledRejection', (error) => complain(`A function left a rejected promise behind: ${stackOf(error)}`));

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

try {
  await start();
} catch (error) {
  complain(error instanceof CannotStart ? error.message : stackOf(error));
  await stop(1);
}
