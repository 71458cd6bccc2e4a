/**
 * Compares requests of one organization with and without heavy work of another one. Each call of a function runs in a
 * process of its own, as in Lambda. These processes share the cores and the database engine of this machine, which those
 * of Lambda and DynamoDB do not. So the requests are also timed beside the same work of another deployment on this
 * machine, with a table, queues and processes of its own. The ratio says what the organizations of one deployment share
 * beyond the machine. The details name the time alone, too.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { BOMBS } from '#test/context/trace/bombs.ts';
import { anotherOrganization, type BenchService, type BenchSetup, withService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { LambdaProcesses } from './lambda-processes.ts';
import { median, quantile } from './medians.ts';
import { beginTest, claim, type Runner, startRun } from './recording.ts';
import { suiteOf } from './suite.ts';

const SIZES = {
  whole: { rounds: 3, requests: 40, traces: 20, imports: 10, specs: 60, tests: 100 },
  quick: { rounds: 1, requests: 10, traces: 6, imports: 4, specs: 20, tests: 100 },
};
type Sizes = (typeof SIZES)[keyof typeof SIZES];

export async function measureNeighbours(
  setup: BenchSetup,
  { isQuick }: { readonly isQuick: boolean },
): Promise<Measurement[]> {
  const processes = new LambdaProcesses();
  const processesElsewhere = new LambdaProcesses();
  const sizes = isQuick ? SIZES.quick : SIZES.whole;
  const measure = (service: BenchService) =>
    withService(
      setup,
      async (elsewhere) => {
        const here = { runner: await anotherOrganization(service), processes };
        const there = { runner: elsewhere, processes: processesElsewhere };
        const scene = { service, neighbour: here, stranger: there, sizes };
        return [await besideTraces(scene), await besideImports(scene)];
      },
      { streams: true, processes: processesElsewhere },
    );
  try {
    return await withService(setup, measure, { streams: true, processes });
  } finally {
    processes.close();
    processesElsewhere.close();
  }
}

/** Who does the heavy work, and where its functions run. */
interface Busy {
  readonly runner: Runner;
  readonly processes: LambdaProcesses;
}

interface Scene {
  readonly service: Runner;
  /** Another organization of the same deployment. */
  readonly neighbour: Busy;
  /** An organization of another deployment on this machine. */
  readonly stranger: Busy;
  readonly sizes: Sizes;
}

async function besideTraces({ service, neighbour, stranger, sizes }: Scene): Promise<Measurement> {
  const own = await recordedTest(service);
  const heavy = Uint8Array.from(BOMBS['almost as many events as a trace may have']());
  let announced = 0;
  const announce = async ({ api }: Runner, recordId: string) => {
    announced += 1;
    const file = { type: 'trace', name: 'trace', artifactId: `trace-${announced}`, attemptId: 0 };
    const sent = { ...file, contentType: 'application/zip' };
    return Uploading.parse((await api.post(`@/artifacts/test-record/${recordId}`, sent)).body).uploadUrl;
  };
  const records = new Map<Runner, string>();
  for (const { runner } of [neighbour, stranger]) records.set(runner, await recordedTest(runner));
  return compare('linksBesideTraces', {
    ...{ neighbour, stranger, sizes, consumer: 'confirmArtifact' },
    request: () => announce(service, own),
    // Uploads them at the same time, because an analysis takes less than a second.
    work: async (busy) => {
      const links = Array.from({ length: sizes.traces }, () => announce(busy, records.get(busy) ?? ''));
      await Promise.all((await Promise.all(links)).map((link) => fetch(link, { method: 'PUT', body: heavy })));
    },
    note: `${sizes.traces} traces of 240,000 events`,
  });
}

const Uploading = z.object({ uploadUrl: z.string() });

async function recordedTest(runner: Runner): Promise<string> {
  const [spec] = suiteOf({ specs: 1, testsPerSpec: 1 });
  const [test] = spec?.tests ?? [];
  if (!spec || !test) throw new Error('The suite has no test');
  const runId = await startRun(runner, 'traces', [spec]);
  const instanceId = await claim(runner, runId, spec);
  return (await beginTest(runner, { runId, instanceId, spec: spec.spec }, test)).recordId;
}

function besideImports({ service, neighbour, stranger, sizes }: Scene): Promise<Measurement> {
  const small = junit(1, 3);
  const large = junit(sizes.specs, sizes.tests);
  let builds = 0;
  const send = async ({ api, projectId }: Runner, report: string) => {
    builds += 1;
    const { status } = await api.send('POST', `/projects/${projectId}/imports?ciBuildId=build-${builds}`, report);
    if (status !== 200) throw new Error(`An import was answered with ${status}`);
  };
  return compare('importsBesideImports', {
    ...{ neighbour, stranger, sizes, consumer: 'recordReport' },
    request: () => send(service, small),
    work: async (busy) => {
      for (let number = 0; number < sizes.imports; number += 1) await send(busy, large);
    },
    note: `${sizes.imports} reports of ${(sizes.specs * sizes.tests).toLocaleString('en')} tests`,
  });
}

function junit(specs: number, tests: number): string {
  const cases = (spec: number) =>
    Array.from({ length: tests }, (_, number) => `<testcase name="test ${number}" file="part-${spec}.test.ts"/>`);
  const suites = Array.from(
    { length: specs },
    (_, spec) => `<testsuite name="${spec}">${cases(spec).join('')}</testsuite>`,
  );
  return `<testsuites>${suites.join('')}</testsuites>`;
}

interface Comparison extends Omit<Scene, 'service'> {
  /** A part of the name of the function that does the heavy work. */
  readonly consumer: string;
  readonly request: () => Promise<unknown>;
  /** Queues the heavy work of this organization. */
  readonly work: (busy: Runner) => Promise<void>;
  readonly note: string;
}

const IDLE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 100;

async function compare(
  name: Measurement['name'],
  { neighbour, stranger, sizes: { rounds, requests }, consumer, request, work, note }: Comparison,
): Promise<Measurement> {
  const alone: number[] = [];
  const elsewhere: number[] = [];
  const beside: number[] = [];
  let atOnce = 0;
  const time = async (times: number[]) => {
    const start = performance.now();
    await request();
    times.push(performance.now() - start);
  };
  const timeBeside = async (times: number[], { runner, processes }: Busy) => {
    const before = processes.started(consumer);
    await work(runner);
    while (processes.started(consumer) === before) await pause(LOOK_MILLISECONDS);
    for (let number = 0; number < requests; number += 1) {
      await time(times);
      atOnce = Math.max(atOnce, processes.running(consumer));
    }
    await waitUntilIdle(processes, consumer);
  };
  // The first calls load their code.
  for (let number = 0; number < 5; number += 1) await request();
  for (const { runner, processes } of [stranger, neighbour]) {
    await work(runner);
    await waitUntilIdle(processes, consumer);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (let number = 0; number < requests; number += 1) await time(alone);
    await timeBeside(elsewhere, stranger);
    await timeBeside(beside, neighbour);
  }
  const times = { alone, 'beside another deployment': elsewhere, 'beside another organization': beside };
  const parts = Object.entries(times).map(
    ([when, all]) => `${when} p99 ${quantile(all, 0.99).toFixed(0)}, median ${median(all).toFixed(0)} ms`,
  );
  const setting = `${rounds} rounds of ${requests}, ${note}, at most ${atOnce} calls at once`;
  const measured = quantile(beside, 0.99) / quantile(elsewhere, 0.99);
  return { name, measured, note: [...parts, setting].join('; ') };
}

/** Work that waits for a slot returns to its queue for a few seconds. */
async function waitUntilIdle(processes: LambdaProcesses, consumer: string): Promise<void> {
  for (let idle = 0; idle < IDLE_MILLISECONDS; idle += LOOK_MILLISECONDS) {
    await pause(LOOK_MILLISECONDS);
    if (processes.running(consumer) > 0) idle = 0;
  }
}
