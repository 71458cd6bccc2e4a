import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Bundles, bundleOf } from '../bundle.ts';
import { ALARM_PERIOD, addAlarm } from './alarm.ts';
import { RundownFunction, type Surroundings } from './rundown-function.ts';

export interface AuthorizerProps extends Surroundings {
  readonly bundles: Bundles;
  readonly sourceArn: string;
}

/** Before nearly every request: reads the credential, and notes now and then that it was used. */
export class Authorizer extends Construct {
  constructor(scope: Construct, id: string, { bundles, ...props }: AuthorizerProps) {
    super(scope, id);
    const { logGroup } = new RundownFunction(this, 'Authorizer', {
      ...props,
      name: 'authorizer',
      bundle: bundleOf(bundles, 'functions/authorizer.ts'),
      access: { table: 'readUpdate', artifacts: 'none' },
      timeoutSeconds: 10,
      errors: 'alarmedElsewhere',
    });
    // It throws for every 401 (API Gateway asks for that), so its own error metric counts callers' mistakes too. Node
    // logs what was thrown as the message.
    const thrown = '$.message.errorMessage';
    const faults = new MetricFilter(this, 'Faults', {
      logGroup,
      metricNamespace: 'Rundown',
      metricName: `${props.environment.name}-authorizer-faults`,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.level', '=', 'ERROR'),
        FilterPattern.any(FilterPattern.notExists(thrown), FilterPattern.stringValue(thrown, '!=', 'Unauthorized')),
      ),
    });
    addAlarm(this, 'FaultsAlarm', props.alarmTopic, {
      metric: faults.metric({ statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 1,
      whoIsHurt: 'Callers with a valid credential are turned away with 503, because it could not be checked.',
      runbook: 'authorizer-faults',
    });
  }
}
