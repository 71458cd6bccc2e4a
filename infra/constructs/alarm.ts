import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** One heading each in infra/README.md. */
type Runbook =
  | 'function-errors'
  | 'authorizer-faults'
  | 'server-errors'
  | 'slow-answers'
  | 'throttled-reads'
  | 'throttled-writes'
  | 'dead-letters'
  | 'late-messages'
  | 'unfinished-runs'
  | 'dropped-runs'
  | 'late-stream'
  | 'passed-over-rows'
  | 'late-work'
  | 'failing-deliveries'
  | 'disabled-webhooks';

export interface AlarmProps {
  readonly metric: IMetric;
  /** Raised when the metric reaches this. */
  readonly threshold: number;
  /** Five-minute periods in a row. */
  readonly periods?: number;
  /** A sentence for the person who is woken: who is hurt, and how. */
  readonly whoIsHurt: string;
  readonly runbook: Runbook;
}

export const ALARM_PERIOD = Duration.minutes(5);

/** Raises nothing where the environment has no alarms, that is, no topic. */
export function addAlarm(scope: Construct, id: string, topic: ITopic | undefined, props: AlarmProps): void {
  if (topic === undefined) return;
  const alarm = new Alarm(scope, id, {
    metric: props.metric,
    threshold: props.threshold,
    evaluationPeriods: props.periods ?? 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `${props.whoIsHurt} Runbook: infra/README.md#${props.runbook}`,
  });
  alarm.addAlarmAction(new SnsAction(topic));
}
