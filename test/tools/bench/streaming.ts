/**
 * Measures the table cost of a streamed test for several sizes of spec files. Calls the functions of the product
 * directly, without HTTP.
 */
import { Verifier } from '#shared/access/verify.ts';
import { Meter } from '#shared/engine/table/meter.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord, updateTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateRunBody } from '#shared/recording/published/run-wire.ts';
import { CreateTestRecordBody, UpdateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { toRunRequest } from '#shared/recording/published/translate-run.ts';
import type { Services } from '#shared/services.ts';
import { NOBODY } from '#test/harness/issuer.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { GROUP, messagesOf, messagesOfQuick, runBody, type SuiteSpec, suiteOf } from './suite.ts';

export type Owner = Pick<BenchService, 'organizationId' | 'projectId' | 'recordKey'>;

export interface Streamed {
  readonly tests: number;
  /** The cost of starting the run and claiming its spec files. */
  readonly start: Meter;
  /** The cost of the two messages about each test, without the authorizer. */
  readonly messages: Meter;
}

const metered = (services: Services): Services => ({ ...services, table: services.table.metered() });

/**
 * Streams a run. Sends the messages one after another, so that contention is not measured. `areQuick`: the published
 * reporter says of each test twice that it has ended.
 */
export async function streamDirectly(
  services: Services,
  owner: Owner,
  {
    ciBuildId,
    suite,
    areQuick = false,
  }: { readonly ciBuildId: string; readonly suite: readonly SuiteSpec[]; readonly areQuick?: boolean },
): Promise<Streamed> {
  const { organizationId } = owner;
  const starting = metered(services);
  const body = CreateRunBody.parse(runBody({ ...owner, ciBuildId }, suite));
  const framework = { type: 'pw', version: null, clientVersion: null };
  const request = toRunRequest(body, { organizationId, framework });
  const { runId } = (await joinRun(starting, { ...request, requestKeys: [ciBuildId] })).run;
  const messages = new Meter();
  let tests = 0;
  for (const { spec, tests: all } of suite) {
    const claimBody = ClaimInstanceBody.parse({ runId, groupId: GROUP, machineId: 'ci-machine-1', spec });
    const claim = { organizationId, runId, body: claimBody, requestKey: `claim ${spec}` };
    const { instanceId } = await claimInstance(starting, claim);
    for (const test of all) {
      const { began, ended } = (areQuick ? messagesOfQuick : messagesOf)(test, { runId, instanceId, spec });
      const counting = metered(services);
      const created = CreateTestRecordBody.parse(began);
      const { recordId } = await createTestRecord(counting, { organizationId, body: created, sent: began });
      const updated = UpdateTestRecordBody.parse(ended);
      await updateTestRecord(counting, { organizationId, recordId, body: updated, sent: ended });
      messages.add(counting.table.meter);
      tests += 1;
    }
  }
  return { tests, start: starting.table.meter, messages };
}

/** The authorizer checks both requests about a test. */
const REQUESTS_PER_TEST = 2;

export async function authorizerTrips({
  services,
  recordKey,
}: Pick<BenchService, 'services' | 'recordKey'>): Promise<number> {
  const verifier = new Verifier(NOBODY);
  await verifier.verify(services, recordKey);
  const table = services.table.metered();
  // Measures the second call, because the authorizer of a warm container has already cached the owner of the key.
  await verifier.verify({ ...services, table }, recordKey);
  return table.meter.trips * REQUESTS_PER_TEST;
}

export const FILE_SIZES = [
  { testsPerSpec: 25, specs: 40 },
  { testsPerSpec: 250, specs: 4 },
  { testsPerSpec: 1000, specs: 1 },
  { testsPerSpec: 5000, specs: 1 },
] as const;

export async function measureStreaming(service: BenchService): Promise<Measurement[]> {
  const authorizer = await authorizerTrips(service);
  const measurements: Measurement[] = [];
  const quick = { ciBuildId: 'quick', suite: suiteOf({ specs: 1, testsPerSpec: 1000 }), areQuick: true };
  const { messages: quickMessages, tests: quickTests } = await streamDirectly(service.services, service, quick);
  measurements.push(
    { name: 'quickUnits', measured: quickMessages.writeUnits / quickTests },
    { name: 'quickReads', measured: quickMessages.readUnits / quickTests },
  );
  for (const { testsPerSpec, specs } of FILE_SIZES) {
    const options = { ciBuildId: `streamed ${testsPerSpec}`, suite: suiteOf({ specs, testsPerSpec }) };
    const { messages, tests } = await streamDirectly(service.services, service, options);
    const note = `${(messages.readUnits / tests).toFixed(2)} RRU per test, ${specs} files`;
    measurements.push(
      { name: `streamUnits${testsPerSpec}`, measured: messages.writeUnits / tests, note },
      { name: `streamTrips${testsPerSpec}`, measured: messages.trips / tests + authorizer, note },
    );
  }
  return measurements;
}
