/** The declaration of a check. */
import type { CheckedDeployment } from './deployment.ts';
import type { TestReceiver } from './receiver.ts';

export interface DeploymentCheck {
  readonly area: string;
  /** A guarantee of the deployment, as a sentence. */
  readonly name: string;
  /** How to fix a failure. A check can throw an error with a more specific hint instead. */
  readonly fix: string;
  /** Whether no further check runs if this check fails. */
  readonly isRequired?: true;
  readonly isMeasurement?: true;
  /** Whether the check removes what other checks created. Such a check runs even after Ctrl-C. */
  readonly isCleanUp?: true;
  /** Returns lines with details, if any. Throws `Wrong` or `NotHere` (outcome.ts). */
  readonly run: (deployment: CheckedDeployment, findings: CheckFindings) => Promise<readonly string[]> | Promise<void>;
}

export const defineChecks = (
  area: string,
  checks: readonly Omit<DeploymentCheck, 'area'>[],
): readonly DeploymentCheck[] => checks.map((check) => ({ area, ...check }));

/** The results of earlier checks, for the later checks that need them. */
export interface CheckFindings {
  project?: { readonly projectId: string; readonly name: string };
  /** The webhook receiver on this machine. It stays open until all checks have ended. */
  receiver?: TestReceiver;
  webhook?: { readonly hookId: string; readonly isReached: (statusCode: number) => boolean };
  run?: { readonly runId: string; readonly isReported: boolean };
}
