/**
 * Simulates a large run: 200 machines with 800 workers and 200 spec files, in which each worker takes two seconds per
 * test on average. The clock is simulated, and the write units are those that the table reports. All machines start the
 * run, but only one in four reports tests, so that the simulation ends within minutes. To compensate, writes to keys
 * that all machines share count four times.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord, updateTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateRunBody } from '#shared/recording/published/run-wire.ts';
import { CreateTestRecordBody, UpdateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { toRunRequest } from '#shared/recording/published/translate-run.ts';
import type { Services } from '#shared/services.ts';
import type { Measurement } from './budgets.ts';
import { HotKeys, type Peak } from './hot-keys.ts';
import type { Owner } from './streaming.ts';
import { GROUP, messagesOf, outcomeOf, runBody, type SuiteSpec, type SuiteTest, suiteOf } from './suite.ts';

const MACHINES = 200;
const REPORTS_ONE_IN = 4;
const WORKERS_PER_MACHINE = 4;
const SHORTEST_TEST_SECONDS = 1;
const LONGEST_TEST_SECONDS = 3;
/**
 * Waiting machines check the lock at least every two seconds. So the model spreads the joins of all machines over two
 * seconds, and their claims over the next two.
 */
const PHASE_SECONDS = 2;

interface Load {
  readonly services: Services;
  readonly hot: HotKeys;
  readonly owner: Owner;
  readonly suite: readonly SuiteSpec[];
}

/**
 * Runs the model. `testsPerSpec` is 250 for the full load. Fewer tests shorten the run, but keep the load per second.
 */
export async function measureLoad(
  { services, ...owner }: Owner & { readonly services: Services },
  testsPerSpec: number,
): Promise<Measurement[]> {
  const starting = new HotKeys();
  const hot = new HotKeys();
  const whole = suiteOf({ specs: MACHINES, testsPerSpec }).map(failingLater);
  const suite = whole.filter((_, machine) => machine % REPORTS_ONE_IN === REPORTS_ONE_IN - 1);
  const table = services.table.metered();
  const runId = await startAll({ ...services, table: starting.counting(table) }, owner, whole);
  const startUnits = table.meter.writeUnits;
  const joined = starting.hottest();
  const load: Load = { services: { ...services, table: hot.counting(table) }, hot, owner, suite };
  const claimed = await claimAll(load, runId);
  await streamAll(load, runId, claimed);
  const peak = hot.hottest((key) => (isOfOneFile(key) ? 1 : REPORTS_ONE_IN));
  return [
    { name: 'startUnits', measured: startUnits, note: `${MACHINES} machines at once, ${MACHINES} files` },
    { name: 'startHottest', measured: joined.units / PHASE_SECONDS, note: rowsIn(joined) },
    { name: 'loadHottest', measured: peak.units, note: rowsIn(peak) },
  ];
}

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
async function startAll(services: Services, owner: Owner, suite: readonly SuiteSpec[]): Promise<string> {
  const framework = { type: 'pw', version: null, clientVersion: null };
  const body = CreateRunBody.parse(runBody({ ...owner, ciBuildId: 'load model' }, suite));
  const request = toRunRequest(body, { organizationId: owner.organizationId, framework });
  const answers = await Promise.all(
    Array.from({ length: MACHINES }, (_, index) => {
      const machineId = `machine-${index}`;
      return joinRun(services, { ...request, machineId, requestKeys: [machineId] });
    }),
  );
  return answers[0]?.run.runId ?? '';
}

async function claimAll({ services, hot, owner, suite }: Load, runId: string): Promise<readonly string[]> {
  const { organizationId } = owner;
  const instances: string[] = [];
  for (const [index, { spec }] of suite.entries()) {
    hot.second = PHASE_SECONDS + Math.floor((index / suite.length) * PHASE_SECONDS);
    const body = ClaimInstanceBody.parse({ runId, groupId: GROUP, machineId: `machine-${index}`, spec });
    const claim = await claimInstance(services, { organizationId, runId, body, requestKey: `claim ${index}` });
    instances.push(claim.instanceId);
  }
  return instances;
}

interface Message {
  readonly at: number;
  readonly send: () => Promise<void>;
}

async function streamAll({ services, hot, owner, suite }: Load, runId: string, claimed: readonly string[]) {
  const { organizationId } = owner;
  const schedule = suite.flatMap(({ spec, tests }, index) =>
    timesOf(tests, index).flatMap(({ test, began: start, ended: end }): Message[] => {
      const ids = { runId, instanceId: claimed[index] ?? '', spec };
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
function timesOf(tests: readonly SuiteTest[], file: number) {
  const begin = PHASE_SECONDS + (1 + (file * REPORTS_ONE_IN) / MACHINES) * PHASE_SECONDS;
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
