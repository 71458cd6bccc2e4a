/** Measures the time from the last result of a run until a webhook receives RUN_FINISH. */
import { WebhookBody } from '#shared/webhooks/body-wire.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { median, quantile } from './medians.ts';
import { addWebhook, startLocalReceiver } from './receivers.ts';
import { beginTest, claim, startRun } from './recording.ts';
import { suiteOf } from './suite.ts';

const RUNS = 100;
const WARM_UP_RUNS = 4;
const suite = suiteOf({ specs: 1, testsPerSpec: 3 });

interface Timed {
  /**
   * `request` is the duration of the last recording request, and `delay` the time from its answer to the arrival of the
   * webhook, both in milliseconds.
   */
  readonly request: number;
  readonly delay: number;
}

export async function measureDelay(service: BenchService): Promise<Measurement[]> {
  const arrivals = new Map<string, (at: number) => void>();
  const receiver = await startLocalReceiver((body) => {
    const { buildId } = WebhookBody.parse(JSON.parse(body));
    arrivals.get(buildId)?.(performance.now());
  });
  const arrivalOf = (build: string) => new Promise<number>((resolve) => arrivals.set(build, resolve));
  try {
    await addWebhook(service, receiver, ['RUN_FINISH']);
    const builds = Array.from({ length: WARM_UP_RUNS + RUNS }, (_, number) => `delay ${number}`);
    const all: Timed[] = [];
    for (const build of builds) all.push(await timedRun(service, build, arrivalOf(build)));
    return [measurementOf(all.slice(WARM_UP_RUNS))];
  } finally {
    receiver.close();
  }
}

async function timedRun(service: BenchService, build: string, arrival: Promise<number>): Promise<Timed> {
  const runId = await startRun(service, build, suite);
  let sent = 0;
  let answered = 0;
  for (const { spec, tests } of suite) {
    const instanceId = await claim(service, runId, { spec, tests });
    for (const test of tests) {
      const { end } = await beginTest(service, { runId, instanceId, spec }, test);
      sent = performance.now();
      await end();
      answered = performance.now();
    }
  }
  return { request: answered - sent, delay: (await arrival) - answered };
}

function measurementOf(all: readonly Timed[]): Measurement {
  const delays = all.map(({ delay }) => delay);
  const request = median(all.map((run) => run.request));
  const p50 = median(delays);
  const p99 = quantile(delays, 0.99);
  const milliseconds = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
  return {
    name: 'finishDelay',
    measured: p50 / request,
    note: `${milliseconds}, p99 ${(p99 / request).toFixed(1)} requests; ${all.length} runs`,
  };
}
