/**
 * `npm run demo` records the sample suite on the running service with the published reporter, and reads it back.
 * `--json` prints one JSON document for scripts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { isUsage, printError, printLine, quiet, step, strong } from '#infra/cli/terminal/terminal.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { asker, CannotShow, type Local, readLocal } from './local-service.ts';
import {
  completeRun,
  type Execution,
  type FlakyTest,
  flakyTest,
  historyOf,
  historyPath,
  progressOf,
  type Run,
} from './readings.ts';
import { runSampleSuite } from './sample-suite.ts';
import { showGroups, showHistory } from './screen.ts';

const USAGE = `Usage: npm run demo -- [--json]

Records the sample suite on the service that npm start runs, and reads it back.
RUNDOWN_DATA=<folder of its data> selects one of several services.

  --json   one JSON document for scripts`;

const OPTIONS = { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
const values = options();

function options() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    if (!isUsage(error)) throw error;
    printError(`${error.message}\n\n${USAGE}`);
    return process.exit(2);
  }
}

const during = <Result>(name: string, act: () => Promise<Result>): Promise<Result> =>
  values.json ? act() : step(name, act);

async function demo(): Promise<void> {
  const local = await readLocal();
  const ask = asker(local);
  const { projectId } = local.projects[0];
  // Fails early if the service does not answer.
  await ask(z.unknown(), `/projects/${projectId}`);
  const build = { projectId, ciBuildId: `demo-${new Date().toISOString()}` };
  await during('Running the sample suite with @currents/playwright', () =>
    whileShowing(() => progressOf(ask, build), runSampleSuite(local, build.ciBuildId)),
  );
  const run = await during('Waiting until the run is complete', () => completeRun(ask, build));
  const test = await flakyTest(ask, projectId, run);
  const history = await historyOf(ask, test);
  if (values.json) printLine(JSON.stringify({ runUrl: runUrl(local, run), run, flakyTest: test, history }, null, 2));
  else show(local, { run, test, history });
}

const runUrl = ({ baseUrl }: Local, { runId }: Run): string => `${baseUrl}/runs/${runId}`;

const pageUrl = ({ recordUrl, organizationId, projects: [{ projectId }] }: Local, { runId }: Run): string =>
  getRunUrl(recordUrl, { organizationId, projectId, runId });

const LOOK_EVERY_MILLISECONDS = 500;

/** Shows the progress on a terminal until `act` has settled. */
async function whileShowing(look: () => Promise<string>, act: Promise<void>): Promise<void> {
  if (values.json || !process.stdout.isTTY) return act;
  const ended = act.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([ended, wait(LOOK_EVERY_MILLISECONDS, false)]))) {
    process.stdout.write(`\r\u001b[2K${quiet(`    ${await look()}`)}`);
  }
  process.stdout.write('\r\u001b[2K');
  return act;
}

function show(local: Local, { run, test, history }: { run: Run; test: FlakyTest; history: Execution[] }): void {
  const header = `-H 'Authorization: Bearer ${local.apiKeys.readOnly}'`;
  printLine('');
  printLine(`${strong('Run')}  ${run.status}, ${run.completionState}${quiet(': some of its tests fail on purpose')}`);
  printLine('');
  showGroups(run.groups);
  printLine('');
  printLine(quiet('The flaky test of this run, in its latest runs:'));
  showHistory(test, history);
  printLine('');
  printLine(`curl -s ${header} ${runUrl(local, run)}`);
  printLine(`curl -s ${header} '${local.baseUrl}${historyPath(test)}'`);
  printLine('');
  printLine(`${strong('Page')} ${pageUrl(local, run)}`);
}

try {
  if (values.help) printLine(USAGE);
  else await demo();
} catch (error) {
  if (!(error instanceof CannotShow)) throw error;
  printError(error.message);
  process.exitCode = 1;
}
