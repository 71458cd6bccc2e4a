/**
 * Runs once per test run. Starts nothing but a small server: engines, assemblies and documents are made when a test
 * first asks for them (`stage.ts`), so that tests of pure functions do not wait for any of them.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { TestProject } from 'vitest/node';
import { bind, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { postPatiently } from './post-patiently.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the server, which `stage.ts` asks. */
    readonly stage: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let engines: Promise<Engines> | undefined;
  let thread: Promise<MakerThread> | undefined;
  /** What the thread made, by request. Hundreds of test files ask for the same things, and the thread hashes all sources. */
  const made = new Map<string, Promise<string>>();

  const answer = async (request: IncomingMessage): Promise<string> => {
    const path = request.url ?? '/';
    const body = await text(request);
    if (path === '/engines') {
      engines ??= startEngines({});
      const { close: _, ...endpoints } = await engines;
      return JSON.stringify(endpoints);
    }
    const key = `${path} ${body}`;
    const known = made.get(key) ?? make(path, body);
    made.set(key, known);
    return known;
  };
  const make = async (path: string, body: string): Promise<string> => {
    thread ??= startThread();
    const { status, content } = await postPatiently((await thread).origin + path, body);
    if (status !== 200) throw new Error(content);
    return content;
  };
  const server = createServer((request, response) => respond(response, answer(request)));
  await bind(server, 0);
  project.provide('stage', `http://${LOOPBACK}:${getPort(server)}`);

  const endThread = async () => {
    const current = thread;
    thread = undefined;
    made.clear();
    await (await current)?.end();
  };
  // With `npm run test:watch`: a new thread loads changed declarations and stacks, and bundles changed functions.
  project.onTestsRerun(endThread);
  return async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all([endThread(), engines?.then((started) => started.close())]);
  };
}

function respond(response: ServerResponse, answer: Promise<string>): void {
  answer.then(
    (content) => response.end(content),
    (error: unknown) => response.writeHead(400).end(error instanceof Error ? error.message : String(error)),
  );
}

interface MakerThread {
  readonly origin: string;
  readonly end: () => Promise<unknown>;
}

/**
 * Starts the one thread that synthesizes stacks, because the first synthesis takes six times as long as later ones. It
 * blocks for seconds, so it must not share the thread of the local AWS engines: their clients would give up.
 */
async function startThread(): Promise<MakerThread> {
  const worker = new Worker(new URL('./maker-thread.ts', import.meta.url));
  const [origin] = await once(worker, 'message');
  return { origin: String(origin), end: () => worker.terminate() };
}
