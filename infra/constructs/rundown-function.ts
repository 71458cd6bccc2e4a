import { Annotations, Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  ApplicationLogLevel,
  Architecture,
  CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { type Bundles, getBundle } from '#infra/build/bundles.ts';
import {
  deriveDefaultLimits,
  formatProvidersPrefix,
  formatSecretsPrefix,
  formatSignInPrefix,
  formatTrackersPrefix,
} from '#infra/build/environments.ts';
import { formatRetention } from '#shared/model/runs/retention.ts';
import { type DeploymentProvider, formatDeploymentProviders } from '#shared/model/sign-in/deployment-provider.ts';
import { formatUsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { Access } from '#shared/platform/declaration.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { Outlet } from '#shared/platform/outlets.ts';
import { acknowledge } from './acknowledge.ts';
import type { AlarmTarget } from './alarm.ts';
import { buildKeyStatements, findCustomerKey } from './customer-key.ts';
import type { DataAccess } from './data-access.ts';
import type { Outlets } from './outlets.ts';
import { formatPhysicalName } from './physical-name.ts';
import { ALL_INTERFACES, buildNetworkStatements, joinNetwork, type PrivateNetwork } from './private-network.ts';
import { WARM_ALIAS } from './warm-functions.ts';

/** One second less than the limit of API Gateway, so that the function logs its own timeout. */
export const REQUEST_TIMEOUT_SECONDS = 28;

export interface DataResources {
  readonly table: ITable;
  readonly artifacts: IBucket;
  readonly access: DataAccess;
  readonly outlets: Outlets;
}

/** Resources and settings that all functions share. */
export interface Surroundings extends AlarmTarget {
  readonly data: DataResources;
  readonly bundles: Bundles;
  readonly publicOrigin: string;
  readonly settings: FunctionSettings;
}

export interface FunctionSettings {
  /** §5.3 An external issuer of access tokens. If it is undefined, this service issues access tokens itself. */
  readonly oauthIssuer?: string | undefined;
  /** The providers at which people sign in to their own accounts. */
  readonly signInProviders: readonly DeploymentProvider[];
  /** §6 Whether webhooks may use private addresses and plain HTTP. */
  readonly privateWebhooks: boolean;
  /** Whether AWS X-Ray traces a part of the requests. */
  readonly tracing: boolean;
  /** Whether each day of each project is exported to the artifacts bucket as Parquet. */
  readonly dailyExports: boolean;
  /**
   * §6 The VPC of the functions that send webhooks and notifications, and, if `trackerNetwork` is set, of those that
   * call issue trackers. If it is undefined, these functions run outside the VPCs of the account.
   */
  readonly network: PrivateNetwork | undefined;
  /** §5.2 In CIDR notation, and only with `network`. Webhooks may reach it only if `privateWebhooks` is set. */
  readonly trackerNetwork?: string | undefined;
  /** The ARN of the operator's key that encrypts what the service stores. Default: keys of AWS. */
  readonly kmsKey?: string | undefined;
  /** The concurrency that is reserved for the authorizer. */
  readonly reservedConcurrency?: number | undefined;
  /** The number of environments that the authorizer and each warm function keep ready. */
  readonly provisionedConcurrency?: number | undefined;
}

export interface RundownFunctionProps extends Surroundings {
  /** The name without the environment's prefix, for example `getTestResults`. */
  readonly name: string;
  /** The file under `functions/`, or the name of a function that serves pages, whose bundle the function runs. */
  readonly file: string;
  readonly access: Access;
  readonly sends?: readonly Outlet[] | undefined;
  readonly timeoutSeconds: number;
  /**
   * Whether the function may send messages to the queue that triggers it. If this is not set, Lambda's recursive loop
   * detection stops a chain of such messages after about 16 invocations, and the last message becomes a dead letter.
   */
  readonly triggersItself?: boolean;
  /** Memory in megabytes. Default: 512. CPU scales with memory. */
  readonly memoryMegabytes?: number | undefined;
  /** Who may invoke the function through the API, with wildcards. Absent for queues, streams and schedules. */
  readonly sourceArn?: string;
  /** The ARN of a second API method that may invoke the function: the same operation at another path. */
  readonly aliasArn?: string | undefined;
  /** Permissions of the function's role in addition to those that follow from its declaration. */
  readonly statements?: readonly PolicyStatement[];
  /** Environment variables of this function alone. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly network?: PrivateNetwork | undefined;
  readonly reservedConcurrency?: number | undefined;
  /** Whether the setting `provisionedConcurrency` applies to the function. The API then calls it by its alias. */
  readonly isWarm?: boolean;
}

/** With a log group, a least-privilege role derived from its declaration, and an invoke permission. */
export class RundownFunction extends Construct {
  readonly fn: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: RundownFunctionProps) {
    super(scope, id);
    const functionName = formatPhysicalName(props.environment, props.name);
    const network = findNetwork(props);
    this.logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: props.environment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
      encryptionKey: findCustomerKey(this, 'Log', props.settings.kmsKey),
    });
    const { folder, assetHash } = getBundle(props.bundles, props.file);
    this.fn = new LambdaFunction(this, 'Function', {
      functionName,
      code: Code.fromAsset(folder, { assetHash }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMegabytes ?? 512,
      timeout: Duration.seconds(props.timeoutSeconds),
      ...(props.triggersItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      role: this.addRole(props, network),
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // This level includes Lambda's report of each invocation: duration, memory, cold start.
      systemLogLevelV2: SystemLogLevel.INFO,
      environment: buildEnvironment(props),
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    if (network) joinNetwork(this.fn, network);
    if (props.settings.tracing) enableTracing(this.fn);
    const principal = new ServicePrincipal('apigateway.amazonaws.com');
    const alias = this.addWarmAlias(props);
    for (const [name, sourceArn] of Object.entries({ Api: props.sourceArn, Alias: props.aliasArn })) {
      if (sourceArn === undefined) continue;
      // Until the stage is deployed, the API still calls the function as the deployment before did.
      this.fn.addPermission(name, { principal, sourceArn });
      alias?.addPermission(name, { principal, sourceArn });
    }
  }

  private addWarmAlias({ isWarm, settings }: RundownFunctionProps): Alias | undefined {
    if (!isWarm || settings.provisionedConcurrency === undefined) return undefined;
    const reason = 'The alias has the permission too.';
    Annotations.of(this.fn).acknowledgeWarning('@aws-cdk/aws-lambda:addPermissionsToVersionOrAlias', reason);
    return new Alias(this, 'Warm', {
      aliasName: WARM_ALIAS,
      version: this.fn.currentVersion,
      provisionedConcurrentExecutions: settings.provisionedConcurrency,
    });
  }

  private addRole(
    { environment, name, access, data, settings, sends = [], statements = [] }: RundownFunctionProps,
    network: PrivateNetwork | undefined,
  ): Role {
    const own = [...data.access.statementsFor(access), ...data.outlets.statementsFor(sends), ...statements];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: data.access.policiesFor(access),
      inlinePolicies: {
        own: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [this.logGroup.logGroupArn],
            }),
            ...own,
            ...buildKeyStatements(settings.kmsKey, own),
            ...(settings.tracing ? [TRACE] : []),
            ...(network ? buildNetworkStatements(formatPhysicalName(environment, name)) : []),
          ],
        }),
      },
    });
    if (network) acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', ALL_INTERFACES);
    else if (settings.tracing) acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', ALL_TRACES);
    return role;
  }
}

const TRACE = new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });
const ALL_TRACES = 'X-Ray has no resources for these actions, which only add to traces.';

/** The CDK would give each role a second policy, which is one more resource. */
function enableTracing({ node: { defaultChild } }: LambdaFunction): void {
  if (!(defaultChild instanceof CfnFunction)) throw new Error('The function has no CloudFormation resource');
  defaultChild.tracingConfig = { mode: 'Active' };
}

/** By default, functions that send requests to issue trackers join the VPC of the trackers. */
const findNetwork = ({ network, access, settings }: RundownFunctionProps): PrivateNetwork | undefined =>
  network ??
  (access.trackers && access.trackers !== 'write' && settings.trackerNetwork !== undefined
    ? settings.network
    : undefined);

const buildEnvironment = (props: RundownFunctionProps): Record<string, string> => {
  const { environment, access, data, settings } = props;
  return {
    [ENVIRONMENT.tableName]: data.table.tableName,
    [ENVIRONMENT.artifactsBucket]: data.artifacts.bucketName,
    [ENVIRONMENT.publicOrigin]: props.publicOrigin,
    ...(settings.oauthIssuer === undefined ? {} : { [ENVIRONMENT.oauthIssuer]: settings.oauthIssuer }),
    [ENVIRONMENT.retention]: formatRetention(environment.retention),
    [ENVIRONMENT.limits]: formatUsageLimits(deriveDefaultLimits(environment)),
    ...(settings.privateWebhooks ? { [ENVIRONMENT.privateReceivers]: 'network' } : {}),
    ...(access.secrets ? { [ENVIRONMENT.secretsPrefix]: formatSecretsPrefix(environment) } : {}),
    ...(access.trackers ? { [ENVIRONMENT.trackersPrefix]: formatTrackersPrefix(environment) } : {}),
    ...(access.providers ? { [ENVIRONMENT.providersPrefix]: formatProvidersPrefix(environment) } : {}),
    ...(access.signInSecrets ? { [ENVIRONMENT.signInPrefix]: formatSignInPrefix(environment) } : {}),
    ...(settings.signInProviders.length > 0
      ? { [ENVIRONMENT.signInProviders]: formatDeploymentProviders(settings.signInProviders) }
      : {}),
    ...(settings.kmsKey && storesSecrets(access) ? { [ENVIRONMENT.secretsKey]: settings.kmsKey } : {}),
    ...(access.trackers && settings.trackerNetwork ? { [ENVIRONMENT.trackerNetwork]: settings.trackerNetwork } : {}),
    ...(access.artifacts === 'exportWrite' && settings.dailyExports ? { [ENVIRONMENT.dailyExports]: 'true' } : {}),
    ...data.outlets.variablesFor(props.sends ?? []),
    ...props.variables,
  };
};

const storesSecrets = ({ secrets, trackers, providers }: Access): boolean =>
  secrets === 'write' || providers === 'write' || (trackers !== undefined && trackers !== 'read');
