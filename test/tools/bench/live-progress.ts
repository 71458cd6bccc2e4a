/**
 * Measures the cost of polling the live progress of a run whose spec files are all open. By default, the run has 200
 * spec files.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateRunBody } from '#shared/recording/published/run-wire.ts';
import { CreateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { toRunRequest } from '#shared/recording/published/translate-run.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import type { Services } from '#shared/services.ts';
import type { Answer } from '#test/harness/client.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import type { Owner } from './streaming.ts';
import { attemptsOf, GROUP, messagesOf, runBody, type SuiteSpec, type SuiteTest, stateOf, suiteOf } from './suite.ts';

export const MANY_SPECS = 200;
/** The number of tests per spec file. With so few tests, each result updates the live counters. */
const TESTS_PER_SPEC = 8;

interface Recording extends Owner {
  readonly services: Services;
  /** Whether machines claim the spec files. Live counters do not include claims. */
  readonly claims?: boolean;
}

export async function measureProgress(
  recording: Recording & { readonly specs?: number | undefined },
): Promise<Measurement[]> {
  const { organizationId, services, specs = MANY_SPECS } = recording;
  const runId = await startOpenRun(recording, specs);
  const table = services.table.metered();
  const { specFiles, tests } = await readProgress({ table }, { organizationId, runId });
  if (specFiles.total !== specs || tests.overall !== specs)
    throw new Error('The live progress does not include every spec file');
  return [{ name: 'progressUnits', measured: table.meter.readUnits, note: `${specs} open files` }];
}

/** Starts a run whose spec files are all open with one result each. Returns the run id. */
export async function startOpenRun({ services, claims = true, ...owner }: Recording, specs: number): Promise<string> {
  const { organizationId } = owner;
  const suite = suiteOf({ specs, testsPerSpec: TESTS_PER_SPEC });
  const body = CreateRunBody.parse(runBody({ ...owner, ciBuildId: `live progress of ${specs}` }, suite));
  const framework = { type: 'pw', version: null, clientVersion: null };
  const request = toRunRequest(body, { organizationId, framework });
  const joinedRun = await joinRun(services, { ...request, requestKeys: [`live progress of ${specs}`] });
  const { runId } = joinedRun.run;
  await mapConcurrently(suite, (file) => reportFirst(services, { organizationId, runId, claims }, file));
  return runId;
}

/**
 * Starts a run like `startOpenRun`, but with the protocol of our reporters: one batch has the first test of each spec
 * file. Returns the run id.
 */
export async function startOpenRecording({ api, projectId }: BenchService, specs: number): Promise<string> {
  const suite = suiteOf({ specs, testsPerSpec: TESTS_PER_SPEC });
  const tests = suite.flatMap((file) => file.tests.map(({ testId }) => ({ testId, spec: file.spec })));
  const { platform, commit } = runBody({ projectId, recordKey: '', ciBuildId: `recording of ${specs}` }, []);
  const { runId } = await dataOf(
    api.post(`/projects/${projectId}/recordings`, {
      machineId: MACHINE,
      ciBuildId: `recording of ${specs}`,
      framework: { type: 'playwright', version: null, clientVersion: null },
      commit,
      tags: [],
      groups: [{ name: GROUP, tags: [], environment: null, browser: null, platform, tests }],
    }),
  );
  const instances = suite.map(({ spec, tests: [test] }) => ({
    groupId: GROUP,
    spec,
    tests: test ? [resultOf(test)] : [],
  }));
  await dataOf(api.post(`/recordings/${runId}/batches`, { machineId: MACHINE, sequence: 0, instances }));
  return runId;
}

export const MACHINE = 'ci-machine-1';

const resultOf = (test: SuiteTest) => ({
  testId: test.testId,
  title: test.title,
  state: stateOf(test),
  isFlaky: test.outcome === 'flaky',
  attempts: attemptsOf(test).map(({ _s: state, ...attempt }) => ({ ...attempt, state })),
});

async function dataOf(sent: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await sent;
  if (status >= 300) throw new Error(`The recording was answered with ${status}: ${JSON.stringify(body)}`);
  return body.data;
}

/** Reports the first test of a spec file. */
async function reportFirst(
  services: Services,
  {
    organizationId,
    runId,
    claims,
  }: { readonly organizationId: string; readonly runId: string; readonly claims: boolean },
  { spec, tests: [test] }: SuiteSpec,
): Promise<void> {
  if (!test) throw new Error(`The spec file ${spec} has no test`);
  const body = ClaimInstanceBody.parse({ runId, groupId: GROUP, machineId: 'ci-machine-1', spec });
  if (claims) await claimInstance(services, { organizationId, runId, body, requestKey: `claim ${spec}` });
  const instanceId = deriveInstanceId({ runId, groupId: GROUP, spec });
  const { began, ended } = messagesOf(test, { runId, instanceId, spec });
  // Only the last message about the test is sent. The service accepts it without an earlier message.
  const sent = { ...began, ...ended };
  await createTestRecord(services, { organizationId, body: CreateTestRecordBody.parse(sent), sent });
}
