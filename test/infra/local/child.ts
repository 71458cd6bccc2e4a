/** Starts processes, and creates temporary folders that are removed at the end of a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFailed, onTestFinished } from 'vitest';
import * as z from 'zod';
import { CannotStart } from '#infra/local/host/cannot-start.ts';
import { bind } from '#infra/local/host/loopback.ts';

export const PROJECT = join(import.meta.dirname, '../../..');

export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Creates a folder that is removed at the end of the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The range of ports for tests. It is below Linux's range of ephemeral ports, so that no outgoing connection takes a
 * free port before the test uses it.
 */
const PORTS = { from: 20_000, to: 32_768 };

/** Returns a port on which no program listens. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.from, PORTS.to);
  const server = createServer();
  try {
    await bind(server, port);
  } catch (error) {
    if (error instanceof CannotStart) return freePort();
    throw error;
  }
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a program of the project with the current version of Node. `args` starts with its path relative to the
 * project, or with options of Node.
 */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return startWith(args, env, { detached: false });
}

/** Starts a program in its own process group, so that `killGroup` also kills the processes that the program starts. */
export const startGroup = (args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
  startWith(args, env, { detached: true });

export function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

function startWith(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { detached, cwd = PROJECT }: { readonly detached: boolean; readonly cwd?: string },
): ChildProcess {
  const child = spawnNode(args, env, { detached, cwd });
  onTestFinished(() => {
    if (detached) killGroup(child);
    return stop(child);
  });
  return child;
}

/** Starts a program that several tests share. It runs until `stop` is called. */
export const startUntilStopped = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess =>
  spawnNode(args, env, { detached: false, cwd: PROJECT });

const spawnNode = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: { readonly detached: boolean; readonly cwd: string },
): ChildProcess => spawn(process.execPath, args, { ...options, env: { ...process.env, ...env } });

/** Kills a program, and waits until it has ended. */
export async function stop(child: ChildProcess): Promise<void> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  if (!isOver()) child.kill('SIGKILL');
  if (!isOver()) await once(child, 'exit');
}

/** Starts a program in another folder. `args` starts with its absolute path, or with options of Node. */
export const startIn = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
  startWith(args, env, { detached: false, cwd });

/** Runs a program to its end in another folder. `args` starts with its absolute path, or with options of Node. */
export const runIn = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
  endOf(startIn(cwd, args, env));

/** Runs a program to its end. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return endOf(start(args, env));
}

export function showErrorsIfFailed({ stderr }: ChildProcess): void {
  const chunks: string[] = [];
  stderr?.on('data', (chunk) => chunks.push(String(chunk)));
  onTestFailed(() => void process.stderr.write(chunks.join('')));
}

/** Waits until a program ends. Returns everything that it prints from now on, on standard output and standard error. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(String(chunk)));
  await once(child, 'close');
  return { status: child.exitCode, output: chunks.join('') };
}

const Served = z.object({ origin: z.string(), environment: z.record(z.string(), z.string()) });
export type Served = z.infer<typeof Served>;

/**
 * Serves the small assembly in `assembly.ts` in a separate process, with its data in `folder`. A function that hangs
 * for `blockedSeconds` ends the process.
 */
export async function serveFixture(
  folder: string,
  { blockedSeconds }: { readonly blockedSeconds?: number } = {},
): Promise<{ readonly child: ChildProcess; readonly served: Served }> {
  const more = blockedSeconds === undefined ? [] : [String(blockedSeconds)];
  const child = start(['test/infra/local/serve-fixture.ts', folder, ...more]);
  showErrorsIfFailed(child);
  if (!child.stdout) throw new Error('The service has no standard output');
  const [line] = z.tuple([z.string()]).parse(await once(createInterface(child.stdout), 'line'));
  return { child, served: Served.parse(JSON.parse(line)) };
}
