/** The embedded DynamoDB: a dynoxide process on loopback, which does not outlive this process, except on Windows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { platform } from 'node:process';
import { createInterface } from 'node:readline';
import { explainDamage } from '#infra/local/host/cannot-start.ts';
import { bind, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';
import type { Engine } from './engine.ts';
import { findEngineBinary } from './engine-binary.ts';

const ATTEMPTS = 3;

/**
 * A shell script that starts a watcher, and then replaces itself with the engine. The watcher reads from a pipe that
 * this process holds open. When this process dies, even by SIGKILL, the pipe closes and the watcher kills the process
 * group of the engine, because an installed `dynoxide` may be a script that starts the engine. Killing is safe, because
 * acknowledged writes are on disk. Windows has no such shell. There, the engine outlives a killed runner and must be
 * ended by hand.
 */
const MORTAL = '{ read -r _ <&3; kill -KILL -$$; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts the engine with its data in `file`, or in memory without a file. */
export async function startDynamoDb(file: string | undefined): Promise<Engine> {
  const binary = findEngineBinary();
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    const child = run(binary, ['--host', LOOPBACK, '--port', String(port), ...(file ? ['--db-path', file] : [])]);
    const failure = await waitUntilReady(child);
    if (failure === undefined) return { endpoint: `http://${LOOPBACK}:${port}`, close: () => stop(child) };
    // Race: another process may have taken the port after it was found to be free.
    if (attempt < ATTEMPTS) continue;
    const error = new Error(`The embedded DynamoDB did not start: ${failure}`);
    const fix = 'Restore a copy of it, or start empty with "npm run reset", which also deletes keys and files';
    throw file === undefined ? error : explainDamage(file, error, fix);
  }
}

function run(binary: string, args: readonly string[]): ChildProcess {
  if (platform === 'win32') return spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true });
  return spawn('/bin/sh', ['-c', MORTAL, 'sh', binary, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // The engine runs in a separate session, so that Ctrl-C reaches only this process. This process completes the
    // running requests before it stops the engine.
    detached: true,
  });
}

/** Returns the last output of an engine that ended instead. It writes all output to standard error. */
async function waitUntilReady(child: ChildProcess): Promise<string | undefined> {
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
    // The negative id names the process group.
    if (platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
    await once(child, 'exit');
  }
  for (const stream of child.stdio) stream?.destroy();
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await bind(server, 0);
  const port = getPort(server);
  server.close();
  await once(server, 'close');
  return port;
}
