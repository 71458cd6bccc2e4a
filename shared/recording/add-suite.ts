/** Adds the suite of a request to a run, and creates the run if there is none. One machine does it for all. */
import { lookup } from '#shared/engine/table/found.ts';
import { createRun, type NewRun } from '#shared/lifecycle/create-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { machineOf } from './machine.ts';
import type { CreateRunBody } from './run-wire.ts';
import { storeOnce } from './store-once.ts';
import { storeSuite, suiteDigest, suiteOf } from './suite.ts';

/** Whether the request contains a suite that the run lacks. Only the first request of a batch upload contains one. */
export const lacksSuite = ({ suites }: Run, body: CreateRunBody): boolean =>
  (body.fullTestSuite ?? []).length > 0 && suites[suiteDigest(suiteOf(body))] === undefined;

/**
 * Adds the suite of a request. `owner` identifies the logical request, so that a retry does not wait for the lock of
 * its predecessor.
 */
export async function addSuite(
  services: Services,
  to: { readonly run: Run } | { readonly beginning: NewRun },
  body: CreateRunBody,
  owner: string,
  late = { mayBeLate: false },
): Promise<void> {
  const suite = suiteOf(body);
  const { organizationId, runId } = 'run' in to ? to.run : to.beginning;
  const digest = suiteDigest(suite);
  const evidence = {
    row: lookup(runs, { organizationId, runId }),
    isStored: ({ suites }: Run) => suites[digest] !== undefined,
  };
  await storeOnce(services, { organizationId, runId, suite: digest, owner }, evidence, async () => {
    const run = 'run' in to ? to.run : await createRun(services, to.beginning);
    await storeSuite(services, run, suite, machineOf(body), late);
  });
}
