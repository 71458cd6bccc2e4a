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
import { ALARM_PERIOD, apiMetric, SUM } from './alarm.ts';

/** The width of a dashboard, in columns. */
const WHOLE = 24;
const HALF = 12;

export interface DashboardProps {
  readonly environment: Environment;
  readonly table: ITable;
}

/** Adds the dashboard of the environment. Call this function last, because the dashboard shows all alarms. */
export function addDashboard(scope: Construct, { environment, table }: DashboardProps): void {
  const { name } = environment;
  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: `rundown-${name}` });
  const alarms = alarmsIn(scope);
  if (alarms.length > 0) dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, width: WHOLE }));
  dashboard.addWidgets(
    graph(
      'Requests and errors',
      ['Count', '4XXError', '5XXError'].map((metric) => apiMetric(name, metric, 'Sum')),
    ),
    graph(
      'Latency in milliseconds',
      ['p50', 'p90', 'p99'].map((statistic) => apiMetric(name, 'Latency', statistic)),
    ),
  );
  const ofFunctions = (metric: string, statistic: string) =>
    searched('AWS/Lambda,FunctionName', metric, statistic, name);
  dashboard.addWidgets(
    graph('Errors and throttles by function', [ofFunctions('Errors', 'Sum'), ofFunctions('Throttles', 'Sum')]),
    graph('Concurrent executions', [ofFunctions('ConcurrentExecutions', 'Maximum')]),
  );
  dashboard.addWidgets(
    graph(
      'Table capacity and throttles',
      ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents'].map(
        (metric) => table.metric(metric, SUM),
      ),
    ),
    graph('Messages by queue', [searched('AWS/SQS,QueueName', 'ApproximateNumberOfMessagesVisible', 'Maximum', name)]),
  );
}

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: HALF });

/**
 * A search expression. CloudWatch evaluates it whenever it displays the dashboard, so the dashboard always shows the
 * functions and queues that exist at that time.
 */
const searched = (schema: string, metric: string, statistic: string, environment: string): SearchExpression =>
  new SearchExpression({
    expression: `SEARCH('{${schema}} MetricName="${metric}" rundown ${environment}', '${statistic}', ${ALARM_PERIOD.toSeconds()})`,
    period: ALARM_PERIOD,
  });

/**
 * The alarms of the stack, imported by name, because references would add one output per alarm to the nested stacks.
 */
const alarmsIn = (scope: Construct) =>
  scope.node
    .findAll()
    .flatMap((found) => (found instanceof CfnAlarm && found.alarmName !== undefined ? [found.alarmName] : []))
    .map((name) => Alarm.fromAlarmName(scope, `Shown-${name}`, name));
