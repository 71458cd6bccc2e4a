/** Finds the test failure that a request about an issue names. */
import { readTestContext } from '#shared/context/read-test.ts';
import { invalidRequest } from '#shared/engine/errors.ts';
import { classifyError } from '#shared/errors/classify.ts';
import { maskText } from '#shared/masking/masking.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { findTarget } from '#shared/results/executions/find-target.ts';
import type { Target } from '#shared/results/executions/target-wire.ts';
import type { Services } from '#shared/services.ts';
import type { TestFailure } from './issue-text.ts';

export interface FoundFailure extends TestFailure {
  readonly signature: string;
  readonly spec: string;
  readonly testTitle: readonly string[];
  /** Absent for a test without an error. */
  readonly fingerprint: string | undefined;
}

/** Throws an error if the request names no test, or several. */
export async function findFailure(
  services: Services,
  { organizationId, projectId, ...target }: Target & ProjectKey,
): Promise<FoundFailure> {
  const { run, instanceId, testId, attempt } = await findTarget(services, { ...target, organizationId, projectId });
  if (instanceId === undefined || testId === undefined)
    throw invalidRequest('An issue is about one test. Send its `testId` or its `title`', ['testId']);
  const context = await readTestContext(services, { organizationId, instanceId, testId, attempt });
  const { error } = context;
  return {
    origin: services.origin,
    run,
    context,
    signature: context.meta.signature,
    spec: context.spec,
    testTitle: context.test.title,
    // Masks secrets first, so that the error has the same fingerprint as in analytics.
    fingerprint: error
      ? classifyError({ message: maskText(error.message), stack: error.stack }).fingerprint
      : undefined,
  };
}
