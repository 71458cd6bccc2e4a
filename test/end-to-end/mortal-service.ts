/** A service that dies on the way of an event and comes back on the same data and port, and a client that does not give up. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';
import * as z from 'zod';
import { administration } from '#shared/services.ts';
import type { Table } from '#shared/table/table.ts';
import { type Client, client } from '#test/harness/client.ts';
import { start, temporaryFolder } from '#test/local/child.ts';
import type { Point } from './way-of-an-event.ts';

const Served = z.object({
  recordUrl: z.string(),
  environment: z.record(z.string(), z.string()),
  organizationId: z.string(),
  projects: z.tuple([z.object({ projectId: z.string() })]),
  apiKeys: z.object({ readWrite: z.string() }),
});

/** An event that takes longer to its point does not get there. */
const DEATH_MILLISECONDS = 30_000;

interface Orders {
  readonly busIsDown?: boolean;
  readonly dieAt?: { readonly point: Point; readonly time: number };
}

async function serve(folder: string, ports: readonly string[], orders: Orders) {
  const args = ['test/end-to-end/serve-mortal.ts', folder, inject('assembly'), ...ports, JSON.stringify(orders)];
  const child = start(args);
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
  /** Sends what nobody answered once more, when the service is back. */
  readonly api: Client;
  readonly environment: () => Readonly<Record<string, string>>;
  /** As it is now: connect anew after each death. */
  readonly table: () => Table;
  /** From now on, and after its next death. */
  readonly bus: (state: 'up' | 'down') => Promise<void>;
  /** It will die when events come to that point for this time. Nothing else may be under way. */
  readonly dieAt: (point: Point, time: number) => Promise<void>;
  /** When it has died and come back. Answers how often it has. */
  readonly revived: () => Promise<number>;
}

export async function mortalService(): Promise<MortalService> {
  const folder = await temporaryFolder();
  let [over, busIsDown, deaths] = [false, false, 0];
  let alive = await serve(folder, ['0', '0'], {});
  const { recordUrl, organizationId, projects, apiKeys } = alive;
  const ports = [recordUrl, alive.environment['AWS_ENDPOINT_URL_S3'] ?? ''].map((url) => new URL(url).port);
  let revived: Promise<number> = Promise.resolve(deaths);
  const dieAt: MortalService['dieAt'] = async (point, time) => {
    // Ended first of what ends with the test: then it does not come back.
    onTestFinished(() => {
      over = true;
    });
    const dying = once(alive.child, 'exit', { signal: AbortSignal.timeout(DEATH_MILLISECONDS) }).catch(() => {
      throw new Error(`Events did not come to ${point} ${time} times`);
    });
    revived = dying.then(async ([, signal]) => {
      if (over) return deaths;
      if (signal !== 'SIGKILL') throw new Error('The service ended by itself');
      deaths += 1;
      alive = await serve(folder, ports, { busIsDown });
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
        // What `fetch` throws when no answer came, and nothing else.
        if (!(error instanceof TypeError)) throw error;
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
