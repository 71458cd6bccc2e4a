/** The embedded DynamoDB: one dynoxide process on loopback, which ends with this process however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform } from 'node:process';
import { createInterface } from 'node:readline';
import { CannotStart } from './cannot-start.ts';
import type { Engine } from './engines.ts';
import { bind, LOOPBACK, portOf } from './http-server.ts';

const ATTEMPTS = 3;

/**
 * Becomes the engine itself, beside a watcher that reads from a pipe this process holds open: when this process dies,
 * even by SIGKILL, the pipe ends and the watcher kills the engine. What the engine has acknowledged is on disk.
 */
const MORTAL = '{ read -r _ <&3; kill -KILL $$; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts the engine with its data in `file`, or in memory without one. */
export async function startDynamoDb(file: string | undefined): Promise<Engine> {
  const binary = engineBinary();
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = run(binary, ['--host', LOOPBACK, '--port', String(port), ...(file ? ['--db-path', file] : [])]);
    const failure = await readiness(child);
    if (failure === undefined) return { endpoint: `http://${LOOPBACK}:${port}`, close: () => stop(child) };
    // Between finding the port free and binding it, another process may have taken it.
    if (attempt === ATTEMPTS) throw new Error(`The embedded DynamoDB does not start: ${failure}`);
  }
}

/** Where the engine is. Throws `CannotStart` on a platform that has none. */
export function engineBinary(): string {
  try {
    return createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  } catch {
    throw new CannotStart(
      `The embedded DynamoDB comes from the package @dynoxide/linux-x64, which is not installed; this is ${platform}-${arch}. ` +
        'On Linux x64 run "npm ci" again, without --omit=optional. Elsewhere start LocalStack or MiniStack and name its ' +
        'address: RUNDOWN_AWS_ENDPOINT=http://127.0.0.1:4566 npm start',
    );
  }
}

function run(binary: string, args: readonly string[]): ChildProcess {
  return spawn('/bin/sh', ['-c', MORTAL, 'sh', binary, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // Its own session: Ctrl-C in the terminal is for this process, which still answers running requests first.
    detached: true,
  });
}

/** Undefined once the engine listens; else its last words. It reports on standard error, good news too. */
async function readiness(child: ChildProcess): Promise<string | undefined> {
  let last = 'it ended without a word';
  if (!child.stderr) throw new Error('The engine has no standard error');
  for await (const line of createInterface(child.stderr)) {
    last = line || last;
    if (line.includes('listening on')) {
      child.stderr.resume();
      return undefined;
    }
  }
  return last;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const stream of child.stdio) stream?.destroy();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await bind(server, 0);
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
