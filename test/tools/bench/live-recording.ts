/** Counts what a reporter for Playwright sends, and what the service reads and writes for it. */
import { createServer, request as send } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import type { BenchService, Cost } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { authorizerCost } from './counting.ts';
import {
  type GeneratedSuite,
  QUICK,
  type ReporterName,
  runSuite,
  type SuiteSize,
  writeSuite,
} from './generated-suite.ts';
import { rowsIn, type TableRows } from './table-rows.ts';

export interface RecordedSuite {
  readonly tests: number;
  readonly cost: Cost;
  /** Bytes of the bodies of all requests, without the files that go to the bucket. */
  readonly bodyBytes: number;
  readonly stored: TableRows;
}

/** Runs the suite with a reporter, and counts its requests. The service must not have recorded other runs before. */
export async function recordSuite(
  service: BenchService,
  { reporter, size = QUICK }: { readonly reporter: ReporterName; readonly size?: SuiteSize },
): Promise<RecordedSuite> {
  const suite = await writeSuite(size);
  try {
    return await record(service, suite, reporter);
  } finally {
    await suite.remove();
  }
}

async function record(service: BenchService, suite: GeneratedSuite, reporter: ReporterName): Promise<RecordedSuite> {
  const proxy = await countingProxy(service.origin);
  try {
    const recorder = { ...service, origin: proxy.origin };
    // The published reporter sends each test by itself, so the clock does not matter.
    const options = { reporter, recorder, ciBuildId: reporter, hasOwnClock: reporter === 'ours' };
    const { cost } = await service.counted(() => runSuite(suite, options));
    await expectRecorded(service, suite, reporter);
    return { tests: suite.tests, cost, bodyBytes: proxy.bytes(), stored: await rowsIn(service) };
  } finally {
    proxy.close();
  }
}

async function expectRecorded({ api, projectId }: BenchService, { tests }: GeneratedSuite, ciBuildId: string) {
  const { body } = await api.get(`/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}`);
  const { completionState, groups } = body.data;
  const overall = groups[0]?.tests.overall;
  if (completionState !== 'COMPLETE' || overall !== tests)
    throw new Error(`Recorded ${overall} of ${tests} tests, and the run is ${completionState}`);
}

/** A proxy in front of the service that counts the bytes of request bodies. */
async function countingProxy(service: string) {
  let bytes = 0;
  const server = createServer((incoming, outgoing) => {
    // The service answers only requests that name its own host.
    const headers = { ...incoming.headers, host: new URL(service).host };
    incoming.on('data', (chunk: Buffer) => (bytes += chunk.length));
    const forwarded = send(`${service}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    pipeline(incoming, forwarded).catch(() => outgoing.destroy());
  });
  await bind(server, 0);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://${LOCALHOST}:${getPort(server)}`, bytes: () => bytes, close };
}

export async function measureLiveRecording(service: BenchService): Promise<Measurement[]> {
  const authorizer = await authorizerCost(service);
  const { tests, cost, bodyBytes } = await recordSuite(service, { reporter: 'ours' });
  const readUnits = cost.readUnits + cost.requests * authorizer.readUnits;
  const note = `${tests} tests of 1 ms, ${cost.requests} requests, ${(readUnits / tests).toFixed(2)} RRU per test`;
  return [
    { name: 'liveRequests', measured: cost.requests / tests, note },
    { name: 'liveUnits', measured: cost.writeUnits / tests, note },
    { name: 'liveTrips', measured: (cost.trips + cost.requests * authorizer.trips) / tests, note },
    { name: 'liveBytes', measured: bodyBytes / tests, note },
  ];
}
