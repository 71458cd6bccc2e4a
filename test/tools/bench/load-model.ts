/**
 * Simulates a large run: machines with four workers each and a spec file each, in which a worker takes two seconds per
 * test on average. The clock is simulated, and the units are those that the table reports. All machines start the run,
 * but only some report tests, so that the simulation ends within minutes. To compensate, the units of keys that all
 * machines share are multiplied.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { deriveInstanceId, deriveTestKey } from '#shared/model/ids.ts';
import { makeRecentFacts } from '#shared/model/results/recent-facts.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { endMachine } from '#shared/recording/own/end-machine.ts';
import { recordBatch } from '#shared/recording/own/record-batch.ts';
import { BatchBody, EndMachineBody, StartRecordingBody } from '#shared/recording/own/recording-wire.ts';
import { startRecording } from '#shared/recording/own/start-recording.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord, updateTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateRunBody } from '#shared/recording/published/run-wire.ts';
import { CreateTestRecordBody, UpdateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { toRunRequest } from '#shared/recording/published/translate-run.ts';
import type { Services } from '#shared/services.ts';
import { directTable } from '#test/harness/direct-table.ts';
import type { BenchService } from './bench-service.ts';
import type { BudgetName, Measurement } from './budgets.ts';
import { HotKeys, type Peak } from './hot-keys.ts';
import type { Owner } from './streaming.ts';
import {
  attemptsOf,
  GROUP,
  messagesOf,
  outcomeOf,
  runBody,
  type SuiteSpec,
  type SuiteTest,
  stateOf,
  suiteOf,
} from './suite.ts';
import { sum } from './sum.ts';

const WORKERS_PER_MACHINE = 4;
const SHORTEST_TEST_SECONDS = 1;
const LONGEST_TEST_SECONDS = 3;
/**
 * Waiting machines check the lock at least every two seconds. So the model spreads the joins of all machines over two
 * seconds, and their claims over the next two.
 */
const PHASE_SECONDS = 2;
/** How long a function takes for a first message. Lambda then keeps this many containers busy per message and second. */
const MESSAGE_SECONDS = 0.05;
/** Our reporter sends a spec file that takes long in parts, this often. */
const PART_SECONDS = 15;
/** Of the machines with our reporter, one in so many sends results. All of them start and end. */
const OWN_REPORTS_ONE_IN = 10;
/** The machines of a large run end at different times, within about this time. */
const ENDS_SECONDS = 30;

interface LoadSize {
  readonly machines: number;
  readonly reportsOneIn: number;
  readonly testsPerSpec: number;
}

interface Load extends LoadSize {
  /** Each container has caches of its own. */
  readonly containers: readonly Services[];
  readonly hot: HotKeys;
  readonly owner: Owner;
  readonly suite: readonly SuiteSpec[];
}

const TESTS_OF_800 = 12;

/** Fewer than 250 tests per spec file shorten the run, but keep the load per second. */
export async function measureLoad(bench: BenchService, testsPerSpec: number): Promise<Measurement[]> {
  // The AWS SDK gives up connections that 800 machines open at once in one process.
  const service = { ...bench, services: { ...bench.services, table: directTable(bench.environment) } };
  const small = await measureStream(service, { machines: 200, reportsOneIn: 4, testsPerSpec });
  const large = await measureStream(service, { machines: 800, reportsOneIn: 8, testsPerSpec: TESTS_OF_800 });
  const own = await measureOwn(service, 200);
  const largeOwn = await measureOwn(service, 800);
  const measure = (name: BudgetName, peak: Peak, seconds = 1): Measurement => ({
    name,
    measured: peak.units / seconds,
    note: rowsIn(peak),
  });
  const compare = (name: BudgetName, { sent, lost }: Comparison): Measurement => ({
    name,
    measured: lost,
    note: `of ${sent.toLocaleString('en')}`,
  });
  return [
    { name: 'startUnits', measured: small.startUnits, note: '200 machines at once, 200 files' },
    measure('startHottest', small.starting.writes, PHASE_SECONDS),
    measure('loadHottest', small.running.writes),
    measure('startReads', small.starting.reads, PHASE_SECONDS),
    measure('loadReads', small.running.reads),
    measure('largeStartWrites', large.starting.writes, PHASE_SECONDS),
    measure('largeLoadWrites', large.running.writes),
    measure('largeStartReads', large.starting.reads, PHASE_SECONDS),
    measure('largeLoadReads', large.running.reads),
    measure('ownStartWrites', own.starting.writes, PHASE_SECONDS),
    measure('ownLoadWrites', own.running.writes),
    measure('ownStartReads', own.starting.reads, PHASE_SECONDS),
    measure('ownLoadReads', own.running.reads),
    measure('largeOwnStartWrites', largeOwn.starting.writes, PHASE_SECONDS),
    measure('largeOwnLoadWrites', largeOwn.running.writes),
    measure('largeOwnStartReads', largeOwn.starting.reads, PHASE_SECONDS),
    measure('largeOwnLoadReads', largeOwn.running.reads),
    compare('lostResults', small),
    compare('largeLostResults', large),
    compare('ownLostResults', own),
    compare('largeOwnLostResults', largeOwn),
  ];
}

interface Peaks {
  readonly reads: Peak;
  readonly writes: Peak;
}

const findPeaks = (hot: HotKeys, times?: (key: string) => number): Peaks => ({
  reads: hot.hottest('readUnits', { times }),
  writes: hot.hottest('writeUnits', { times }),
});

async function measureStream({ services, ...owner }: BenchService, size: LoadSize) {
  const { machines, reportsOneIn, testsPerSpec } = size;
  const starting = new HotKeys();
  const hot = new HotKeys();
  const whole = suiteOf({ specs: machines, testsPerSpec }).map(failingLater);
  const suite = whole.filter((_, machine) => machine % reportsOneIn === reportsOneIn - 1);
  const table = services.table.metered();
  const runId = await startAll({ ...services, table: starting.counting(table) }, owner, { machines, suite: whole });
  const startUnits = table.meter.writeUnits;
  const newTestsPerSecond = (machines * WORKERS_PER_MACHINE) / ((SHORTEST_TEST_SECONDS + LONGEST_TEST_SECONDS) / 2);
  const containers = Array.from({ length: Math.ceil(newTestsPerSecond * MESSAGE_SECONDS) }, () => ({
    ...services,
    recent: makeRecentFacts(),
    table: hot.counting(table),
  }));
  const load: Load = { ...size, containers, hot, owner, suite };
  const claimed = await claimAll(load, runId);
  await streamAll(load, runId, claimed);
  const times = (key: string) => (isOfOneFile(key) ? 1 : reportsOneIn);
  const comparison = await compareWithStored({ services, organizationId: owner.organizationId, runId, suite });
  return { startUnits, starting: findPeaks(starting), running: findPeaks(hot, times), ...comparison };
}

interface Comparison {
  readonly sent: number;
  /** Results that are not stored, or not as they were sent. */
  readonly lost: number;
}

interface SentResults {
  readonly services: Services;
  readonly organizationId: string;
  readonly runId: string;
  /** The spec files whose results were sent. */
  readonly suite: readonly SuiteSpec[];
}

/** All requests were answered, so each result that was sent must be stored. */
async function compareWithStored({ services, organizationId, runId, suite }: SentResults): Promise<Comparison> {
  const lost = await mapConcurrently(suite, async ({ spec, tests }) => {
    const instanceId = deriveInstanceId({ runId, groupId: GROUP, spec });
    const { reported } = await loadResults(services, { organizationId, instanceId }, { consistent: true });
    const isStored = (test: SuiteTest): boolean => {
      const stored = reported.get(deriveTestKey(test.testId));
      return stored?.outcome === stateOf(test) && stored.flaky === (test.outcome === 'flaky');
    };
    return tests.filter((test) => !isStored(test)).length;
  });
  return { sent: sum(suite.map(({ tests }) => tests.length)), lost: sum(lost) };
}

/** Returns one of the containers, the same in every run of the model. */
function pickContainer({ containers }: Pick<Load, 'containers'>, message: number): Services {
  const container = containers[(message * 7919) % containers.length];
  if (!container) throw new Error('The model has no containers');
  return container;
}

/** The machines of a run with our own reporter. Each sends parts of its spec file, and ends. */
async function measureOwn({ services, organizationId, projectId }: BenchService, machines: number) {
  const starting = new HotKeys();
  const hot = new HotKeys();
  const suite = suiteOf({ specs: machines, testsPerSpec: 2 * TESTS_OF_PART });
  const owner = { organizationId, projectId };
  const ids = Array.from({ length: machines }, (_, index) => `machine-${index}`);
  const ciBuildId = `own load model ${machines}`;
  const startingServices = { ...services, table: starting.counting(services.table) };
  const started = await Promise.all(
    ids.map((machineId, index) => {
      // Each shard announces only its own tests.
      const ownSuite = suite.slice(index, index + 1);
      const body = StartRecordingBody.parse(recordingBody(ownSuite, { machineId, ciBuildId }));
      return startRecording(startingServices, { ...owner, body });
    }),
  );
  const runId = started[0]?.runId ?? '';
  const running = { ...services, table: hot.counting(services.table) };
  for (const sequence of [0, 1]) {
    for (const [index, machineId] of ids.entries()) {
      if (index % OWN_REPORTS_ONE_IN > 0) continue;
      hot.second = sequence * PART_SECONDS + Math.floor((index / machines) * PART_SECONDS);
      const body = BatchBody.parse(batchBody(suite[index], { machineId, sequence }));
      await recordBatch(running, { organizationId, runId, body });
    }
  }
  for (const [index, machineId] of ids.entries()) {
    hot.second = 2 * PART_SECONDS + Math.floor((index / machines) * ENDS_SECONDS);
    const body = EndMachineBody.parse({ machineId, machines, batches: index % OWN_REPORTS_ONE_IN > 0 ? 0 : 2 });
    await endMachine(running, { organizationId, runId, body });
  }
  const isOfAll = (key: string) => isOfOneFile(key) || key.startsWith('MACHINE#');
  const sentSuite = suite.filter((_, index) => index % OWN_REPORTS_ONE_IN === 0);
  return {
    starting: findPeaks(starting),
    running: findPeaks(hot, (key) => (isOfAll(key) ? 1 : OWN_REPORTS_ONE_IN)),
    ...(await compareWithStored({ services, organizationId, runId, suite: sentSuite })),
  };
}

/** The tests that four workers finish between two parts. */
const TESTS_OF_PART = (PART_SECONDS * WORKERS_PER_MACHINE) / ((SHORTEST_TEST_SECONDS + LONGEST_TEST_SECONDS) / 2);

const recordingBody = (suite: readonly SuiteSpec[], machine: { readonly machineId: string; ciBuildId: string }) => ({
  ...machine,
  framework: { type: 'playwright', version: '1.65.1', clientVersion: '0.1.0' },
  commit: { sha: null, branch: 'main', authorName: null, authorEmail: null, message: null, remoteOrigin: null },
  tags: ['nightly'],
  groups: [
    {
      name: GROUP,
      tags: [],
      environment: null,
      platform: { osName: 'linux', osVersion: 'Debian - 12', browserName: '', browserVersion: '' },
      browser: null,
      tests: suite.flatMap(({ spec, tests }) => tests.map(({ testId }) => ({ testId, spec }))),
    },
  ],
});

/** The tests that four workers finish between two parts. */
const batchBody = (file: SuiteSpec | undefined, { machineId, sequence }: { machineId: string; sequence: number }) => ({
  machineId,
  sequence,
  instances: (file ? [file] : []).map(({ spec, tests }) => ({
    groupId: GROUP,
    spec,
    tests: tests.slice(sequence * TESTS_OF_PART, (sequence + 1) * TESTS_OF_PART).map((test) => ({
      testId: test.testId,
      title: test.title,
      state: stateOf(test),
      isFlaky: test.outcome === 'flaky',
      expectedStatus: 'passed',
      tags: [],
      annotations: [],
      attempts: attemptsOf(test).map(({ _s, _e, ...attempt }) => ({ ...attempt, state: _s })),
    })),
  })),
});

/**
 * Makes different tests fail in each file. Otherwise all files would have their failures at the same moment, because
 * all files have the same number of tests.
 */
const failingLater = ({ spec, tests }: SuiteSpec, file: number): SuiteSpec => ({
  spec,
  tests: tests.map((test) => ({ ...test, outcome: outcomeOf(test.number + file) })),
});

const isOfOneFile = (key: string): boolean => /^(INSTANCE|HISTORY|NOTABLE)#/.test(key);

function rowsIn({ key, kinds }: Peak): string {
  const rows = [...kinds].sort(([, one], [, other]) => other - one);
  return `${key.split('#', 1)[0]}#: ${rows.map(([kind, units]) => `${kind} ${Math.round(units)}`).join(', ')}`;
}

/** Starts all machines concurrently, so that they compete for the lock. */
async function startAll(
  services: Services,
  owner: Owner,
  { machines, suite }: { readonly machines: number; readonly suite: readonly SuiteSpec[] },
): Promise<string> {
  const framework = { type: 'pw', version: null, clientVersion: null };
  const body = CreateRunBody.parse(runBody({ ...owner, ciBuildId: `load model ${machines}` }, suite));
  const request = toRunRequest(body, { organizationId: owner.organizationId, framework });
  const answers = await Promise.all(
    Array.from({ length: machines }, (_, index) => {
      const machineId = `machine-${index}`;
      return joinRun(services, { ...request, machineId, requestKeys: [machineId] });
    }),
  );
  return answers[0]?.run.runId ?? '';
}

async function claimAll(load: Load, runId: string): Promise<readonly string[]> {
  const { hot, owner, suite } = load;
  const { organizationId } = owner;
  const instances: string[] = [];
  for (const [index, { spec }] of suite.entries()) {
    hot.second = PHASE_SECONDS + Math.floor((index / suite.length) * PHASE_SECONDS);
    const body = ClaimInstanceBody.parse({ runId, groupId: GROUP, machineId: `machine-${index}`, spec });
    const services = pickContainer(load, index);
    const claim = await claimInstance(services, { organizationId, runId, body, requestKey: `claim ${index}` });
    instances.push(claim.instanceId);
  }
  return instances;
}

interface Message {
  readonly at: number;
  readonly send: () => Promise<void>;
}

async function streamAll(load: Load, runId: string, claimed: readonly string[]) {
  const { hot, owner, suite } = load;
  const { organizationId } = owner;
  const schedule = suite.flatMap(({ spec, tests }, index) =>
    timesOf(load, tests, index).flatMap(({ test, began: start, ended: end }): Message[] => {
      const ids = { runId, instanceId: claimed[index] ?? '', spec, machineId: `machine-${index}` };
      const services = pickContainer(load, test.number);
      let record = '';
      const begin = async () => {
        const { began } = messagesOf(test, ids);
        const body = CreateTestRecordBody.parse(began);
        ({ recordId: record } = await createTestRecord(services, { organizationId, body, sent: began }));
      };
      const finish = async () => {
        const { ended } = messagesOf(test, ids);
        const body = UpdateTestRecordBody.parse(ended);
        await updateTestRecord(services, { organizationId, recordId: record, body, sent: ended });
      };
      return [
        { at: start, send: begin },
        { at: end, send: finish },
      ];
    }),
  );
  // A test takes at least one second, so its two messages are never sent in the same second.
  const seconds = Map.groupBy(schedule, ({ at }) => Math.floor(at));
  for (const [second, messages] of [...seconds].sort(([one], [other]) => one - other)) {
    hot.second = second;
    await mapConcurrently(messages, ({ send }) => send());
  }
}

/**
 * Returns the times at which each test of a file starts and ends. Four workers share the tests, in order. Durations
 * differ between tests, but are the same in every run of the model.
 */
function timesOf({ machines, reportsOneIn }: LoadSize, tests: readonly SuiteTest[], file: number) {
  const begin = PHASE_SECONDS + (1 + (file * reportsOneIn) / machines) * PHASE_SECONDS;
  const free = Array.from({ length: WORKERS_PER_MACHINE }, (_, worker) => begin + worker / WORKERS_PER_MACHINE);
  return tests.map((test) => {
    const worker = free.indexOf(Math.min(...free));
    const began = free[worker] ?? begin;
    const share = ((test.number * 7919 + file) % 1000) / 1000;
    const ended = began + SHORTEST_TEST_SECONDS + share * (LONGEST_TEST_SECONDS - SHORTEST_TEST_SECONDS);
    free[worker] = ended;
    return { test, began, ended };
  });
}
