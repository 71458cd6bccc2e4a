/**
 * `npm run bench`: what Rundown costs, held against its budgets. Counts come from the capacity the table reports, rates
 * only as ratios. `--quick` stops at 10^5 history rows, `--markdown` prints tables for a README. Fails when a `must` is missed.
 */
import { parseArgs } from 'node:util';
import { complain, say } from '#infra/cli/terminal.ts';
import { measureBodies } from './bodies.ts';
import { measureBundles } from './bundles.ts';
import { measureContext } from './context.ts';
import { measureRecording } from './counting.ts';
import { measureDelay } from './delay.ts';
import { measureFairness } from './fairness.ts';
import { measureGrowth } from './growth.ts';
import { step } from './progress.ts';
import { measureRatios } from './ratios.ts';
import { measureReading } from './reading.ts';
import { budgetTable, markdown, plain, ratioTable, verdictOf } from './report.ts';
import { measureSending } from './sending.ts';
import { type Ground, prepareGround, type Stand, withStand } from './stand.ts';
import { measureStreaming } from './streaming.ts';
import { measureTold } from './told.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, markdown: { type: 'boolean', default: false } },
});

const ground = await step('Synthesizing the CDK app and starting the stores', prepareGround);
try {
  await bench(ground);
} finally {
  await ground.close();
}

async function bench(on: Ground): Promise<void> {
  const sending = await step('Sending webhooks, and a bare sender', () => withStand(on, measureSending));
  const measurements = [
    ...(await measureBundles(on)),
    ...(await step('Reading hostile request bodies', () => withStand(on, (stand) => measureBodies(on, stand)))),
    ...(await step('Reading a history of 9,000 executions', () => withStand(on, measureReading))),
    ...(await step('Reading why runs failed', () => withStand(on, measureContext))),
    ...(await step('Recording runs, and delivering them again', () => withStill(on, measureRecording))),
    ...(await step('Streaming spec files of four sizes', () => withStand(on, measureStreaming))),
    ...(await step('Telling of runs', () => measureTold(on))),
    ...(await step('Waiting for the end of runs to be told', () => withStand(on, measureDelay))),
    ...(await step('Delivering beside slow receivers', () => withStand(on, measureFairness))),
    ...sending.measurements,
    ...(await step('Reading from ever larger tables', () => measureGrowth(on, values.quick ? QUICK_SIZES : SIZES))),
  ];
  const ratios = [...(await step('Comparing with a bare server', () => measureRatios(on))), ...sending.ratios];
  const print = values.markdown ? markdown : plain;
  say(`${print(budgetTable(measurements))}\n\n${print(ratioTable(ratios))}`);
  const missed = measurements.filter((measurement) => verdictOf(measurement) === 'missed');
  if (missed.length === 0) return;
  complain(`${missed.length} of the budgets that must hold are missed. Find what costs more than it did before.`);
  process.exitCode = 1;
}

/** Two that nothing leaves by itself: what is on its way out of the table would be taken for rows that a repetition took away. */
function withStill<Result>(on: Ground, use: (one: Stand, other: Stand) => Promise<Result>): Promise<Result> {
  const still = { streams: false };
  return withStand(on, (one) => withStand(on, (other) => use(one, other), still), still);
}
