/** The steps of the bench, in order. `--only` selects them by title. */
import { measureAgent } from './agent.ts';
import { measureAnalytics } from './analytics.ts';
import { measureAnalyticsBytes } from './analytics-bytes.ts';
import { measureMerge } from './analytics-memory.ts';
import { type BenchService, type BenchSetup, withService } from './bench-service.ts';
import { measureBodies } from './bodies.ts';
import type { Measurement, Ratio } from './budgets.ts';
import { measureBundles } from './bundles.ts';
import { measureCache } from './cache.ts';
import { measureComparison } from './comparison.ts';
import { measureContext } from './context.ts';
import { measureRecording } from './counting.ts';
import { measureDelay } from './delay.ts';
import { measureFairness } from './fairness.ts';
import { measureFlood } from './flood.ts';
import { measureFormats } from './format-reports.ts';
import { measureGrowth } from './growth.ts';
import { measureContexts } from './hostile-contexts.ts';
import { measureHostileImports } from './hostile-imports.ts';
import { measureImports, measureLargeImport } from './imports.ts';
import { measureLargePages } from './large-pages.ts';
import { measureProgress } from './live-progress.ts';
import { measureLiveRecording } from './live-recording.ts';
import { measureLoad } from './load-model.ts';
import { measureNeighbours } from './neighbours.ts';
import { measureNotifications } from './notifications.ts';
import { measureOrchestration } from './orchestration.ts';
import { measurePages } from './pages.ts';
import { measureRatios } from './ratios.ts';
import { measureReading } from './reading.ts';
import { measureReports } from './reports.ts';
import { measureRules } from './rules.ts';
import { measureRunEvents } from './run-events.ts';
import { measureScale } from './scale.ts';
import { measureSending } from './sending.ts';
import { measureStreaming } from './streaming.ts';

export interface BenchOptions {
  readonly isQuick: boolean;
}

export interface Measured {
  readonly measurements?: readonly Measurement[];
  readonly ratios?: readonly Ratio[];
}

export interface BenchStep {
  readonly title: string;
  readonly measure: (setup: BenchSetup, options: BenchOptions) => Promise<Measured>;
}

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];

/** The number of tests per spec file of the large run, which has 50,000 tests, or 4,000 with `--quick`. */
const LOAD = 250;
const QUICK_LOAD = 20;

const counted = async (measurements: Promise<readonly Measurement[]>): Promise<Measured> => ({
  measurements: await measurements,
});

type MeasureService = (service: BenchService, options: BenchOptions) => Promise<readonly Measurement[]>;

/** A step that runs with its own service. */
const served = (title: string, measure: MeasureService): BenchStep => ({
  title,
  measure: (setup, options) => counted(withService(setup, (service) => measure(service, options))),
});

/**
 * A step with its own service, whose relay does not run. Otherwise, reads and deletions of outbox rows by the relay
 * would distort the counts.
 */
const unrelayed = (title: string, measure: MeasureService): BenchStep => ({
  title,
  measure: (setup, options) => counted(withService(setup, (service) => measure(service, options), { streams: false })),
});

export const STEPS: readonly BenchStep[] = [
  {
    title: 'Sending webhooks, compared with a bare sender',
    measure: (setup) => withService(setup, measureSending),
  },
  { title: 'Sizes of bundles', measure: (setup) => counted(measureBundles(setup)) },
  {
    title: 'Reading hostile request bodies',
    measure: (setup) => counted(withService(setup, (service) => measureBodies(setup, service))),
  },
  { title: 'Reading hostile reports in a request', measure: () => counted(measureHostileImports()) },
  { title: 'Parsing a JUnit file of 200 MB', measure: () => counted(measureReports()) },
  {
    title: 'Parsing 100 MB of each report format',
    measure: (_, { isQuick }) => counted(measureFormats(isQuick)),
  },
  served('Reading a history of 9,000 executions', measureReading),
  served('Reading failure contexts', measureContext),
  {
    title: 'Reading hostile failure contexts',
    measure: (setup) => counted(withService(setup, (service) => measureContexts(setup, service))),
  },
  served('Comparing two runs', measureComparison),
  unrelayed('Serving rules', measureRules),
  unrelayed('Creating links of caches', measureCache),
  {
    title: 'Recording runs twice',
    measure: (setup) => counted(withTwoServices(setup, measureRecording)),
  },
  unrelayed('Importing a report', measureImports),
  unrelayed('Importing 100,000 tests', (service, { isQuick }) => measureLargeImport(service, isQuick)),
  unrelayed('Recording quick tests with our reporter', measureLiveRecording),
  served('Streaming spec files of four sizes', measureStreaming),
  { title: 'The scale of a large organization, from the stored counts', measure: () => counted(measureScale()) },
  unrelayed('Recording with 200 machines and 800 workers', (service, { isQuick }) =>
    measureLoad(service, isQuick ? QUICK_LOAD : LOAD),
  ),
  unrelayed('Reading the live progress of a run', measureProgress),
  unrelayed('Sharing spec files between 64 machines', measureOrchestration),
  unrelayed('Opening pages', measurePages),
  unrelayed('Opening pages of runs with very many tests', measureLargePages),
  served('Answering an agent', measureAgent),
  { title: 'Publishing run events', measure: (setup) => counted(measureRunEvents(setup)) },
  unrelayed('Notifying GitHub', measureNotifications),
  served('Waiting for RUN_FINISH', measureDelay),
  served('Delivering webhooks next to slow receivers', measureFairness),
  {
    title: 'Traces and imports of one organization beside another, each call in a process',
    measure: (setup, options) => counted(measureNeighbours(setup, options)),
  },
  unrelayed('Limiting a flood with one of 1,000 keys', measureFlood),
  {
    title: 'Reading analytics of 90 days',
    measure: (setup, options) => counted(measureAnalytics(setup, options)),
  },
  {
    title: 'Merging analytics of 75 runs of 50,000 tests',
    measure: (setup, options) => counted(measureMerge(setup, options)),
  },
  { title: 'Code of analytics in recording functions', measure: () => counted(measureAnalyticsBytes()) },
  {
    title: 'Reading from tables of growing size',
    measure: (setup, { isQuick }) => counted(measureGrowth(setup, isQuick ? QUICK_SIZES : SIZES)),
  },
  {
    title: 'Comparing with a bare server',
    measure: async (setup) => ({ ratios: await measureRatios(setup) }),
  },
];

/** Runs a measurement with two services whose relays do not run. */
function withTwoServices<Result>(
  setup: BenchSetup,
  use: (one: BenchService, other: BenchService) => Promise<Result>,
): Promise<Result> {
  const options = { streams: false };
  return withService(setup, (one) => withService(setup, (other) => use(one, other), options), options);
}
