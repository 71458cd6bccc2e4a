/** Runs the checks one after the other, because later ones use what earlier ones found. */
import type { CheckFindings, DeploymentCheck } from './check.ts';
import { type CheckedDeployment, deploymentAt } from './deployment.ts';
import { NotHere, Wrong } from './outcome.ts';

export interface CheckResult extends Pick<DeploymentCheck, 'area' | 'name'> {
  readonly result: 'passed' | 'measured' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly details?: readonly string[];
  /** Why the check failed or was skipped. */
  readonly problem?: string;
  readonly fix?: string;
}

interface Options extends Pick<CheckedDeployment, 'origin' | 'key' | 'projectId' | 'receiver'> {
  readonly checks: readonly DeploymentCheck[];
  /** Aborting this signal ends the checks. What they created is removed nevertheless. */
  readonly signal: AbortSignal;
  readonly onStart: (check: DeploymentCheck) => void;
  readonly onEnd: (result: CheckResult) => void;
}

export async function verify({ checks, signal, onStart, onEnd, ...options }: Options): Promise<CheckResult[]> {
  const found: CheckFindings = {};
  const results: CheckResult[] = [];
  const deployment = deploymentAt({ ...options, signal });
  const cleaning = deploymentAt({ ...options, signal: new AbortController().signal });
  for (const check of checks) {
    if (signal.aborted && !check.isCleanUp) continue;
    onStart(check);
    const result = await resultOf(check, check.isCleanUp ? cleaning : deployment, found);
    results.push(result);
    onEnd(result);
    if (check.isRequired && result.result === 'failed') break;
  }
  found.receiver?.close();
  return results;
}

async function resultOf(
  check: DeploymentCheck,
  deployment: CheckedDeployment,
  found: CheckFindings,
): Promise<CheckResult> {
  const { area, name, fix, run, isMeasurement } = check;
  const started = performance.now();
  const ended = () => ({ area, name, seconds: Math.round(performance.now() - started) / 1000 });
  try {
    const details = await run(deployment, found);
    return { ...ended(), result: isMeasurement ? 'measured' : 'passed', ...(details && { details }) };
  } catch (error) {
    if (deployment.signal.aborted) return { ...ended(), result: 'skipped', problem: 'interrupted' };
    const problem = error instanceof Error ? error.message : String(error);
    if (error instanceof NotHere) return { ...ended(), result: 'skipped', problem };
    return { ...ended(), result: 'failed', problem, fix: (error instanceof Wrong ? error.fix : undefined) ?? fix };
  }
}
