/**
 * `npm run cost` counts requests, capacity units, bytes and resources, stores the counts, and writes the monthly AWS
 * costs that follow from them into the documents. With `-- --stored` it counts nothing, and computes the documents from
 * the stored counts again, for example after a price has changed.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { FLAG, printError, printLine, runProgram } from '#infra/cli/terminal/terminal.ts';
import { type BenchService, type Cost, prepareSetup, withService } from './bench-service.ts';
import { writeCosts } from './cost-documents.ts';
import {
  backgroundTable,
  besidesTable,
  countTable,
  monthTable,
  partsTable,
  remedyTable,
  scope,
} from './cost-tables.ts';
import { type CountedCosts, type PerTest, readCountedCosts, storeCountedCosts } from './counted-costs.ts';
import { authorizerCost, BATCH_TESTS, recordBatch } from './counting.ts';
import { deployment } from './deployed-resources.ts';
import { fileCosts } from './files.ts';
import { countingCost } from './flood.ts';
import { QUICK, type ReporterName, SLOW, type SuiteSize } from './generated-suite.ts';
import { type RecordedSuite, recordSuite } from './live-recording.ts';
import { readerCosts } from './pages.ts';
import { ASSUMED } from './prices.ts';
import { concurrencyRemarks } from './prod-cost.ts';
import { step } from './progress.ts';
import { markdown } from './report.ts';
import { runEventCosts } from './run-events.ts';
import { writeSizing } from './sizing-document.ts';
import { sweepCosts } from './sweeps.ts';

/** The assumed number of tests in a run of a reporter. They share the cost of the run's events, which is constant. */
const TESTS_OF_RUN = 1000;

function perTest(
  { cost, tests, stored }: Omit<RecordedSuite, 'bodyBytes'>,
  { testsPerRun, authorizer }: { testsPerRun: number; authorizer?: Pick<Cost, 'readUnits' | 'trips'> },
): PerTest {
  const calls = cost.requests / tests;
  return {
    testsPerRun,
    calls,
    invocations: authorizer ? 2 * calls : calls,
    trips: cost.trips / tests + calls * (authorizer?.trips ?? 0),
    readUnits: cost.readUnits / tests + calls * (authorizer?.readUnits ?? 0),
    writeUnits: cost.writeUnits / tests,
    bytes: stored.bytes / tests,
    items: stored.rows / tests,
    logBytes: cost.logBytes / tests,
  };
}

async function countCosts(): Promise<CountedCosts> {
  const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
  try {
    const authorizer = await withService(setup, authorizerCost);
    const record = async (reporter: ReporterName, size: SuiteSize) => {
      const title = `Recording tests of ${size.milliseconds} ms, reporter: ${reporter}`;
      const use = (service: BenchService) => recordSuite(service, { reporter, size });
      const recorded = await step(title, () => withService(setup, use, { streams: false }));
      return perTest(recorded, { testsPerRun: TESTS_OF_RUN, authorizer });
    };
    const ways = {
      oursQuick: await record('ours', QUICK),
      oursSlow: await record('ours', SLOW),
      // A batch request has its key in the body, so no authorizer runs.
      uploaded: perTest(await step('Uploading a run', () => withService(setup, recordBatch)), {
        testsPerRun: BATCH_TESTS,
      }),
      publishedQuick: await record('published', QUICK),
      publishedSlow: await record('published', SLOW),
    };
    const { relayed, fannedOut, delivered } = await step('Publishing the events of a run', () =>
      withService(setup, runEventCosts, { streams: false }),
    );
    const sweeps = await step('Running idle schedules', () => withService(setup, sweepCosts));
    const { writeUnits: countingUnits } = await step('Counting requests for the limits', () =>
      withService(setup, countingCost),
    );
    const file = await step('Confirming the files of a test', () => withService(setup, fileCosts));
    const { page, poll } = await step('Opening and polling the page of a run', () => withService(setup, readerCosts));
    const { dev, prod } = await countResources();
    return { ways, runEvent: { relayed, fannedOut, delivered }, file, page, poll, sweeps, countingUnits, dev, prod };
  } finally {
    await setup.close();
  }
}

const countResources = (): Promise<Pick<CountedCosts, 'dev' | 'prod'>> =>
  step('Counting deployed resources', async () => ({
    dev: (await deployment('dev')).resources,
    prod: (await deployment('prod')).resources,
  }));

const remarks = (): string =>
  [
    'Idle costs come from polling queues and sweeping the table every minute or every five minutes.',
    'Each authorizer reads as for a key that it sees for the first time.',
    `Lambda writes ${ASSUMED.platformLogBytes} bytes of log about each invocation.`,
    'Not counted: logs of background functions.',
  ].join(' ');

/** Reporters send by the clock, so a busy machine makes a suite longer and its requests more. */
const busyRemark = (): string | undefined => {
  const [load = 0] = loadavg();
  const cores = availableParallelism();
  if (load <= cores) return undefined;
  return `Other programs kept this machine busy (load ${load.toFixed(0)} on ${cores} cores), so reporters sent more requests than usual. Run this command again on a quiet machine before you commit the result.`;
};

const USAGE = `Usage: npm run cost -- [--stored | --templates]

Counts what tests cost, which takes about ten minutes on a quiet machine, and writes the costs into the documents.

  --stored      counts nothing, and writes the costs from the stored counts again
  --templates   counts only alarms, metrics, routes and queues, which are in the templates`;

async function writeCountedCosts(): Promise<void> {
  const { stored, templates, help } = parseArgs({ options: { stored: FLAG, templates: FLAG, help: FLAG } }).values;
  if (help) return printLine(USAGE);
  const remark = stored || templates ? undefined : busyRemark();
  if (templates) await storeCountedCosts({ ...(await readCountedCosts()), ...(await countResources()) });
  else if (!stored) await storeCountedCosts(await countCosts());
  // Reads the stored counts, because they are rounded, and the documents must be the same after `--stored`.
  const counted = await readCountedCosts();
  await writeCosts(counted);
  await writeSizing(counted);
  const tables = [partsTable, remedyTable, backgroundTable, besidesTable, countTable].map((table) =>
    markdown(table(counted)),
  );
  printLine([markdown(monthTable(counted)), scope(), remarks(), concurrencyRemarks(counted), ...tables].join('\n\n'));
  if (remark !== undefined) printError(remark);
}

await runProgram(USAGE, writeCountedCosts);
