import { createHash } from 'node:crypto';
import { Aws, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { CfnAccount, CfnDeployment, type CfnRestApi, CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import {
  ALARM_PERIOD,
  type AlarmTarget,
  addAlarm,
  ERROR_PERIOD,
  makeApiMetric,
  SEVERAL_ERRORS,
} from '#infra/constructs/alarm.ts';
import type { ApiRoute } from '#infra/constructs/api-definition.ts';
import { addCustomDomain } from '#infra/constructs/custom-domain.ts';
import { findCustomerKey } from '#infra/constructs/customer-key.ts';
import { addOrganizationShares } from '#infra/constructs/organization-shares.ts';
import { ServiceLevels } from '#infra/constructs/service-levels.ts';
import type { RouteThrottle } from '#shared/platform/routes.ts';
import type { Settings } from './settings.ts';

export interface LiveStackProps extends AlarmTarget {
  readonly api: CfnRestApi;
  readonly routes: readonly ApiRoute[];
  readonly settings: Settings;
}

/**
 * Updated after all functions, so a new route never points to a missing function. CloudFormation deletes the function
 * of a removed route at the end of the deployment.
 */
export class LiveStack extends NestedStack {
  readonly domainTarget: string | undefined;
  readonly stageArn: string;

  constructor(scope: Construct, id: string, props: LiveStackProps) {
    super(scope, id);
    const { environment, api, routes, settings } = props;
    const { domain, webAcl } = settings;
    const restApiId = api.ref;
    const stageName = environment.name;
    const generalSettings: CfnStage.MethodSettingProperty = {
      httpMethod: '*',
      resourcePath: '/*',
      metricsEnabled: settings.metricsPerRoute,
      loggingLevel: 'ERROR',
      dataTraceEnabled: false,
      ...toMethodThrottling(environment.throttle),
    };
    const accessLog = this.addLogGroup('AccessLog', `/rundown/${stageName}/access`, settings);
    const stage = new CfnStage(this, 'Stage', {
      restApiId,
      stageName,
      ...(settings.tracing ? { tracingEnabled: true } : {}),
      deploymentId: this.addDeployment(api).ref,
      accessLogSetting: {
        destinationArn: accessLog.logGroupArn,
        format: ACCESS_LOG_FORMAT,
      },
      methodSettings: [
        generalSettings,
        // Settings of a single method replace those for all methods completely.
        ...routes.flatMap(({ method, path, throttle }) => {
          if (throttle === undefined) return [];
          // CloudFormation expects a slash before the path, and every slash of the path as `~1`: `/~1v1~1runs`.
          const resourcePath = `/${path.replaceAll('/', '~1')}`;
          return { ...generalSettings, httpMethod: method, resourcePath, ...toMethodThrottling(throttle) };
        }),
      ],
    });
    if (settings.accountLogging) stage.node.addDependency(this.addLoggingAccount());
    stage.node.addDependency(
      // Without this construct, API Gateway would create the log group itself, and its logs would never expire.
      this.addLogGroup('ExecutionLog', `API-Gateway-Execution-Logs_${restApiId}/${stageName}`, settings),
    );
    addOrganizationShares(this, environment, restApiId, stage);
    this.stageArn = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${restApiId}/stages/${stage.ref}`;
    if (webAcl === undefined) acknowledge(stage, 'AwsSolutions-APIG3', WITHOUT_FIREWALL);
    else new CfnWebACLAssociation(this, 'WebAcl', { resourceArn: this.stageArn, webAclArn: webAcl });
    this.domainTarget = domain && addCustomDomain(this, domain, { restApiId, stage, access: settings });
    new ServiceLevels(this, 'Levels', { ...props, accessLog });
    this.addAlarms(props);
  }

  /** A deployment is a snapshot of the API, so its logical id changes with the definition or the default endpoint. */
  private addDeployment(api: CfnRestApi): CfnDeployment {
    const contents = JSON.stringify(this.resolve([api.body, api.disableExecuteApiEndpoint]));
    const id = createHash('sha256').update(contents).digest('hex').slice(0, 12);
    return new CfnDeployment(this, `Deployment${id}`, { restApiId: api.ref });
  }

  private addLogGroup(id: string, logGroupName: string, { environment, kmsKey }: Settings): LogGroup {
    return new LogGroup(this, id, {
      logGroupName,
      retention: environment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
      encryptionKey: findCustomerKey(this, id, kmsKey),
    });
  }

  /** All APIs of an account in a region share one logging role, so the role is retained when the stack is deleted. */
  private addLoggingAccount(): CfnAccount {
    const role = new Role(this, 'LogWriter', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(PUSH_LOGS)],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    acknowledge(
      role,
      `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${PUSH_LOGS}]`,
      'The managed policy that AWS provides for this purpose; the setting serves every API of the account.',
    );
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return account;
  }

  private addAlarms(watch: AlarmTarget): void {
    const { name, organizationThrottle } = watch.environment;
    const metric = (metricName: string, statistic: string) => makeApiMetric(name, metricName, statistic);
    addAlarm(this, 'FunctionErrors', watch, {
      subject: 'requests',
      metric: metric('5XXError', 'Sum').with({ period: ERROR_PERIOD }),
      threshold: SEVERAL_ERRORS,
      harm: `Some clients or readers get errors: ${SEVERAL_ERRORS} requests within an hour got 5xx responses, perhaps all of one operation.`,
      runbook: 'function-errors',
    });
    addAlarm(this, 'ManyRequests', watch, {
      severity: 'urgent',
      metric: metric('Count', 'Sum'),
      threshold: organizationThrottle.requestsPerSecond * ALARM_PERIOD.toSeconds(),
      periods: 3,
      harm: 'Costs rise: for 15 minutes, more requests have arrived than one organization may send.',
      runbook: 'many-requests',
    });
    addAlarm(this, 'RefusedRequests', watch, {
      metric: new MathExpression({
        expression: `IF(requests >= ${RATED_REQUESTS}, 100 * refused / requests, 0)`,
        usingMetrics: { requests: metric('Count', 'Sum'), refused: metric('4XXError', 'Sum') },
        period: ALARM_PERIOD,
      }),
      threshold: REFUSED_PERCENT,
      periods: 3,
      harm: `Clients are refused: for 15 minutes, at least ${REFUSED_PERCENT} % of all requests got 4xx responses.`,
      runbook: 'refused-requests',
    });
  }
}

/** The minimum number of requests in five minutes (one per second) for an error rate to be meaningful. */
const RATED_REQUESTS = 300;
const REFUSED_PERCENT = 50;

const PUSH_LOGS = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

const WITHOUT_FIREWALL =
  'All routes except a fixed list need a credential, and all are throttled; a firewall has a monthly price in a product that costs nothing idle. Pass -c webAcl=<arn> where strangers flood the API or policy asks for it.';

/**
 * The log has no queries, no bodies, and no headers except `User-Agent`, because the rest can contain credentials. The
 * request id is the one that clients cannot choose, see `getRequestId`.
 */
const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.extendedRequestId',
  at: '$context.requestTime',
  operation: '$context.httpMethod $context.resourcePath',
  organizationId: '$context.authorizer.organizationId',
  credentialId: '$context.authorizer.principalId',
  status: '$context.status',
  answeredBy: '$context.error.responseType',
  authorizerError: '$context.authorizer.error',
  functionError: '$context.integration.error',
  responseBytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  authorizerMilliseconds: '$context.authorizer.latency',
  functionMilliseconds: '$context.integration.latency',
  sourceIp: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
  // A number, because metric filters compare only numbers by size. The other times may be `-`.
}).replace('"$context.responseLatency"', '$context.responseLatency');

const toMethodThrottling = ({ requestsPerSecond, burstRequests }: RouteThrottle): CfnStage.MethodSettingProperty => ({
  throttlingRateLimit: requestsPerSecond,
  throttlingBurstLimit: burstRequests,
});
