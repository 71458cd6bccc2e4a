/** Adds a suite to a run, which it creates if needed. If all machines send the same suite, only one stores it. */
import { makeLookup } from '#shared/engine/table/found.ts';
import { createRun, type NewRun } from '#shared/lifecycle/create-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { storeOnce } from './store-once.ts';
import { completeSuite, hashSuite, type SuiteRequest, storeSuite } from './suite.ts';

/** In a batch upload, only the first request contains a suite. */
export const isSuiteMissing = ({ suites }: Run, request: SuiteRequest): boolean =>
  request.suite.length > 0 && suites[hashSuite(completeSuite(request))] === undefined;

/**
 * Returns the run if another machine has stored the suite, as it is then. `owner` identifies the request across retries, so that a retry does not wait for
 * the lock of an earlier attempt.
 */
export async function addSuite(
  services: Services,
  target: { readonly run: Run } | { readonly beginning: NewRun },
  request: SuiteRequest,
  owner: string,
): Promise<Run | undefined> {
  const { organizationId, runId } = 'run' in target ? target.run : target.beginning;
  const digest = hashSuite(completeSuite(request));
  const evidence = {
    row: makeLookup(runs, { organizationId, runId }),
    isStored: ({ suites }: Run) => suites[digest] !== undefined,
  };
  return storeOnce(services, { organizationId, runId, suite: digest, owner }, evidence, async () => {
    const run = 'run' in target ? target.run : await createRun(services, target.beginning);
    await storeSuite(services, run, request);
  });
}
