/** What the bench counts and times: the service as `npm start` runs it, in this process, on data that is gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { startService } from '#infra/local/service.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { synthesize } from '#infra/synth.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { services } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { type Client, client } from '#test/harness/client.ts';

/** One synthesis and one set of engines, for as many services as are asked for. */
export interface Ground {
  readonly assembly: string;
  readonly engines: Omit<Engines, 'close'>;
  close(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  const assembly = await mkdtemp(join(tmpdir(), 'rundown-bench-'));
  // Receivers of webhooks are on this machine.
  await synthesize({ outdir: assembly, context: { env: 'dev', privateWebhooks: 'true' } });
  const engines = await startEngines({});
  const close = async () => {
    await engines.close();
    await rm(assembly, { recursive: true, force: true });
  };
  return { assembly, engines, close };
}

/** The table's capacity units and round trips. */
export interface Units {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly trips: number;
}

/** What requests cost, added up. */
export interface Cost extends Units {
  readonly requests: number;
  /** Of the functions' own lines. */
  readonly logBytes: number;
}

/** What goes on by itself beside what is counted. */
interface Unasked {
  /** Whether what runs tell leaves the table by itself. */
  readonly streams: boolean;
}

export interface Stand {
  readonly origin: string;
  readonly tableName: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly recordKey: string;
  readonly api: Client;
  readonly services: Services;
  /** What functions see. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a schedule at once; what that cost the table. */
  readonly swept: (schedule: string) => Promise<Units>;
  /** What the requests that `act` sends cost. Throws when one was refused. */
  readonly counted: <Result>(act: () => Promise<Result>) => Promise<{ readonly result: Result; readonly cost: Cost }>;
  close(): Promise<void>;
}

/** A service with a table of its own, and in it an organization with one project and one Read & Write key. */
export async function openStand(
  { assembly, engines }: Ground,
  { streams }: Unasked = { streams: true },
): Promise<Stand> {
  const lines: string[] = [];
  const tableName = `bench-${crypto.randomUUID().slice(0, 8)}`;
  const service = await startService({
    assembly,
    engines,
    tableName,
    bucketName: tableName,
    queuePrefix: `${tableName}-`,
    schedules: false,
    streams,
    onLog: (line) => lines.push(line),
  });
  Object.assign(process.env, service.environment);
  const connected = services({ ...service.environment });
  const { organizationId } = await createOrganization(connected, { name: 'Bench', actor: OPERATOR });
  const { projectId } = await createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR });
  const key = { organizationId, label: 'bench', level: 'readWrite', actor: OPERATOR } as const;
  const { value } = await createApiKey(connected, key);
  return {
    origin: service.origin,
    tableName,
    organizationId,
    projectId,
    recordKey: value,
    api: client(service.origin, value),
    services: connected,
    environment: service.environment,
    swept: async (schedule) => {
      lines.length = 0;
      await service.runSchedule(schedule);
      return runIn(lines);
    },
    counted: async (act) => {
      lines.length = 0;
      const result = await act();
      return { result, cost: total(lines) };
    },
    close: service.close,
  };
}

export async function withStand<Result>(
  ground: Ground,
  use: (stand: Stand) => Promise<Result>,
  unasked?: Unasked,
): Promise<Result> {
  const stand = await openStand(ground, unasked);
  try {
    return await use(stand);
  } finally {
    await stand.close();
  }
}

const units = z.number().default(0);
const Charged = z.object({ readUnits: units, writeUnits: units, trips: units });
const RequestLine = Charged.extend({
  message: z.literal('request'),
  operationId: z.string(),
  statusCode: z.number(),
  error: z.unknown().optional(),
});
const RunLine = Charged.extend({ message: z.literal('run') });

function runIn(lines: readonly string[]): Units {
  const [run] = lines.flatMap((line) => RunLine.safeParse(JSON.parse(line)).data ?? []);
  if (!run) throw new Error('The schedule wrote no line about its run');
  return run;
}

/** A function writes its line before it answers, so all lines are there when the answers are. */
function total(lines: readonly string[]): Cost {
  const requests = lines.flatMap((line) => RequestLine.safeParse(JSON.parse(line)).data ?? []);
  for (const { operationId, statusCode, error } of requests) {
    if (statusCode >= 400) throw new Error(`${operationId} was answered with ${statusCode}: ${JSON.stringify(error)}`);
  }
  const sum = (name: 'readUnits' | 'writeUnits' | 'trips') => requests.reduce((all, line) => all + line[name], 0);
  return {
    requests: requests.length,
    logBytes: lines.reduce((all, line) => all + Buffer.byteLength(line), 0),
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
    trips: sum('trips'),
  };
}
