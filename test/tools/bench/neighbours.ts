/**
 * Compares requests of one organization with and without heavy work of another one. Each call of a function runs in a
 * process of its own, as in Lambda. These processes share the cores of this machine, which Lambda's do not. So the
 * requests are also timed beside as many processes that only compute, and the ratio says what the heavy work costs
 * beyond the cores that it takes. The details name the time alone, too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { REPORT_CAPS } from '#shared/imports/record-report.ts';
import { TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
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
  const use = async (service: BenchService) => {
    const busy = await anotherOrganization(service);
    const sizes = isQuick ? SIZES.quick : SIZES.whole;
    return [
      await besideTraces({ service, busy, processes, sizes }),
      await besideImports({ service, busy, processes, sizes }),
    ];
  };
  try {
    return await withService(setup, use, { streams: true, processes });
  } finally {
    processes.close();
  }
}

interface Scene {
  readonly service: Runner;
  /** The organization with the heavy work. */
  readonly busy: Runner;
  readonly processes: LambdaProcesses;
  readonly sizes: Sizes;
}

async function besideTraces({ service, busy, processes, sizes }: Scene): Promise<Measurement> {
  const own = await recordedTest(service);
  const other = await recordedTest(busy);
  const heavy = Uint8Array.from(BOMBS['almost as many events as a trace may have']());
  let announced = 0;
  const announce = async ({ api }: Runner, recordId: string) => {
    announced += 1;
    const file = { type: 'trace', name: 'trace', artifactId: `trace-${announced}`, attemptId: 0 };
    const sent = { ...file, contentType: 'application/zip' };
    return Uploading.parse((await api.post(`@/artifacts/test-record/${recordId}`, sent)).body).uploadUrl;
  };
  return compared('linksBesideTraces', {
    ...{ processes, sizes, consumer: 'confirmArtifact', callsAtOnce: TRACE_CAPS.callsPerOrganization },
    request: () => announce(service, own),
    // Uploads them at the same time, because an analysis takes less than a second.
    work: async () => {
      const links = Array.from({ length: sizes.traces }, () => announce(busy, other));
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

function besideImports({ service, busy, processes, sizes }: Scene): Promise<Measurement> {
  const small = junit(1, 3);
  const large = junit(sizes.specs, sizes.tests);
  let builds = 0;
  const send = async ({ api, projectId }: Runner, report: string) => {
    builds += 1;
    const { status } = await api.send('POST', `/projects/${projectId}/imports?ciBuildId=build-${builds}`, report);
    if (status !== 200) throw new Error(`An import was answered with ${status}`);
  };
  return compared('importsBesideImports', {
    ...{ processes, sizes, consumer: 'recordReport', callsAtOnce: REPORT_CAPS.callsPerOrganization },
    request: () => send(service, small),
    work: async () => {
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

interface Comparison {
  readonly processes: LambdaProcesses;
  readonly sizes: Sizes;
  /** A part of the name of the function that does the heavy work. */
  readonly consumer: string;
  /** How many calls of the function one organization may occupy. */
  readonly callsAtOnce: number;
  readonly request: () => Promise<unknown>;
  /** Queues the heavy work. */
  readonly work: () => Promise<void>;
  readonly note: string;
}

const IDLE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 100;

async function compared(
  name: Measurement['name'],
  { processes, sizes: { rounds, requests }, consumer, callsAtOnce, request, work, note }: Comparison,
): Promise<Measurement> {
  const alone: number[] = [];
  const computing: number[] = [];
  const beside: number[] = [];
  let atOnce = 0;
  const timed = async (times: number[]) => {
    const start = performance.now();
    await request();
    times.push(performance.now() - start);
  };
  // The first calls load their code.
  for (let number = 0; number < 5; number += 1) await request();
  await work();
  await untilIdle(processes, consumer);
  for (let round = 0; round < rounds; round += 1) {
    for (let number = 0; number < requests; number += 1) await timed(alone);
    const stop = await compute(callsAtOnce);
    for (let number = 0; number < requests; number += 1) await timed(computing);
    await stop();
    const before = processes.started(consumer);
    await work();
    while (processes.started(consumer) === before) await pause(LOOK_MILLISECONDS);
    for (let number = 0; number < requests; number += 1) {
      await timed(beside);
      atOnce = Math.max(atOnce, processes.running(consumer));
    }
    await untilIdle(processes, consumer);
  }
  const times = { alone, 'beside computing': computing, 'beside the work': beside };
  const named = Object.entries(times).map(
    ([when, all]) => `${when} p99 ${quantile(all, 0.99).toFixed(0)}, median ${median(all).toFixed(0)} ms`,
  );
  const setting = `${rounds} rounds of ${requests}, ${note}, at most ${atOnce} calls at once`;
  const measured = quantile(beside, 0.99) / quantile(computing, 0.99);
  return { name, measured, note: [...named, setting].join('; ') };
}

/** Work that waits for a slot returns to its queue for a few seconds. */
async function untilIdle(processes: LambdaProcesses, consumer: string): Promise<void> {
  for (let idle = 0; idle < IDLE_MILLISECONDS; idle += LOOK_MILLISECONDS) {
    await pause(LOOK_MILLISECONDS);
    if (processes.running(consumer) > 0) idle = 0;
  }
}

/** Starts processes that only compute. Returns a function that ends them. */
async function compute(count: number): Promise<() => Promise<unknown>> {
  const program = 'process.stdout.write("."); for (;;);';
  const all = Array.from({ length: count }, () => spawn(process.execPath, ['-e', program]));
  await Promise.all(all.map(({ stdout }) => once(stdout, 'data')));
  return () =>
    Promise.all(
      all.map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
}
