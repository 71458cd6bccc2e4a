/**
 * Adds the test suite of a request to a run, and creates the run if it does not exist. If all machines of a build send
 * the same suite, only one of them stores it.
 */
import { makeLookup } from '#shared/engine/table/found.ts';
import { createRun, type NewRun } from '#shared/lifecycle/create-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { machineOf } from './machine.ts';
import type { CreateRunBody } from './run-wire.ts';
import { storeOnce } from './store-once.ts';
import { storeSuite, suiteDigest, suiteOf } from './suite.ts';

/**
 * Whether the request contains a suite that the run does not contain yet. In a batch upload, only the first request
 * contains a suite.
 */
export const lacksSuite = ({ suites }: Run, body: CreateRunBody): boolean =>
  (body.fullTestSuite ?? []).length > 0 && suites[suiteDigest(suiteOf(body))] === undefined;

/** `owner` identifies the request across retries, so that a retry does not wait for the lock of an earlier attempt. */
export async function addSuite(
  services: Services,
  to: { readonly run: Run } | { readonly beginning: NewRun },
  body: CreateRunBody,
  owner: string,
): Promise<void> {
  const suite = suiteOf(body);
  const { organizationId, runId } = 'run' in to ? to.run : to.beginning;
  const digest = suiteDigest(suite);
  const evidence = {
    row: makeLookup(runs, { organizationId, runId }),
    isStored: ({ suites }: Run) => suites[digest] !== undefined,
  };
  await storeOnce(services, { organizationId, runId, suite: digest, owner }, evidence, async () => {
    const run = 'run' in to ? to.run : await createRun(services, to.beginning);
    await storeSuite(services, run, suite, machineOf(body));
  });
}
