/** Says that an organization has used most of its requests for the month. */
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type AlarmTarget, addAlarm, SUM } from './alarm.ts';

/** Counts the lines of `logUsage`. Every function that checks credentials may write them, so each needs a filter. */
export function countUsedMonths(
  scope: Construct,
  { environment, alarmTopics }: AlarmTarget,
  logGroup: LogGroup,
): Metric | undefined {
  // CloudWatch bills the metric, and only the alarm reads it.
  if (alarmTopics === undefined) return undefined;
  const filter = new MetricFilter(scope, 'UsedMonths', {
    metricNamespace: 'Rundown',
    metricName: `${environment.name}-requests-near-limit`,
    logGroup,
    filterPattern: FilterPattern.stringValue('$.message.message', '=', 'limit of requests'),
  });
  return filter.metric(SUM);
}

export function addRequestsAlarm(scope: Construct, watch: AlarmTarget, logGroup: LogGroup): void {
  const metric = countUsedMonths(scope, watch, logGroup);
  if (metric === undefined) return;
  addAlarm(scope, 'RequestsLimit', watch, {
    metric,
    threshold: 1,
    harm: 'Requests of an organization, and finally its results, may be refused: it has used 80 % or all of its requests for this month.',
    runbook: 'requests-limit',
  });
}
