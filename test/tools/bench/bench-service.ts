/** The service under measurement: like `npm start`, but in this process and with temporary data. */
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
import { makeServices } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { type Client, client } from '#test/harness/client.ts';
import type { LambdaProcesses } from './lambda-processes.ts';

/** The synthesized templates and the local engines, which are shared by all services that the bench starts. */
export interface BenchSetup {
  readonly assembly: string;
  readonly engines: Omit<Engines, 'close'>;
  close(): Promise<void>;
}

export async function prepareSetup(): Promise<BenchSetup> {
  const assembly = await mkdtemp(join(tmpdir(), 'rundown-bench-'));
  // Webhook receivers run on this machine, so private addresses are allowed.
  await synthesize({ outdir: assembly, context: { env: 'dev', privateWebhooks: 'true' } });
  const engines = await startEngines({});
  const close = async () => {
    await engines.close();
    await rm(assembly, { recursive: true, force: true });
  };
  return { assembly, engines, close };
}

/** Consumed capacity units of the table, and round trips to it. */
export interface Units {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly trips: number;
}

/** The total cost of requests. */
export interface Cost extends Units {
  readonly requests: number;
  /** Bytes logged by the functions, without the lines that Lambda itself logs. */
  readonly logBytes: number;
}

interface ServiceOptions {
  /** Whether the relay publishes outbox rows in the background. */
  readonly streams: boolean;
  /** If it is set, functions run in these processes instead of this one. */
  readonly processes?: LambdaProcesses;
}

export interface BenchService {
  readonly origin: string;
  readonly tableName: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly recordKey: string;
  readonly api: Client;
  readonly services: Services;
  /** Environment variables of the functions. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a schedule and returns its table cost. */
  readonly costOfSchedule: (schedule: string) => Promise<Units>;
  /** Returns the result of `act` and the cost of the requests that it sends. Throws if a request fails. */
  readonly counted: <Result>(act: () => Promise<Result>) => Promise<{ readonly result: Result; readonly cost: Cost }>;
  close(): Promise<void>;
}

/** Starts a service with its own table, organization, project and Read & Write key. */
export async function openService(
  { assembly, engines }: BenchSetup,
  { streams, processes }: ServiceOptions = { streams: true },
): Promise<BenchService> {
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
    ...(processes ? { loadFunction: processes.load } : {}),
  });
  Object.assign(process.env, service.environment);
  const connected = makeServices({ ...service.environment });
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
    costOfSchedule: async (schedule) => {
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

/** Another organization of the service, with a project and a Read & Write key. */
export async function anotherOrganization({ services: connected, origin }: BenchService) {
  const { organizationId } = await createOrganization(connected, { name: 'Other', actor: OPERATOR });
  const { projectId } = await createProject(connected, { organizationId, name: 'Other', actor: OPERATOR });
  const key = { organizationId, label: 'other', level: 'readWrite', actor: OPERATOR } as const;
  const { value } = await createApiKey(connected, key);
  return { api: client(origin, value), projectId, recordKey: value };
}

export async function withService<Result>(
  setup: BenchSetup,
  use: (service: BenchService) => Promise<Result>,
  options?: ServiceOptions,
): Promise<Result> {
  const service = await openService(setup, options);
  try {
    return await use(service);
  } finally {
    await service.close();
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
  if (!run) throw new Error('The schedule did not log its run');
  return run;
}

/** A function logs before it answers, so all log lines have been written when the answers have arrived. */
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
