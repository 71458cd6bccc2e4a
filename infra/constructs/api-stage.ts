import { createHash } from 'node:crypto';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnAccount, CfnDeployment, type CfnRestApi, CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { DeclaredEndpoint } from '../declarations.ts';
import type { Environment, Throttle } from '../environments.ts';
import { acknowledge } from './acknowledge.ts';
import { ALARM_PERIOD, addAlarm } from './alarm.ts';
import { CustomDomain, type Domain } from './custom-domain.ts';
import { gatewayResponses } from './gateway-responses.ts';

export interface ApiStageProps {
  readonly environment: Environment;
  readonly alarmTopic: ITopic | undefined;
  readonly endpoints: readonly DeclaredEndpoint[];
  readonly api: CfnRestApi;
  readonly origin: string;
  readonly domain: Domain | undefined;
}

/** Puts the API into service: deployment, logs, throttles, domain and the alarms of the whole API. */
export class ApiStage extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { environment, alarmTopic, endpoints, api, origin, domain }: ApiStageProps,
  ) {
    super(scope, id);
    const restApiId = api.ref;
    const stageName = environment.name;
    const stage = new CfnStage(this, 'Stage', {
      restApiId,
      stageName,
      deploymentId: this.addDeployment(api, origin).ref,
      accessLogSetting: {
        destinationArn: this.addLogGroup('AccessLog', `/rundown/${stageName}/access`, environment).logGroupArn,
        format: ACCESS_LOG_FORMAT,
      },
      methodSettings: methodSettings(environment, endpoints),
    });
    stage.node.addDependency(
      this.addLoggingAccount(),
      // API Gateway would make it by itself, and keep it for ever.
      this.addLogGroup('ExecutionLog', `API-Gateway-Execution-Logs_${restApiId}/${stageName}`, environment),
    );
    acknowledge(stage, 'AwsSolutions-APIG3', WITHOUT_FIREWALL);
    if (domain) new CustomDomain(this, 'Domain', { ...domain, restApiId, stage });
    this.addAlarms(environment, alarmTopic);
  }

  /** A deployment is a snapshot, so one with other contents needs another logical id. */
  private addDeployment(api: CfnRestApi, origin: string): CfnDeployment {
    const contents = JSON.stringify(Stack.of(this).resolve([api.body, gatewayResponses(origin)]));
    const id = createHash('sha256').update(contents).digest('hex').slice(0, 12);
    const deployment = new CfnDeployment(this, `Deployment${id}`, { restApiId: api.ref });
    deployment.node.addDependency(api);
    return deployment;
  }

  private addLogGroup(id: string, logGroupName: string, { logRetentionDays }: Environment): LogGroup {
    return new LogGroup(this, id, { logGroupName, retention: logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
  }

  /** One setting for all APIs of the account and region, so it stays when this stack goes. */
  private addLoggingAccount(): CfnAccount {
    const role = new Role(this, 'LogWriter', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(PUSH_LOGS)],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    acknowledge(
      role,
      `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${PUSH_LOGS}]`,
      'The policy that AWS keeps for exactly this; the setting serves every API of the account.',
    );
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return account;
  }

  private addAlarms({ name }: Environment, topic: ITopic | undefined): void {
    const metric = (metricName: string, statistic: string) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiName: `rundown-${name}`, Stage: name },
        statistic,
        period: ALARM_PERIOD,
      });
    addAlarm(this, 'ServerErrors', topic, {
      metric: metric('5XXError', 'Average'),
      threshold: 0.01,
      periods: 2,
      whoIsHurt: 'One request in a hundred fails: CI jobs lose or repeat results, and people reading them see errors.',
      runbook: 'server-errors',
    });
    addAlarm(this, 'SlowAnswers', topic, {
      metric: metric('Latency', 'p99'),
      threshold: 5000,
      periods: 3,
      whoIsHurt: 'One request in a hundred waits five seconds: test runs are held up by their reporter.',
      runbook: 'slow-answers',
    });
  }
}

const PUSH_LOGS = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

const WITHOUT_FIREWALL =
  'Every route but a closed list asks for a credential and all are throttled; a firewall costs by the month in a product that costs nothing idle. Put one before the domain where policy asks for it.';

/** Never a header, a query or a body: credentials travel in them. */
const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  at: '$context.requestTime',
  operation: '$context.httpMethod $context.resourcePath',
  status: '$context.status',
  answeredBy: '$context.error.responseType',
  authorizerError: '$context.authorizer.error',
  functionError: '$context.integration.error',
  responseBytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  functionMilliseconds: '$context.integration.latency',
  sourceIp: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
});

function methodSettings(
  environment: Environment,
  endpoints: readonly DeclaredEndpoint[],
): CfnStage.MethodSettingProperty[] {
  const setting = (httpMethod: string, resourcePath: string, throttle: Throttle): CfnStage.MethodSettingProperty => ({
    httpMethod,
    resourcePath,
    metricsEnabled: environment.metricsPerRoute,
    loggingLevel: 'ERROR',
    dataTraceEnabled: false,
    throttlingRateLimit: throttle.requestsPerSecond,
    throttlingBurstLimit: throttle.burstRequests,
  });
  const withoutAuthorizer = endpoints.filter(({ declaration }) => declaration.credential === 'body');
  return [
    setting('*', '/*', environment.throttle),
    ...withoutAuthorizer.map(({ declaration: { method, path } }) =>
      setting(method, `/${path.replaceAll('/', '~1')}`, environment.unauthorizedThrottle),
    ),
  ];
}
