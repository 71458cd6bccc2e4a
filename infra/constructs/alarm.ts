import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { formatPhysicalName } from './physical-name.ts';

/** The runbooks of alarms: headings in infra/README.md. */
type Runbook =
  | 'function-errors'
  | 'authorizer-faults'
  | 'throttled-functions'
  | 'recursive-invocations'
  | 'concurrent-functions'
  | 'failing-requests'
  | 'slow-answers'
  | 'error-budget'
  | 'many-requests'
  | 'refused-requests'
  | 'refused-recordings'
  | 'requests-limit'
  | 'storage-limit'
  | 'throttled-reads'
  | 'throttled-writes'
  | 'dead-letters'
  | 'late-messages'
  | 'unfinished-runs'
  | 'dropped-runs'
  | 'late-stream'
  | 'passed-over-rows'
  | 'parked-rows'
  | 'damaged-results'
  | 'late-work'
  | 'failing-deliveries'
  | 'disabled-notifications'
  | 'disabled-webhooks';

/** `urgent`: somebody is woken, because users lose results or the service now. `warning`: it can wait until morning. */
export type Severity = 'urgent' | 'warning';

export type AlarmTopics = Readonly<Record<Severity, ITopic>>;

export interface AlarmTarget {
  readonly environment: Environment;
  /** `undefined` if the environment has no alarms. */
  readonly alarmTopics: AlarmTopics | undefined;
}

export interface AlarmProps {
  readonly metric: IMetric;
  /** Default: `warning`. */
  readonly severity?: Severity;
  /** For example `deliverWebhook`, if several alarms share a runbook. It becomes part of the name of the alarm. */
  readonly subject?: string;
  /** The alarm is triggered if the metric reaches or exceeds this value. */
  readonly threshold: number;
  /** The number of consecutive periods of the metric that must reach the threshold. Default: 1. */
  readonly periods?: number;
  /** A sentence for the person on call: who is affected, and how. */
  readonly harm: string;
  readonly runbook: Runbook;
}

export const ALARM_PERIOD = Duration.minutes(5);

/** A few errors are normal and are retried: functions of old containers, a time-out, a deployment. */
export const SEVERAL_ERRORS = 10;
export const ERROR_PERIOD = Duration.hours(1);

export const SUM = { statistic: 'Sum', period: ALARM_PERIOD };
export const MAXIMUM = { statistic: 'Maximum', period: ALARM_PERIOD };

export const makeApiMetric = (environment: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: `rundown-${environment}`, Stage: environment },
    statistic,
    period: ALARM_PERIOD,
  });

/** Does nothing if the environment has no alarms. */
export function addAlarm(
  scope: Construct,
  id: string,
  { environment, alarmTopics }: AlarmTarget,
  props: AlarmProps,
): void {
  if (alarmTopics === undefined) return;
  const { severity = 'warning', subject, metric, threshold, periods = 1, harm, runbook } = props;
  const alarm = new Alarm(scope, id, {
    alarmName: formatPhysicalName(environment, subject === undefined ? runbook : `${subject}-${runbook}`),
    metric,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `${harm} Runbook: infra/README.md#${runbook}`,
  });
  const notice = new SnsAction(alarmTopics[severity]);
  alarm.addAlarmAction(notice);
  alarm.addOkAction(notice);
}
