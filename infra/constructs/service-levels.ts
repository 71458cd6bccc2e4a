/**
 * Service levels of recording and of reading, and the alarms that watch how fast their errors use up the budget of a
 * month. The method is that of "Alerting on SLOs" in Google's Site Reliability Workbook, with one window per alarm.
 */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type AlarmTarget, addAlarm, type Severity, SUM } from './alarm.ts';
import type { ApiRoute } from './api-definition.ts';

const KINDS = ['recording', 'reading'] as const;
type Kind = (typeof KINDS)[number];

interface ServiceLevel {
  /** The share of requests that are not answered with 5xx. */
  readonly availablePercent: number;
  /** The share of requests that are answered within `milliseconds`. */
  readonly quickPercent: number;
  readonly milliseconds: number;
  readonly errorHarm: string;
  readonly latencyHarm: string;
}

const SERVICE_LEVELS: Readonly<Record<Kind, ServiceLevel>> = {
  recording: {
    availablePercent: 99.9,
    quickPercent: 99,
    milliseconds: 2000,
    errorHarm: 'CI jobs cannot record results, and reporters that give up keep or lose them',
    latencyHarm: 'CI jobs wait for the service while they record results',
  },
  reading: {
    availablePercent: 99.9,
    quickPercent: 99,
    milliseconds: 5000,
    errorHarm: 'People, scripts and agents who read results see errors',
    latencyHarm: 'People, scripts and agents wait for results',
  },
};

interface Burn {
  readonly severity: Severity;
  readonly hours: number;
  /** How many times faster than allowed errors use up the budget of a month of 30 days. */
  readonly rate: number;
  readonly budgetPercent: number;
}

/**
 * The window slides and is evaluated every minute, so that an outage of all requests is noticed within a minute or two.
 * The Workbook adds a second, shorter window, which only ends the alarm sooner and needs a composite alarm for $0.50.
 */
const BURNS: readonly Burn[] = [
  { severity: 'urgent', hours: 1, rate: 14.4, budgetPercent: 2 },
  { severity: 'warning', hours: 6, rate: 6, budgetPercent: 5 },
];

/** So that a single error among few requests wakes nobody. */
const LEAST_FAILURES = 10;

/** In five minutes. A few are refused and repeated with success when many machines start at the same time. */
const REFUSED_RECORDINGS = 20;

/** CloudWatch Logs quota. Filters of the same metric add up. */
const PATTERN_CHARACTERS = 1024;

/** What agents ask by this operation is mostly reading. */
const AGENT_OPERATION = 'POST /mcp';

/** A request that no route matches has no path in the access log. */
const WITHOUT_ROUTE = 'GET -';

const isOperation = (operation: string) => FilterPattern.stringValue('$.operation', '=', operation);
const isNotOperation = (operation: string) => FilterPattern.stringValue('$.operation', '!=', operation);

/** Forms and changes of settings are of neither kind. `condition` narrows the pattern further. */
function buildPatterns(kind: Kind, routes: readonly ApiRoute[], condition?: JsonPattern): JsonPattern[] {
  const recording = routes.filter(({ isRecording }) => isRecording).map(({ method, path }) => `${method} ${path}`);
  const narrow = (pattern: JsonPattern) => (condition === undefined ? pattern : FilterPattern.all(pattern, condition));
  if (kind === 'recording') return splitOperations(recording, narrow);
  const others = [WITHOUT_ROUTE, ...recording.filter((operation) => operation.startsWith('GET '))];
  const reads = FilterPattern.any(isOperation('GET *'), isOperation(AGENT_OPERATION));
  return [narrow(FilterPattern.all(reads, ...others.map(isNotOperation)))];
}

/** As few patterns as the quota allows. */
function splitOperations(operations: readonly string[], narrow: (pattern: JsonPattern) => JsonPattern): JsonPattern[] {
  const patterns: JsonPattern[] = [];
  let part: string[] = [];
  const build = (list: readonly string[]) => narrow(FilterPattern.any(...list.map(isOperation)));
  for (const operation of operations) {
    if (build([...part, operation]).logPatternString.length > PATTERN_CHARACTERS) {
      patterns.push(build(part));
      part = [];
    }
    part.push(operation);
  }
  return [...patterns, build(part)];
}

export interface ServiceLevelProps extends AlarmTarget {
  readonly accessLog: LogGroup;
  readonly routes: readonly ApiRoute[];
}

export class ServiceLevels extends Construct {
  private readonly props: ServiceLevelProps;

  constructor(scope: Construct, id: string, props: ServiceLevelProps) {
    super(scope, id);
    this.props = props;
    // CloudWatch bills these metrics, and only alarms read them.
    if (props.alarmTopics === undefined) return;
    for (const kind of KINDS) this.watch(kind);
    this.watchRefusals();
  }

  /** Reporters repeat a refused request for less than a minute. Then the published one drops the result. */
  private watchRefusals(): void {
    const refusals = this.measure('recording', 'refusals', FilterPattern.stringValue('$.status', '=', '429'));
    addAlarm(this, 'RefusedRecordings', this.props, {
      severity: 'urgent',
      metric: refusals.with(SUM),
      threshold: REFUSED_RECORDINGS,
      periods: 2,
      harm: 'CI jobs lose results, or keep them to send them later: requests to record have been refused by limits for ten minutes.',
      runbook: 'refused-recordings',
    });
  }

  private watch(kind: Kind): void {
    const level = SERVICE_LEVELS[kind];
    // Each value is a time, so that people see percentiles, and the number of values is that of the requests.
    const requests = this.measure(kind, 'milliseconds', undefined, '$.milliseconds');
    const faults = this.measure(kind, 'faults', FilterPattern.stringValue('$.status', '=', '5*'));
    const slow = this.measure(kind, 'slow', FilterPattern.numberValue('$.milliseconds', '>', level.milliseconds));
    for (const burn of BURNS) {
      const { hours, rate, budgetPercent, severity } = burn;
      const window = Duration.hours(hours);
      const share = (bad: Metric) =>
        new MathExpression({
          expression: `IF(bad >= ${LEAST_FAILURES}, 100 * bad / requests, 0)`,
          usingMetrics: {
            bad: bad.with({ statistic: 'Sum', period: window }),
            requests: requests.with({ statistic: 'SampleCount', period: window }),
          },
          period: window,
        });
      const spends = `within ${hours} h. This is ${budgetPercent} % of what may fail in a month`;
      const errorPercent = burnThreshold(level.availablePercent, rate);
      const slowPercent = burnThreshold(level.quickPercent, rate);
      addAlarm(this, `${kind}Errors${hours}`, this.props, {
        severity,
        metric: share(faults),
        threshold: errorPercent,
        harm: `${level.errorHarm}: at least ${errorPercent} % of requests got 5xx responses ${spends}.`,
        ...(severity === 'urgent'
          ? { subject: kind, runbook: 'failing-requests' }
          : { subject: `${kind}Errors`, runbook: 'error-budget' }),
      });
      addAlarm(this, `${kind}Latency${hours}`, this.props, {
        severity,
        metric: share(slow),
        threshold: slowPercent,
        harm: `${level.latencyHarm}: at least ${slowPercent} % of requests took longer than ${level.milliseconds / 1000} s ${spends}.`,
        ...(severity === 'urgent'
          ? { subject: kind, runbook: 'slow-answers' }
          : { subject: `${kind}Latency`, runbook: 'error-budget' }),
      });
    }
  }

  /** Filters of one metric add up. */
  private measure(kind: Kind, name: string, condition?: JsonPattern, metricValue = '1'): Metric {
    const { accessLog, environment, routes } = this.props;
    const metricNamespace = 'Rundown';
    const metricName = `${environment.name}-${kind}-${name}`;
    buildPatterns(kind, routes, condition).forEach((filterPattern, index) => {
      new MetricFilter(this, `${kind}-${name}${index + 1}`, {
        logGroup: accessLog,
        filterPattern,
        metricNamespace,
        metricName,
        metricValue,
      });
    });
    return new Metric({ namespace: metricNamespace, metricName });
  }
}

/** The percentage of bad requests at which the budget burns at this rate. */
const burnThreshold = (percent: number, rate: number): number => Number(((100 - percent) * rate).toFixed(2));
