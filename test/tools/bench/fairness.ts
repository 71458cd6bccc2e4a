/** Compares the delay of deliveries with and without slow receivers of another organization. */

import { WebhookBody } from '#shared/webhooks/body-wire.ts';
import { anotherOrganization, type BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { median, quantile } from './medians.ts';
import { addWebhook, startLocalReceiver } from './receivers.ts';
import { startRun } from './recording.ts';
import { suiteOf } from './suite.ts';

const WEBHOOKS = 20;
const SLOW_MILLISECONDS = 9000;
/**
 * The number of runs that the organization with slow receivers starts per round. Each run causes one delivery per
 * webhook.
 */
const SLOW_RUNS = 5;
const ROUNDS = 3;
const RUNS = 40;
const suite = suiteOf({ specs: 1, testsPerSpec: 1 });

/** Each round measures deliveries first without and then with slow receivers. At its end, the slow receivers answer. */
export async function measureFairness(service: BenchService): Promise<Measurement[]> {
  const slowOrganization = await anotherOrganization(service);
  const arrivals = new Map<string, (at: number) => void>();
  const fast = await startLocalReceiver((body) => {
    arrivals.get(WebhookBody.parse(JSON.parse(body)).buildId)?.(performance.now());
  });
  const slowReceivers = new SlowReceivers();
  const slow = await startLocalReceiver(() => slowReceivers.wait());
  try {
    await addWebhook(service, fast, ['RUN_START']);
    for (let number = 0; number < WEBHOOKS; number += 1) await addWebhook(slowOrganization, slow, ['RUN_START']);
    const timed = async (build: string): Promise<number> => {
      const arrived = new Promise<number>((resolve) => arrivals.set(build, resolve));
      await startRun(service, build, suite);
      const answered = performance.now();
      return (await arrived) - answered;
    };
    await timed('warm-up');
    const rounds: { alone: number[]; beside: number[] }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await inTurn(RUNS, (number) => timed(`alone ${round} ${number}`));
      slowReceivers.slow = true;
      await inTurn(SLOW_RUNS, (number) => startRun(slowOrganization, `slow ${round} ${number}`, suite));
      await slowReceivers.begun();
      const beside = await inTurn(RUNS, (number) => timed(`beside ${round} ${number}`));
      await slowReceivers.answerAll(SLOW_RUNS * WEBHOOKS * (round + 1));
      rounds.push({ alone, beside });
    }
    return [measurementOf(rounds)];
  } finally {
    slow.close();
    fast.close();
  }
}

async function inTurn<Result>(count: number, act: (number: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let number = 0; number < count; number += 1) results.push(await act(number));
  return results;
}

/** Receivers that, while `slow` is set, answer after nine seconds or as soon as `answerAll` is called. */
class SlowReceivers {
  slow = false;
  readonly #waiting = new Set<() => void>();
  #answered = 0;
  #onBegin: () => void = () => {};
  #onAnswer: () => void = () => {};

  async wait(): Promise<void> {
    this.#onBegin();
    if (this.slow) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, SLOW_MILLISECONDS);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    this.#answered += 1;
    this.#onAnswer();
  }

  begun(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size > 0) resolve();
      this.#onBegin = resolve;
    });
  }

  /**
   * Answers all waiting requests, and later ones immediately. Resolves when `wanted` requests have been answered in
   * total.
   */
  async answerAll(wanted: number): Promise<void> {
    this.slow = false;
    for (const answer of this.#waiting) answer();
    this.#waiting.clear();
    await new Promise<void>((resolve) => {
      const look = () => this.#answered >= wanted && resolve();
      this.#onAnswer = look;
      look();
    });
  }
}

function measurementOf(
  rounds: readonly { readonly alone: readonly number[]; readonly beside: readonly number[] }[],
): Measurement {
  const all = (name: 'alone' | 'beside') => rounds.flatMap((round) => round[name]);
  const alone = quantile(all('alone'), 0.99);
  const beside = quantile(all('beside'), 0.99);
  const tail = `p99 ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside`;
  const middle = `median ${median(all('alone')).toFixed(0)} and ${median(all('beside')).toFixed(0)} ms`;
  const setting = `${ROUNDS} rounds of ${RUNS} in turn, ${WEBHOOKS} webhooks that take ${SLOW_MILLISECONDS / 1000} s`;
  return { name: 'fairness', measured: beside / alone, note: `${tail}; ${middle}; ${setting}` };
}
