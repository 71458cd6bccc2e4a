import { Annotations, Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import { Construct } from 'constructs';
import { getBundle } from '#infra/build/bundles.ts';
import { acknowledge } from './acknowledge.ts';
import { buildKeyStatements, findCustomerKey } from './customer-key.ts';
import { buildFunctionVariables, type FunctionVariablesProps } from './function-variables.ts';
import { formatPhysicalName } from './physical-name.ts';
import { ALL_INTERFACES, buildNetworkStatements, joinNetwork, type PrivateNetwork } from './private-network.ts';
import { WARM_ALIAS } from './warm-functions.ts';

/** One second less than the limit of API Gateway, so that the function logs its own timeout. */
export const REQUEST_TIMEOUT_SECONDS = 28;

export interface RundownFunctionProps extends FunctionVariablesProps {
  /** The name without the environment's prefix, for example `getTestResults`. */
  readonly name: string;
  /** The file under `functions/`, or the name of a function that serves pages, whose bundle the function runs. */
  readonly file: string;
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
      environment: buildFunctionVariables(props),
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
    const ownStatements = [...data.access.listStatements(access), ...data.outlets.listStatements(sends), ...statements];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: data.access.listPolicies(access),
      inlinePolicies: {
        own: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [this.logGroup.logGroupArn],
            }),
            ...ownStatements,
            ...buildKeyStatements(settings.kmsKey, ownStatements),
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
function findNetwork({ network, access, settings }: RundownFunctionProps): PrivateNetwork | undefined {
  if (network !== undefined) return network;
  const callsTrackers = access.trackers !== undefined && access.trackers !== 'write';
  return callsTrackers && settings.trackerNetwork !== undefined ? settings.network : undefined;
}
