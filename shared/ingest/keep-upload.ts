/** Adds the results of a batch upload to an instance. */

import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Claim, type Instance, instances, newInstance, withClaim } from '#shared/model/tests/instance.ts';
import type { CountedTest } from '#shared/model/tests/outcomes.ts';
import type { TestRecord } from '#shared/model/tests/test-record.ts';
import { uploadTallies } from '#shared/model/tests/upload-tally.ts';
import type { CoreServices } from '#shared/services.ts';
import { tooManyTests } from './errors.ts';
import { distinctTags, loadResults } from './instance-results.ts';

type Key = Pick<Instance, 'organizationId' | 'runId' | 'instanceId' | 'groupId' | 'spec' | 'expiry'>;

/** The part of an upload that the instance counts. */
export interface Brought {
  /** The results by the `testKey` of the test. */
  readonly results: Readonly<Record<string, CountedTest>>;
  readonly testTags: readonly string[];
}

/** The state of the instance before the upload. `records` holds the streamed tests that the upload replaces. */
export interface InstanceBefore {
  readonly wasUploaded: boolean;
  /** Tests whose row has no message yet, only the `watched` mark. */
  readonly stubs: readonly string[];
  readonly records: readonly TestRecord[];
}

export async function addToTally(services: CoreServices, key: Key, brought: Brought): Promise<InstanceBefore> {
  const { table } = services;
  let before: InstanceBefore = { wasUploaded: false, stubs: [], records: [] };
  await optimistically('uploaded results of an instance', async () => {
    const { tally, records, stubs, expected, reported } = await loadResults(services, key, { consistent: true });
    const replaced = records.filter(({ testKey }) => brought.results[testKey] !== undefined);
    const all = new Set([...expected, ...reported.keys(), ...Object.keys(brought.results)]);
    if (all.size > MODEL_LIMITS.testsPerSpec) throw tooManyTests(MODEL_LIMITS.testsPerSpec);
    before = { wasUploaded: tally !== undefined, stubs, records: replaced };
    const version = (tally?.version ?? 0) + 1 + replaced.reduce((sum, { finals }) => sum + finals, 0);
    const results = { ...tally?.results, ...brought.results };
    const testTags = distinctTags([...(tally?.testTags ?? []), ...brought.testTags]);
    const when = tally ? { path: 'version', equals: tally.version } : ABSENT;
    const { organizationId, instanceId, expiry } = key;
    const row = { organizationId, instanceId, version, results, testTags, expiresAt: expiry.results };
    const { done } = await table.put(uploadTallies, row, when);
    return done;
  });
  return before;
}

/** Adds the claim of the upload. The first upload also sets `recordedAt`, the time of its results in the history. */
export async function claimForUpload({ table, now }: CoreServices, key: Key, claim: Claim): Promise<Instance> {
  let known = await table.get(instances, key, { consistent: true });
  const at = now();
  if (!known) {
    const row = {
      ...newInstance({ ...key, createdAt: at }),
      claims: withClaim([], claim),
      recordedAt: at,
      heardAt: at,
    };
    const created = await table.put(instances, row, ABSENT);
    if (created.done) return row;
    known = created.existing;
  }
  await optimistically('claims of an instance', async () => {
    if (!known) return true;
    const changes = {
      set: [
        ['claims', withClaim(known.claims, claim)],
        ['heardAt', now()],
      ] as const,
      setIfAbsent: [['recordedAt', now()] as const],
    };
    const outcome = await table.update(instances, key, changes, { path: 'claims', equals: known.claims });
    known = outcome.done ? outcome.item : outcome.existing;
    return outcome.done;
  });
  if (!known) throw new Error(`The instance ${key.instanceId} was deleted while its results were uploaded`);
  return known;
}
