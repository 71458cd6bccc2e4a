/** Runs the checks one after another, because later checks use the results of earlier checks. */

import type { CheckFindings, DeploymentCheck } from './check.ts';
import { type CheckedDeployment, type DeploymentToCheck, makeCheckedDeployment } from './deployment.ts';
import { NotHere, Wrong } from './outcome.ts';

export interface CheckResult extends Pick<DeploymentCheck, 'area' | 'name'> {
  readonly result: 'passed' | 'measured' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly details?: readonly string[];
  /** Why the check failed or was skipped. */
  readonly problem?: string;
  readonly fix?: string;
}

interface CheckOptions extends DeploymentToCheck {
  readonly checks: readonly DeploymentCheck[];
  readonly onStart: (check: DeploymentCheck) => void;
  readonly onEnd: (result: CheckResult) => void;
}

/** Aborting the signal ends the checks. The data that the checks created is removed nevertheless. */
export async function runChecks({ checks, signal, onStart, onEnd, ...options }: CheckOptions): Promise<CheckResult[]> {
  const findings: CheckFindings = {};
  const results: CheckResult[] = [];
  const deployment = makeCheckedDeployment({ ...options, signal });
  const deploymentToCleanUp = makeCheckedDeployment({ ...options, signal: new AbortController().signal });
  for (const check of checks) {
    if (signal.aborted && !check.isCleanUp) continue;
    onStart(check);
    const result = await runCheck(check, check.isCleanUp ? deploymentToCleanUp : deployment, findings);
    results.push(result);
    onEnd(result);
    if (check.isRequired && result.result === 'failed') break;
  }
  findings.receiver?.close();
  return results;
}

async function runCheck(
  check: DeploymentCheck,
  deployment: CheckedDeployment,
  findings: CheckFindings,
): Promise<CheckResult> {
  const { area, name, fix, run, isMeasurement } = check;
  const startTime = performance.now();
  const summarize = () => ({ area, name, seconds: Math.round(performance.now() - startTime) / 1000 });
  try {
    const details = await run(deployment, findings);
    return { ...summarize(), result: isMeasurement ? 'measured' : 'passed', ...(details && { details }) };
  } catch (error) {
    if (deployment.signal.aborted) return { ...summarize(), result: 'skipped', problem: 'interrupted' };
    const problem = error instanceof Error ? error.message : String(error);
    if (error instanceof NotHere) return { ...summarize(), result: 'skipped', problem };
    return { ...summarize(), result: 'failed', problem, fix: (error instanceof Wrong ? error.fix : undefined) ?? fix };
  }
}
