import {
  Alarm,
  AlarmStatusWidget,
  CfnAlarm,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Metric,
  SearchExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { ALARM_PERIOD } from './alarm.ts';

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
  dashboard.addWidgets(...ofGateway(name));
  dashboard.addWidgets(...ofFunctions(name));
  dashboard.addWidgets(...ofStores(name, table));
}

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: HALF });

function ofGateway(environment: string): IWidget[] {
  const metric = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiName: `rundown-${environment}`, Stage: environment },
      statistic,
      period: ALARM_PERIOD,
    });
  return [
    graph(
      'Requests and errors',
      ['Count', '4XXError', '5XXError'].map((name) => metric(name, 'Sum')),
    ),
    graph(
      'Latency in milliseconds',
      ['p50', 'p90', 'p99'].map((statistic) => metric('Latency', statistic)),
    ),
  ];
}

function ofFunctions(environment: string): IWidget[] {
  const metric = (name: string, statistic: string) => searched('AWS/Lambda,FunctionName', name, statistic, environment);
  return [
    graph('Errors and throttles by function', [metric('Errors', 'Sum'), metric('Throttles', 'Sum')]),
    graph('Concurrent executions', [metric('ConcurrentExecutions', 'Maximum')]),
  ];
}

function ofStores(environment: string, table: ITable): IWidget[] {
  const metric = (name: string) => table.metric(name, { statistic: 'Sum', period: ALARM_PERIOD });
  const queue = (name: string) => searched('AWS/SQS,QueueName', name, 'Maximum', environment);
  return [
    graph(
      'Table capacity and throttles',
      ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents'].map(
        metric,
      ),
    ),
    graph('Messages by queue', [queue('ApproximateNumberOfMessagesVisible')]),
  ];
}

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
