/**
 * `npm run bench:reporter` compares a suite of quick tests without a recording reporter, with ours, and with the
 * published one: wall time, and CPU time of all processes of the test run. Runs with and without our reporter
 * alternate, because other programs on the machine disturb both. The service and the suite run on different processors,
 * because the budget is about the machine that tests, and the service runs elsewhere.
 * `--pairs <n>` and `--published <n>` change the number of runs.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { printError, printLine } from '#infra/cli/terminal/terminal.ts';
import { type BenchService, prepareSetup, withService } from './bench-service.ts';
import {
  type GeneratedSuite,
  QUICK,
  type ReporterName,
  runSuite,
  type SuiteRun,
  writeSuite,
} from './generated-suite.ts';
import { median, shown } from './medians.ts';
import { step } from './progress.ts';
import { markdown, type Table } from './report.ts';

const MUST = { wall: 1.02, cpu: 1.05 } as const;
/** If the load per processor is higher at the start, a line says that wall times are not reliable. */
const QUIET = 0.25;

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '9' }, published: { type: 'string', default: '3' } },
});

/**
 * Moves this process, and those that it will start, to the last processor. Returns the beginning of a command that runs
 * on the other processors, or an empty list if they cannot be separated.
 */
function separateProcessors(): string[] {
  const last = availableParallelism() - 1;
  const moved = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(last), String(process.pid)]);
  if (last > 0 && moved.status === 0) return ['taskset', '--cpu-list', `0-${last - 1}`];
  printLine('The service shares the processors of the suite, because the machine has only one, or has no `taskset`.');
  return [];
}

type Runs = Readonly<Record<ReporterName, SuiteRun[]>>;
type Time = 'wall' | 'cpu';

async function compare(service: BenchService, suite: GeneratedSuite, pin: readonly string[]): Promise<Runs> {
  const runs: Runs = { none: [], ours: [], published: [] };
  const run = async (reporter: ReporterName) => {
    const ciBuildId = `${reporter} ${runs[reporter].length}`;
    const named = `${ciBuildId}, load ${loadavg()[0]?.toFixed(1)}`;
    runs[reporter].push(await step(named, () => runSuite(suite, { reporter, recorder: service, ciBuildId, pin })));
  };
  // The first run compiles the files, so it is not counted.
  await step('Warming up', () => runSuite(suite, { reporter: 'none', recorder: service, ciBuildId: 'warm', pin }));
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const order = pair % 2 === 0 ? (['none', 'ours'] as const) : (['ours', 'none'] as const);
    for (const reporter of order) await run(reporter);
  }
  for (let round = 0; round < Number(values.published); round += 1) await run('published');
  return runs;
}

/** Each ratio compares two consecutive runs, one with our reporter and one without. */
const ratiosOfPairs = ({ none, ours }: Runs, time: Time): number[] =>
  ours.map((run, pair) => run[time] / (none[pair]?.[time] ?? Number.NaN));

function ratiosOfPublished({ none, published }: Runs, time: Time): number[] {
  const usual = median(none.map((run) => run[time]));
  return published.map((run) => run[time] / usual);
}

function tableOf(runs: Runs): Table {
  const row = (name: string, reporter: ReporterName, ratios: Readonly<Record<Time, readonly number[]>> | undefined) => {
    const times = (time: Time) => {
      const seconds = runs[reporter].map((run) => run[time]);
      return [shown(seconds, 1, ' s'), ratios ? shown(ratios[time], 3) : ''];
    };
    return [name, String(runs[reporter].length), ...times('wall'), ...times('cpu')];
  };
  const ofPairs = { wall: ratiosOfPairs(runs, 'wall'), cpu: ratiosOfPairs(runs, 'cpu') };
  const ofPublished = { wall: ratiosOfPublished(runs, 'wall'), cpu: ratiosOfPublished(runs, 'cpu') };
  return [
    ['Reporter', 'Runs', 'Wall time', 'Ratio', 'CPU time', 'Ratio'],
    row('`dot` only', 'none', undefined),
    row('ours', 'ours', ofPairs),
    ...(runs.published.length > 0 ? [row('published', 'published', ofPublished)] : []),
  ];
}

const [load = 0] = loadavg();
const pin = separateProcessors();
const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
const suite = await writeSuite(QUICK);
try {
  const runs = await withService(setup, (service) => compare(service, suite, pin), { streams: false });
  printLine(markdown(tableOf(runs)));
  if (load > QUIET * navigator.hardwareConcurrency)
    printLine(`The machine was busy (load ${load.toFixed(1)}), so wall times are not reliable.`);
  for (const time of ['wall', 'cpu'] as const) {
    const ratio = median(ratiosOfPairs(runs, time));
    if (ratio <= MUST[time]) continue;
    printError(`Our reporter takes ${ratio.toFixed(3)} times the ${time} time. It may take at most ${MUST[time]}.`);
    process.exitCode = 1;
  }
} finally {
  await suite.remove();
  await setup.close();
}
