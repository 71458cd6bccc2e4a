import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type AlarmTarget, addAlarm, MAXIMUM, SUM } from './alarm.ts';

const BUSY_PART = 0.8;

/** The limit and its metrics apply to the whole account, with its other applications. */
export function addCapacityAlarms(scope: Construct, watch: AlarmTarget, lambdaConcurrency: number): void {
  const metric = (metricName: string, options: MetricOptions) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, ...options });
  addAlarm(scope, 'ThrottledFunctions', watch, {
    metric: metric('Throttles', SUM),
    threshold: 1,
    harm: 'Clients get 5xx responses, or background work is late: Lambda throttles functions.',
    runbook: 'throttled-functions',
  });
  addAlarm(scope, 'RecursiveInvocations', watch, {
    metric: metric('RecursiveInvocationsDropped', SUM),
    threshold: 1,
    harm: 'Messages become dead letters although nothing failed: Lambda mistook them for a recursive loop.',
    runbook: 'recursive-invocations',
  });
  addAlarm(scope, 'ConcurrentFunctions', watch, {
    metric: metric('ConcurrentExecutions', MAXIMUM),
    threshold: Math.floor(BUSY_PART * lambdaConcurrency),
    harm: `No effect yet: ${100 * BUSY_PART} % of the account's Lambda concurrency is in use.`,
    runbook: 'concurrent-functions',
  });
}
