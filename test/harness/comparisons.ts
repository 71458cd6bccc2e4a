/** Records runs to compare, and reads the results of comparisons. */
import { expect } from 'vitest';
import type { RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import type { Client } from './client.ts';
import { type GroupOfRun, type RecordedRun, recordRun } from './recording.ts';
import { uploadRun } from './recording-batch.ts';
import { COMMIT, type TestName, type TestState } from './recording-messages.ts';
import { clock, type Tenant } from './service.ts';

export const onBranch = (branch: string) => ({ commit: { ...COMMIT, branch } });

type Tests = Readonly<Record<TestName, TestState | undefined>>;

/** Records a run of one group, one second after the previous run. */
export const runOf = (tenant: Tenant, ciBuildId: string, tests: Tests, branch = 'main'): Promise<RecordedRun> =>
  runWith(tenant, ciBuildId, { retail: { tests } }, branch);

/**
 * Records a run of one group with a batch upload, one second after the previous run. Every test needs a result, and
 * none may be skipped.
 */
export function batch(
  tenant: Tenant,
  ciBuildId: string,
  tests: Readonly<Record<TestName, TestState>>,
  branch = 'main',
): ReturnType<typeof uploadRun> {
  clock.advance(1000);
  return uploadRun(tenant, tests, { ciBuildId, ...onBranch(branch) });
}

export function runWith(
  tenant: Tenant,
  ciBuildId: string,
  groups: Readonly<Record<string, GroupOfRun>>,
  branch = 'main',
): Promise<RecordedRun> {
  clock.advance(1000);
  return recordRun(tenant, groups, { ciBuildId, ...onBranch(branch) });
}

export async function comparisonOf(reader: Client, runId: string, query = ''): Promise<RunComparison> {
  const { status, body } = await reader.get(`/runs/${runId}/comparison${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

/** The sorted test names of each section that is not empty, for example `retail cart.spec.ts > cart > sums`. */
export const namesIn = ({ sections }: RunComparison): Record<string, string[]> =>
  Object.fromEntries(
    sections
      .filter(({ tests }) => tests.length > 0)
      .map(({ verdict, tests }) => [
        verdict,
        tests.map(({ groupId, spec, title }) => [`${groupId} ${spec}`, ...title].join(' > ')).sort(),
      ]),
  );
