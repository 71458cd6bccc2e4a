/** The embedded DynamoDB: a dynoxide process on loopback, which never outlives this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform } from 'node:process';
import { createInterface } from 'node:readline';
import { CannotStart } from '#infra/local/host/cannot-start.ts';
import { damageOf } from '#infra/local/host/damaged-file.ts';
import { bind, LOOPBACK, portOf } from '#infra/local/host/loopback.ts';
import type { Engine } from './engine.ts';

const ATTEMPTS = 3;

/**
 * A shell script that starts a watcher, and then replaces itself with the engine. The watcher reads from a pipe that
 * this process holds open. When this process dies, even by SIGKILL, the pipe closes and the watcher kills the engine.
 * That is safe, because acknowledged writes are on disk.
 */
const MORTAL = '{ read -r _ <&3; kill -KILL $$; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts the engine with its data in `file`, or in memory without a file. */
export async function startDynamoDb(file: string | undefined): Promise<Engine> {
  const binary = engineBinary();
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = run(binary, ['--host', LOOPBACK, '--port', String(port), ...(file ? ['--db-path', file] : [])]);
    const failure = await readiness(child);
    if (failure === undefined) return { endpoint: `http://${LOOPBACK}:${port}`, close: () => stop(child) };
    // Race: another process may have taken the port after it was found to be free.
    if (attempt === ATTEMPTS) throw cannotRun(file, failure);
  }
}

function cannotRun(file: string | undefined, failure: string): unknown {
  const fix = 'Restore a copy of it, or start empty with "npm run reset", which also deletes keys and files.';
  const error = new Error(`The embedded DynamoDB did not start: ${failure}`);
  return file === undefined ? error : damageOf(file, error, fix);
}

/** Path of the engine's executable. Throws `CannotStart` on an unsupported platform. */
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
    // The engine runs in a separate session, so that Ctrl-C reaches only this process. This process completes the
    // running requests before it stops the engine.
    detached: true,
  });
}

/**
 * Waits until the engine listens. Returns its last output if it ended instead, otherwise `undefined`. The engine writes
 * all output to standard error.
 */
async function readiness(child: ChildProcess): Promise<string | undefined> {
  let last = 'it ended without any output';
  if (!child.stderr) throw new Error('The database engine was started without a pipe for its standard error');
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
