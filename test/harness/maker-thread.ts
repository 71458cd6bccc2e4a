/** A thread that makes assemblies, bundles and documents for the test processes. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import * as z from 'zod';
import { bind, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';
import { PACKAGES_FILE } from '#infra/local/lambda/shared-packages.ts';
import {
  assemblyOf,
  builtClient,
  deployedAssembly,
  installedClient,
  listPagePaths,
  makeOpenApi,
  separateBundles,
} from './assemblies.ts';

const Settings = z.record(z.string(), z.string());

const MAKERS: Readonly<Record<string, (body: unknown) => Promise<string>>> = {
  '/assembly': (body) => assemblyOf(body === null ? undefined : Settings.parse(body)),
  '/deployed-assembly': deployedAssembly,
  '/client': builtClient,
  '/installed-client': installedClient,
  '/packages': async () => join(await separateBundles(), PACKAGES_FILE),
  '/openapi': makeOpenApi,
  '/page-paths': listPagePaths,
};

let last: Promise<unknown> = Promise.resolve();
/** Makes one thing at a time, so that a request with the same settings reuses an earlier assembly. */
function make(path: string, body: unknown): Promise<string> {
  const made = last.then(() => {
    const maker = MAKERS[path];
    if (!maker) throw new Error(`The thread makes nothing at ${path}`);
    return maker(body);
  });
  last = made.catch(() => {});
  return made;
}

const server = createServer(async (request, response) => {
  await make(request.url ?? '/', await json(request)).then(
    (content) => response.end(content),
    (error: unknown) => response.writeHead(400).end(error instanceof Error ? error.message : String(error)),
  );
});
await bind(server, 0);
parentPort?.postMessage(`http://${LOOPBACK}:${getPort(server)}`);
