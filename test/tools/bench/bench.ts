/**
 * `npm run bench` measures costs and compares them with the budgets. It fails if a `must` is missed.
 * Counts come from the capacity that the table reports. Rates are ratios to a bare server.
 * `--quick` stops at 10^5 history rows. `--markdown` prints tables for a README.
 */
import { parseArgs } from 'node:util';
import { printError, printLine } from '#infra/cli/terminal.ts';
import { measureAgent } from './agent.ts';
import { measureAnalytics } from './analytics.ts';
import { type BenchService, type BenchSetup, prepareSetup, withService } from './bench-service.ts';
import { measureBodies } from './bodies.ts';
import { measureBundles } from './bundles.ts';
import { measureComparison } from './comparison.ts';
import { measureContext } from './context.ts';
import { measureRecording } from './counting.ts';
import { measureDelay } from './delay.ts';
import { measureFairness } from './fairness.ts';
import { measureGrowth } from './growth.ts';
import { measureProgress } from './live-progress.ts';
import { measureLoad } from './load-model.ts';
import { measurePages } from './pages.ts';
import { step } from './progress.ts';
import { measureRatios } from './ratios.ts';
import { measureReading } from './reading.ts';
import { budgetTable, markdown, plain, ratioTable, verdictOf } from './report.ts';
import { measureRunEvents } from './run-events.ts';
import { measureSending } from './sending.ts';
import { measureStreaming } from './streaming.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];

/** Tests per spec file of the large run, which has 50,000 or 4,000 tests. */
const LOAD = 250;
const QUICK_LOAD = 20;

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, markdown: { type: 'boolean', default: false } },
});

const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
try {
  await bench(setup);
} finally {
  await setup.close();
}

async function bench(setup: BenchSetup): Promise<void> {
  const sending = await step('Sending webhooks, compared with a bare sender', () => withService(setup, measureSending));
  const measurements = [
    ...(await measureBundles(setup)),
    ...(await step('Reading hostile request bodies', () =>
      withService(setup, (service) => measureBodies(setup, service)),
    )),
    ...(await step('Reading a history of 9,000 executions', () => withService(setup, measureReading))),
    ...(await step('Reading failure contexts', () => withService(setup, measureContext))),
    ...(await step('Comparing two runs', () => withService(setup, measureComparison))),
    ...(await step('Recording runs twice', () => withoutRelay(setup, measureRecording))),
    ...(await step('Streaming spec files of four sizes', () => withService(setup, measureStreaming))),
    ...(await step('Recording with 200 machines and 800 workers', () =>
      withService(setup, (service) => measureLoad(service, values.quick ? QUICK_LOAD : LOAD), { streams: false }),
    )),
    ...(await step('Reading the live progress of a run', () =>
      withService(setup, measureProgress, { streams: false }),
    )),
    ...(await step('Opening pages', () => withService(setup, measurePages, { streams: false }))),
    ...(await step('Asking as an agent', () => withService(setup, measureAgent))),
    ...(await step('Publishing run events', () => measureRunEvents(setup))),
    ...(await step('Waiting for RUN_FINISH', () => withService(setup, measureDelay))),
    ...(await step('Delivering webhooks next to slow receivers', () => withService(setup, measureFairness))),
    ...sending.measurements,
    ...(await step('Reading analytics of 90 days', () => measureAnalytics(setup, { isQuick: values.quick }))),
    ...(await step('Reading from tables of growing size', () =>
      measureGrowth(setup, values.quick ? QUICK_SIZES : SIZES),
    )),
  ];
  const ratios = [...(await step('Comparing with a bare server', () => measureRatios(setup))), ...sending.ratios];
  const print = values.markdown ? markdown : plain;
  printLine(`${print(budgetTable(measurements))}\n\n${print(ratioTable(ratios))}`);
  const missed = measurements.filter((measurement) => verdictOf(measurement) === 'missed');
  if (missed.length === 0) return;
  printError(`${missed.length} budgets are missed. Find the change that made them more expensive.`);
  process.exitCode = 1;
}

/** Two services without a relay, whose deletions of outbox rows would distort the row counts. */
function withoutRelay<Result>(
  setup: BenchSetup,
  use: (one: BenchService, other: BenchService) => Promise<Result>,
): Promise<Result> {
  const options = { streams: false };
  return withService(setup, (one) => withService(setup, (other) => use(one, other), options), options);
}
