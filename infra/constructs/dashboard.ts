import {
  Alarm,
  AlarmStatusWidget,
  CfnAlarm,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  SearchExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { ALARM_PERIOD, makeApiMetric, SUM } from './alarm.ts';

/** The width of a dashboard, in columns. */
const WHOLE = 24;
const HALF = 12;

export interface DashboardProps {
  readonly environment: Environment;
  readonly table: ITable;
}

/** Call this function last, because the dashboard shows all alarms. */
export function addDashboard(scope: Construct, { environment, table }: DashboardProps): void {
  const { name } = environment;
  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: `rundown-${name}` });
  const alarms = listAlarms(scope);
  if (alarms.length > 0) dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, width: WHOLE }));
  dashboard.addWidgets(
    makeGraph(
      'Requests and errors',
      ['Count', '4XXError', '5XXError'].map((metric) => makeApiMetric(name, metric, 'Sum')),
    ),
    makeGraph(
      'Latency in milliseconds',
      ['p50', 'p90', 'p99'].map((statistic) => makeApiMetric(name, 'Latency', statistic)),
    ),
  );
  const ofFunctions = (metric: string, statistic: string) =>
    makeSearchExpression('AWS/Lambda,FunctionName', metric, statistic, name);
  dashboard.addWidgets(
    makeGraph('Errors and throttles by function', [ofFunctions('Errors', 'Sum'), ofFunctions('Throttles', 'Sum')]),
    makeGraph('Concurrent executions', [ofFunctions('ConcurrentExecutions', 'Maximum')]),
  );
  dashboard.addWidgets(
    makeGraph(
      'Table capacity and throttles',
      ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents'].map(
        (metric) => table.metric(metric, SUM),
      ),
    ),
    makeGraph('Messages by queue', [
      makeSearchExpression('AWS/SQS,QueueName', 'ApproximateNumberOfMessagesVisible', 'Maximum', name),
    ]),
  );
}

const makeGraph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: HALF });

/** CloudWatch evaluates it at each display, so the dashboard shows the functions and queues of that time. */
const makeSearchExpression = (
  schema: string,
  metric: string,
  statistic: string,
  environment: string,
): SearchExpression =>
  new SearchExpression({
    expression: `SEARCH('{${schema}} MetricName="${metric}" rundown ${environment}', '${statistic}', ${ALARM_PERIOD.toSeconds()})`,
    period: ALARM_PERIOD,
  });

/** Imported by name, because references would add one output per alarm to the nested stacks. */
const listAlarms = (scope: Construct) =>
  scope.node
    .findAll()
    .flatMap((construct) =>
      construct instanceof CfnAlarm && construct.alarmName !== undefined ? [construct.alarmName] : [],
    )
    .map((name) => Alarm.fromAlarmName(scope, `Shown-${name}`, name));
