/** Measures the cost of batch uploads and of streaming, and counts what changes if a run is sent again. */
import * as z from 'zod';
import { Verifier } from '#shared/access/verify.ts';
import { NOBODY } from '#test/harness/issuer.ts';
import type { BenchService, Cost } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { tripsOf } from './reading.ts';
import { stream, upload } from './recording.ts';
import { type SuiteSpec, suiteOf } from './suite.ts';
import { rowsIn, type TableRows } from './table-rows.ts';

const TESTS_PER_SPEC = 25;
export const BATCH_TESTS = 5000;
/**
 * The number of streamed tests. It is lower than that of uploaded tests, because each streamed test takes two requests.
 */
const STREAM_TESTS = 500;

const suite = (tests: number): SuiteSpec[] => suiteOf({ specs: tests / TESTS_PER_SPEC, testsPerSpec: TESTS_PER_SPEC });

const Run = z.object({
  data: z.object({
    completionState: z.literal('COMPLETE'),
    groups: z.array(z.object({ tests: z.record(z.string(), z.number()), instances: z.record(z.string(), z.number()) })),
    specs: z.array(z.object({ instanceId: z.string() })),
  }),
});
type Run = z.infer<typeof Run>['data'];

const readRun = async ({ api }: BenchService, runId: string): Promise<Run> =>
  Run.parse((await api.get(`/runs/${runId}`)).body).data;

interface Recorded {
  readonly run: Run;
  readonly cost: Cost;
  readonly tests: number;
  /** The size of the table after the recording. */
  readonly stored: TableRows;
}

export async function recordBatch(service: BenchService): Promise<Recorded> {
  const { result, cost } = await service.counted(() => upload(service, 'batch', suite(BATCH_TESTS)));
  return { run: await readRun(service, result), cost, tests: BATCH_TESTS, stored: await rowsIn(service) };
}

/** Records a streamed run, with two messages about each test. */
async function recordStream(service: BenchService): Promise<Recorded> {
  const { result, cost } = await service.counted(() => stream(service, 'stream', suite(STREAM_TESTS)));
  return { run: await readRun(service, result), cost, tests: STREAM_TESTS, stored: await rowsIn(service) };
}

/** Records the same run twice with each protocol. Each protocol has its own table. */
export async function measureRecording(batchStand: BenchService, streamStand: BenchService): Promise<Measurement[]> {
  const batch = await recordBatch(batchStand);
  const streamed = await recordStream(streamStand);
  const batchAgain = await recordBatch(batchStand);
  const streamedAgain = await recordStream(streamStand);
  const changed = changedCounters(batch, batchAgain) + changedCounters(streamed, streamedAgain);
  const lasting = ({ stored }: Recorded) => stored.rows - stored.scheduled - stored.usage;
  const rows = lasting(batchAgain) - lasting(batch) + lasting(streamedAgain) - lasting(streamed);
  const note = `${BATCH_TESTS} tests by batch, ${STREAM_TESTS} streamed`;
  return [
    ...(await measureInstance(batchStand, batch)),
    { name: 'batchUnits', measured: batch.cost.writeUnits / batch.tests, note: perTest(batch) },
    { name: 'streamUnits', measured: streamed.cost.writeUnits / streamed.tests, note: perTest(streamed) },
    { name: 'redeliveredRows', measured: rows, note },
    { name: 'redeliveredCounters', measured: changed, note },
  ];
}

const perTest = ({ cost, tests }: Recorded): string =>
  `${(cost.readUnits / tests).toFixed(2)} RRU and ${(cost.requests / tests).toFixed(3)} requests per test`;

async function measureInstance(service: BenchService, { run }: Recorded): Promise<Measurement[]> {
  const [spec] = run.specs;
  const { cost } = await service.counted(() => service.api.get(`/instances/${spec?.instanceId}`));
  return [{ name: 'instanceUnits', measured: cost.readUnits, note: tripsOf(cost) }];
}

function changedCounters(before: Recorded, after: Recorded): number {
  const countersOf = ({ run }: Recorded) => run.groups.flatMap(({ tests, instances }) => [tests, instances]);
  const later = countersOf(after);
  return countersOf(before).reduce(
    (changed, counters, index) =>
      changed + Object.entries(counters).filter(([name, value]) => later[index]?.[name] !== value).length,
    0,
  );
}

/** The cost that the authorizer adds to a request whose key it has not cached. */
export async function authorizerCost({
  services,
  recordKey,
}: BenchService): Promise<Pick<Cost, 'readUnits' | 'trips'>> {
  const table = services.table.metered();
  await new Verifier(NOBODY).verify({ ...services, table }, recordKey);
  return table.meter;
}
