/** What a check is. */
import type { CheckedDeployment } from './deployment.ts';
import type { TestReceiver } from './receiver.ts';

export interface DeploymentCheck {
  readonly area: string;
  /** A guarantee of the deployment, as a sentence. */
  readonly name: string;
  /** What to do if it does not hold, unless the check knows better. */
  readonly fix: string;
  /** Whether the others are left out if this one fails. */
  readonly isRequired?: true;
  /** Whether it tells figures, which are neither right nor wrong. */
  readonly isMeasurement?: true;
  /** Whether it removes what other checks made. It then also runs after Ctrl-C. */
  readonly isCleanUp?: true;
  /** Returns lines that tell more, if any. Throws `Wrong` or `NotHere` of outcome.ts. */
  readonly run: (deployment: CheckedDeployment, found: CheckFindings) => Promise<readonly string[] | undefined>;
}

/** What checks found or made, for later ones. */
export interface CheckFindings {
  project?: { readonly projectId: string; readonly name: string };
  /** Listens until the end of all checks. */
  receiver?: TestReceiver;
  webhook?: { readonly hookId: string; readonly isReached: (statusCode: number) => boolean };
  run?: { readonly runId: string; readonly isReported: boolean };
}
