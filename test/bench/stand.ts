/** What the bench counts and times: the service as `npm start` runs it, in this process, on data that is gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Engines, startEngines } from '#infra/local/engines.ts';
import { startService } from '#infra/local/service.ts';
import { synthesize } from '#infra/synth.ts';
import { createApiKey } from '#shared/credentials/create-api-key.ts';
import { OPERATOR } from '#shared/organizations/actor.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { type Services, services } from '#shared/services.ts';
import { type Client, client } from '#test/harness/client.ts';

/** One synthesis and one set of engines, for as many services as are asked for. */
export interface Ground {
  readonly assembly: string;
  readonly engines: Omit<Engines, 'close'>;
  close(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  const assembly = await mkdtemp(join(tmpdir(), 'rundown-bench-'));
  await synthesize({ outdir: assembly, context: { env: 'dev' } });
  const engines = await startEngines({});
  const close = async () => {
    await engines.close();
    await rm(assembly, { recursive: true, force: true });
  };
  return { assembly, engines, close };
}

/** What requests cost, added up: HTTP requests, and the table's capacity units and round trips. */
export interface Cost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly trips: number;
}

export interface Stand {
  readonly origin: string;
  readonly tableName: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly recordKey: string;
  readonly api: Client;
  readonly services: Services;
  /** What the requests that `act` sends cost. Throws when one was refused. */
  readonly counted: <Result>(act: () => Promise<Result>) => Promise<{ readonly result: Result; readonly cost: Cost }>;
  close(): Promise<void>;
}

/** A service with a table of its own, and in it an organization with one project and one Read & Write key. */
export async function openStand({ assembly, engines }: Ground): Promise<Stand> {
  const lines: string[] = [];
  const tableName = `bench-${crypto.randomUUID().slice(0, 8)}`;
  const service = await startService({
    assembly,
    engines,
    port: 0,
    tableName,
    bucketName: tableName,
    queuePrefix: `${tableName}-`,
    throttling: false,
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
    counted: async (act) => {
      lines.length = 0;
      const result = await act();
      return { result, cost: total(lines) };
    },
    close: service.close,
  };
}

const units = z.number().default(0);
const RequestLine = z.object({
  message: z.literal('request'),
  operationId: z.string(),
  statusCode: z.number(),
  readUnits: units,
  writeUnits: units,
  trips: units,
  error: z.unknown().optional(),
});

/** A function writes its line before it answers, so all lines are there when the answers are. */
function total(lines: readonly string[]): Cost {
  const requests = lines.flatMap((line) => RequestLine.safeParse(JSON.parse(line)).data ?? []);
  for (const { operationId, statusCode, error } of requests) {
    if (statusCode >= 400) throw new Error(`${operationId} was answered with ${statusCode}: ${JSON.stringify(error)}`);
  }
  const sum = (name: 'readUnits' | 'writeUnits' | 'trips') => requests.reduce((all, line) => all + line[name], 0);
  return {
    requests: requests.length,
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
    trips: sum('trips'),
  };
}
