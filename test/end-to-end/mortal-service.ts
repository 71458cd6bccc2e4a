/**
 * A service that a test kills during the processing of an event, and that restarts with the same data and port. Its
 * client retries.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, onTestFailed } from 'vitest';
import * as z from 'zod';
import { OPERATOR } from '#shared/access/actor.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { makeCoreServices, makeServices } from '#shared/platform/connect.ts';
import { type Client, client, NoResponse } from '#test/harness/client.ts';
import { findAssembly, findPackages } from '#test/harness/stage.ts';
import { startUntilStopped, stop } from '#test/infra/local/child.ts';
import type { Point } from './way-of-an-event.ts';

const Served = z.object({
  recordUrl: z.string(),
  environment: z.record(z.string(), z.string()),
});

/** The maximum time that an event may take to reach the point at which the service is killed. */
const DEATH_MILLISECONDS = 30_000;

interface Orders {
  readonly busIsDown?: boolean;
  readonly dieAt?: { readonly point: Point; readonly time: number };
}

/** What the services of this test file wrote to standard error. It is printed only if a test fails. */
const errors: string[] = [];

async function serve(folder: string, port: string, orders: Orders) {
  const args = [folder, await findAssembly(), port, JSON.stringify(orders), await findPackages()];
  const child = startUntilStopped(['test/end-to-end/serve-mortal.ts', ...args]);
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  if (!child.stdout || !child.stdin) throw new Error('The service has no standard input or output');
  const input = child.stdin;
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const heard = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null');
  const served = Served.parse(await heard());
  const tell = async (next: Orders) => {
    input.write(`${JSON.stringify(next)}\n`);
    await heard();
  };
  return { child, tell, ...served };
}

export interface MortalService {
  readonly organizationId: string;
  readonly projectId: string;
  /** A client that repeats unanswered requests after the service has restarted. */
  readonly api: Client;
  readonly environment: () => Readonly<Record<string, string>>;
  /** Connects to the table. Call this function again after each restart. */
  readonly table: () => Table;
  /** Turns the event bus on or off. The setting also applies after a restart. */
  readonly bus: (state: 'up' | 'down') => Promise<void>;
  /**
   * Kills the service when events reach `point` for the nth time, where n is `time`. Nothing else may be in progress.
   */
  readonly dieAt: (point: Point, time: number) => Promise<void>;
  /** Waits for the kill and the restart. Returns the number of kills since the test began. */
  readonly revived: () => Promise<number>;
}

/** The service process of this test file, and its settings. */
interface Running {
  readonly folder: string;
  readonly url: string;
  alive: Awaited<ReturnType<typeof serve>>;
  busIsDown: boolean;
  deaths: number;
  isOver: boolean;
  revived: Promise<unknown>;
}

let running: Promise<Running> | undefined;

async function begin(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-test-'));
  const alive = await serve(folder, '0', {});
  const state = { busIsDown: false, deaths: 0, isOver: false, revived: Promise.resolve() };
  return { folder, url: alive.recordUrl, alive, ...state };
}

async function end(): Promise<void> {
  const ended = await running;
  running = undefined;
  if (!ended) return;
  ended.isOver = true;
  await stop(ended.alive.child);
  await rm(ended.folder, { recursive: true, force: true });
}

afterAll(end);

/**
 * The tests of a file share one service process, and each test has its own organization. After a test has failed, the
 * next test starts a new process.
 */
export async function mortalService(): Promise<MortalService> {
  onTestFailed(() => {
    process.stderr.write(errors.splice(0).join(''));
    return end();
  });
  running ??= begin();
  const service = await running;
  const before = service.deaths;
  const revived = async () => {
    await service.revived;
    return service.deaths - before;
  };
  const { key, ...tenant } = await newTenant(service.alive.environment);
  return {
    ...tenant,
    api: insistent(client(service.url, key), revived),
    environment: () => service.alive.environment,
    table: () => {
      Object.assign(process.env, service.alive.environment);
      return makeCoreServices(service.alive.environment).table;
    },
    bus: async (state) => {
      service.busIsDown = state === 'down';
      await service.alive.tell({ busIsDown: service.busIsDown });
    },
    dieAt: (point, time) => dieAt(service, point, time),
    revived,
  };
}

async function newTenant(environment: Readonly<Record<string, string>>) {
  Object.assign(process.env, environment);
  const connected = makeServices(environment);
  const { organizationId } = await createOrganization(connected, { name: 'Acme', actor: OPERATOR });
  const { projectId } = await createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR });
  const ofKey = { organizationId, label: 'CI', level: 'readWrite', actor: OPERATOR } as const;
  const { value: key } = await createApiKey(connected, ofKey);
  return { organizationId, projectId, key };
}

async function dieAt(service: Running, point: Point, time: number): Promise<void> {
  const { alive, busIsDown } = service;
  const dying = once(alive.child, 'exit', { signal: AbortSignal.timeout(DEATH_MILLISECONDS) }).catch(() => {
    throw new Error(`Events did not reach ${point} ${time} times`);
  });
  service.revived = dying.then(async ([, signal]) => {
    if (service.isOver) return;
    if (signal !== 'SIGKILL') throw new Error('The service exited by itself');
    service.deaths += 1;
    service.alive = await serve(service.folder, new URL(service.url).port, { busIsDown });
  });
  await alive.tell({ busIsDown, dieAt: { point, time } });
}

function insistent(one: Client, revived: () => Promise<unknown>): Client {
  const again = async <T>(send: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        await revived();
      }
    }
  };
  return {
    get: (...args) => again(() => one.get(...args)),
    post: (...args) => again(() => one.post(...args)),
    put: (...args) => again(() => one.put(...args)),
    send: (...args) => again(() => one.send(...args)),
  };
}
