/** A service that dies on the path of an event and restarts with the same data and port. Its client retries. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Table } from '#shared/engine/table/table.ts';
import { administration } from '#shared/platform/connect.ts';
import { type Client, client, NoResponse } from '#test/harness/client.ts';
import { start, temporaryFolder } from '#test/infra/local/child.ts';
import type { Point } from './way-of-an-event.ts';

const Served = z.object({
  recordUrl: z.string(),
  environment: z.record(z.string(), z.string()),
  organizationId: z.string(),
  projects: z.tuple([z.object({ projectId: z.string() })]),
  apiKeys: z.object({ readWrite: z.string() }),
});

/** The time limit for an event to reach its point. */
const DEATH_MILLISECONDS = 30_000;

interface Orders {
  readonly busIsDown?: boolean;
  readonly dieAt?: { readonly point: Point; readonly time: number };
}

async function serve(folder: string, port: string, orders: Orders) {
  const args = [folder, inject('assembly'), port, JSON.stringify(orders), inject('packages')];
  const child = start(['test/end-to-end/serve-mortal.ts', ...args]);
  child.stderr?.pipe(process.stderr);
  if (!child.stdout || !child.stdin) throw new Error('The service has no standard input or output');
  const [input, lines] = [child.stdin, createInterface(child.stdout)[Symbol.asyncIterator]()];
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
  /** Repeats unanswered requests when the service is back. */
  readonly api: Client;
  readonly environment: () => Readonly<Record<string, string>>;
  /** The current connection. Connect again after each death. */
  readonly table: () => Table;
  /** The setting applies now and after the next death. */
  readonly bus: (state: 'up' | 'down') => Promise<void>;
  /** Kills the service when events reach the point for the nth time. Nothing else may be in progress. */
  readonly dieAt: (point: Point, time: number) => Promise<void>;
  /** Waits for the death and the restart. Returns the number of deaths. */
  readonly revived: () => Promise<number>;
}

export async function mortalService(): Promise<MortalService> {
  const folder = await temporaryFolder();
  let [over, busIsDown, deaths] = [false, false, 0];
  let alive = await serve(folder, '0', {});
  const { recordUrl, organizationId, projects, apiKeys } = alive;
  const { port } = new URL(recordUrl);
  let revived: Promise<number> = Promise.resolve(deaths);
  const dieAt: MortalService['dieAt'] = async (point, time) => {
    // Stops before the rest of the test's resources, so that it does not restart.
    onTestFinished(() => {
      over = true;
    });
    const dying = once(alive.child, 'exit', { signal: AbortSignal.timeout(DEATH_MILLISECONDS) }).catch(() => {
      throw new Error(`Events did not reach ${point} ${time} times`);
    });
    revived = dying.then(async ([, signal]) => {
      if (over) return deaths;
      if (signal !== 'SIGKILL') throw new Error('The service exited by itself');
      deaths += 1;
      alive = await serve(folder, port, { busIsDown });
      return deaths;
    });
    await alive.tell({ busIsDown, dieAt: { point, time } });
  };
  return {
    organizationId,
    projectId: projects[0].projectId,
    api: insistent(client(recordUrl, apiKeys.readWrite), () => revived),
    environment: () => alive.environment,
    table: () => {
      Object.assign(process.env, alive.environment);
      return administration(alive.environment).table;
    },
    bus: async (state) => {
      busIsDown = state === 'down';
      await alive.tell({ busIsDown });
    },
    dieAt,
    revived: () => revived,
  };
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
