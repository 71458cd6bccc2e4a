import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Access, Outlet } from '#shared/declaration.ts';
import { ENVIRONMENT } from '#shared/environment.ts';
import type { Bundle } from '../bundle.ts';
import type { Environment } from '../environments.ts';
import type { DataStack } from '../stacks/data-stack.ts';
import { ALARM_PERIOD, addAlarm } from './alarm.ts';

/** What every function stands in. */
export interface Surroundings {
  readonly environment: Environment;
  /** None where the environment has no alarms. */
  readonly alarmTopic: ITopic | undefined;
  readonly data: DataStack;
  readonly publicOrigin: string;
  /** §5.3 */
  readonly oauthIssuer: string | undefined;
  /** §6 Whether webhooks may go to private addresses, and over plain HTTP. */
  readonly privateWebhooks: boolean;
}

export interface RundownFunctionProps extends Surroundings {
  /** Without the environment's prefix: `getTestResults`. */
  readonly name: string;
  readonly bundle: Bundle;
  readonly access: Access;
  readonly sends?: readonly Outlet[] | undefined;
  readonly timeoutSeconds: number;
  /** The only method or authorizer of the API that may call it; none where Lambda itself brings the work. */
  readonly sourceArn?: string;
  /** What its role may do beside its access to the data. */
  readonly statements?: readonly PolicyStatement[];
  /** `alarmedElsewhere`: for a function whose errors are not all faults. */
  readonly errors: { readonly whoIsHurt: string } | 'alarmedElsewhere';
}

/** Physical, so that the API can name a function without depending on it. */
export const physicalName = (environment: Environment, name: string): string => `rundown-${environment.name}-${name}`;

/** A function with its log group, its role (what it declares to touch, no more), its caller if any, and its alarm. */
export class RundownFunction extends Construct {
  readonly fn: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: RundownFunctionProps) {
    super(scope, id);
    const functionName = physicalName(props.environment, props.name);
    this.logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: props.environment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.fn = new LambdaFunction(this, 'Function', {
      functionName,
      code: Code.fromAsset(props.bundle.directory),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(props.timeoutSeconds),
      role: this.addRole(props),
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      environment: environmentOf(props),
    });
    if (props.sourceArn !== undefined) {
      const principal = new ServicePrincipal('apigateway.amazonaws.com');
      this.fn.addPermission('Api', { principal, sourceArn: props.sourceArn });
    }
    if (props.errors !== 'alarmedElsewhere') {
      addAlarm(this, 'Errors', props.alarmTopic, {
        metric: this.fn.metricErrors({ period: ALARM_PERIOD }),
        threshold: 1,
        whoIsHurt: props.errors.whoIsHurt,
        runbook: 'function-errors',
      });
    }
  }

  private addRole({ access, data, sends = [], statements = [] }: RundownFunctionProps): Role {
    const log = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [this.logGroup.logGroupArn],
    });
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: data.access.policiesFor(access),
      inlinePolicies: {
        own: new PolicyDocument({ statements: [log, ...data.outlets.statementsFor(sends), ...statements] }),
      },
    });
  }
}

const environmentOf = (props: RundownFunctionProps): Record<string, string> => ({
  [ENVIRONMENT.tableName]: props.data.table.tableName,
  [ENVIRONMENT.artifactsBucket]: props.data.artifacts.bucketName,
  [ENVIRONMENT.publicOrigin]: props.publicOrigin,
  ...(props.oauthIssuer === undefined ? {} : { [ENVIRONMENT.oauthIssuer]: props.oauthIssuer }),
  ...(props.privateWebhooks ? { [ENVIRONMENT.privateReceivers]: 'network' } : {}),
  ...props.data.outlets.variablesFor(props.sends ?? []),
});
