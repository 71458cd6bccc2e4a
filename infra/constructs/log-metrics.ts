import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';

export interface LogMetricsProps {
  readonly environment: Environment;
  /** The name in the function's declaration. */
  readonly name: string;
  readonly logGroup: LogGroup;
  /** The names of the numeric fields in the function's log lines. Each field becomes a metric. */
  readonly numbers: readonly string[];
}

/** Metric filters on the log lines that shared/platform/log.ts writes. */
export class LogMetrics extends Construct {
  private readonly props: LogMetricsProps;
  private readonly filters = new Map<string, MetricFilter>();

  constructor(scope: Construct, id: string, props: LogMetricsProps) {
    super(scope, id);
    this.props = props;
    for (const number of props.numbers) {
      // CloudWatch bills a metric for every hour with a value, so zeros are not reported.
      this.add(number, FilterPattern.numberValue(`$.message.${number}`, '>', 0), `$.message.${number}`);
    }
  }

  /** Counts the matching lines, or sums a value in them. */
  add(metric: string, filterPattern: IFilterPattern, metricValue?: string): MetricFilter {
    const { environment, name, logGroup } = this.props;
    const filter = new MetricFilter(this, metric, {
      metricNamespace: 'Rundown',
      metricName: `${environment.name}-${name}-${metric}`,
      logGroup,
      filterPattern,
      ...(metricValue === undefined ? {} : { metricValue }),
    });
    this.filters.set(metric, filter);
    return filter;
  }

  find(number: string): MetricFilter {
    const filter = this.filters.get(number);
    if (!filter)
      throw new Error(`${this.props.name} does not declare the metric ${number}: add the metric to the declaration`);
    return filter;
  }
}

/** Metrics to which the logs of several functions contribute, so that one alarm watches all of them. */
const SHARED_METRICS = {
  /** Invocations of queues, schedules and streams that crashed, or ran out of memory or time. */
  failures: FilterPattern.all(
    FilterPattern.stringValue('$.type', '=', 'platform.report'),
    FilterPattern.stringValue('$.record.status', '!=', 'success'),
  ),
  /** Runs of schedules that stopped at their time limit. */
  unfinished: FilterPattern.booleanValue('$.message.finished', false),
} satisfies Readonly<Record<string, IFilterPattern>>;

type SharedMetric = keyof typeof SHARED_METRICS;

const formatSharedMetric = ({ name }: Environment, metric: SharedMetric) => ({
  metricNamespace: 'Rundown',
  metricName: `${name}-background-${metric}`,
});

export function addToSharedMetric(
  scope: Construct,
  id: string,
  metric: SharedMetric,
  { environment, logGroup }: { readonly environment: Environment; readonly logGroup: LogGroup },
): void {
  const filterPattern = SHARED_METRICS[metric];
  new MetricFilter(scope, id, { ...formatSharedMetric(environment, metric), logGroup, filterPattern });
}

export function findSharedMetric(environment: Environment, metric: SharedMetric): Metric {
  const { metricNamespace, metricName } = formatSharedMetric(environment, metric);
  return new Metric({ namespace: metricNamespace, metricName, statistic: 'Sum' });
}
