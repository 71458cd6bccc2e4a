import { Annotations, Aws, CfnOutput, Duration, NestedStack, RemovalPolicy, Stack, Tags, Token } from 'aws-cdk-lib';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { CfnParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Bundles } from '#infra/build/bundles.ts';
import type {
  DeclaredEndpoint,
  DeclaredFunctions,
  DeclaredRoutes,
  DeclaredSchedule,
} from '#infra/build/declarations.ts';
import {
  type Environment,
  formatCommitParameter,
  formatProvidersPrefix,
  formatSecretsPrefix,
  formatSignInPrefix,
  formatTrackersPrefix,
} from '#infra/build/environments.ts';
import { HEAD_PATHS } from '#infra/build/head-paths.ts';
import type { KeyedRowKind } from '#infra/build/key-patterns.ts';
import { derivePageAccess, type PageFunction } from '#infra/build/page-functions.ts';
import { listPageRoutes } from '#infra/build/page-routes.ts';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import {
  ALARM_PERIOD,
  type AlarmTopics,
  addAlarm,
  ERROR_PERIOD,
  MAXIMUM,
  SEVERAL_ERRORS,
  SUM,
} from '#infra/constructs/alarm.ts';
import { addAlarmTopics } from '#infra/constructs/alarm-topic.ts';
import {
  API_KEY_SOURCE,
  type ApiRoute,
  BINARY_MEDIA_TYPES,
  buildApiDefinition,
} from '#infra/constructs/api-definition.ts';
import { addAuthorizer } from '#infra/constructs/authorizer.ts';
import { addBackups } from '#infra/constructs/backups.ts';
import { addBudget } from '#infra/constructs/budget.ts';
import { addCapacityAlarms } from '#infra/constructs/capacity-alarms.ts';
import { addDashboard } from '#infra/constructs/dashboard.ts';
import { findSharedMetric } from '#infra/constructs/log-metrics.ts';
import { buildEndpoint } from '#infra/constructs/network-access.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction, type Surroundings } from '#infra/constructs/rundown-function.ts';
import { addScheduledFunction } from '#infra/constructs/scheduled-function.ts';
import { addSigningKeys } from '#infra/constructs/signing-keys.ts';
import { addTable } from '#infra/constructs/table.ts';
import { countUsedMonths } from '#infra/constructs/usage-alarms.ts';
import { WARM_FUNCTIONS } from '#infra/constructs/warm-functions.ts';
import { ConsumersStack } from './consumers-stack.ts';
import { DataStack } from './data-stack.ts';
import { LiveStack } from './live-stack.ts';
import type { Settings } from './settings.ts';
import { StreamsStack } from './streams-stack.ts';

/** §5.3 The folders of the built-in authorization server. They are not deployed if an external issuer is configured. */
const FOLDERS = ['consent', 'oauth'];

export interface ServiceProps extends DeclaredFunctions {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly rowKinds: readonly KeyedRowKind[];
  /** If known, the commit that is deployed. */
  readonly commit?: string | undefined;
}

export class RundownStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceProps) {
    const description = 'Rundown: a self-hosted, serverless home for test results';
    super(scope, id, { description, terminationProtection: props.settings.environment.keepsData });
    addService(this, props);
  }
}

/** What the rest of the CDK app may use of the service. */
export interface Service {
  /** The address of the service, without a slash at its end. */
  readonly publicOrigin: string;
  readonly stageArn: string;
  readonly domainTarget: string | undefined;
  readonly alarmTopics: AlarmTopics | undefined;
  readonly data: DataStack;
}

export function addService(
  scope: Construct,
  { settings, bundles, rowKinds, commit, ...declarations }: ServiceProps,
): Service {
  const isDeployed = ({ folder }: { readonly folder: string }) =>
    settings.oauthIssuer === undefined || !FOLDERS.includes(folder);
  const functions = {
    ...declarations,
    routeFunctions: declarations.routeFunctions.filter(isDeployed),
    pageFunctions: declarations.pageFunctions.filter(isDeployed),
  };
  const { endpoints, routeFunctions, pageFunctions, consumers, schedules, streams } = functions;
  const { environment, domain, restoredTable, tableClass, kmsKey } = settings;
  for (const [name, value] of Object.entries(settings.tags)) Tags.of(scope).add(name, value);
  const alarmTopics = environment.alarms ? addAlarmTopics(scope, environment, settings) : undefined;
  const watch = { environment, alarmTopics };
  const data = new DataStack(scope, 'Data', { ...watch, consumers, restoredTable, tableClass, kmsKey, rowKinds });
  const routes = listApiRoutes(functions);
  const gateway = new GatewayStack(scope, 'Gateway', { ...watch, settings, data, bundles, routes });
  const { publicOrigin } = gateway;
  const surroundings = { ...watch, settings, data, bundles, publicOrigin, gateway };
  for (const [area, ofArea] of Map.groupBy(endpoints, (endpoint) => endpoint.area))
    new FunctionsStack(scope, toPascalCase(area), { ...surroundings, endpoints: ofArea });
  if (routeFunctions.length > 0) new RoutesStack(scope, 'Routes', { ...surroundings, routeFunctions });
  new PagesStack(scope, 'Pages', { ...surroundings, pageFunctions });
  new ConsumersStack(scope, 'Queues', { ...surroundings, consumers });
  new SchedulesStack(scope, 'Schedules', { ...surroundings, schedules });
  new StreamsStack(scope, 'Streams', { ...surroundings, streams });
  const earlierStacks = scope.node.children.filter((child) => child instanceof NestedStack);
  const live = new LiveStack(scope, 'Live', { ...watch, settings, api: gateway.api, routes });
  live.node.addDependency(...earlierStacks);
  addCapacityAlarms(scope, watch, settings.lambdaConcurrency);
  if (settings.backupVault) addBackups(scope, { ...watch, table: data.table, vaultArn: settings.backupVault });
  if (restoredTable?.isImported) addTable(scope, 'ImportedTable', environment, settings, restoredTable.tableName);
  if (settings.budget) addBudget(scope, settings.budget, findRegion(scope));
  if (settings.dashboard) addDashboard(scope, { environment, table: data.table });
  const { stageArn, domainTarget } = live;
  const service = { publicOrigin, stageArn, domainTarget, alarmTopics, data };
  addOutputs(scope, service, settings);
  if (commit !== undefined) addCommit(scope, environment, commit).node.addDependency(live);
  if (environment.keepsData && !domain) Annotations.of(scope).addInfo(NO_DOMAIN);
  return service;
}

/** The region of the deployment, if the app or the CDK CLI names one. */
function findRegion(scope: Construct): string | undefined {
  const { region } = Stack.of(scope);
  return Token.isUnresolved(region) ? process.env['CDK_DEFAULT_REGION'] : region;
}

function addOutputs(
  scope: Construct,
  { publicOrigin, stageArn, domainTarget, data: { table, artifacts } }: Service,
  { domain, environment }: Settings,
): void {
  const outputs = {
    BaseUrl: { value: `${publicOrigin}/v1`, description: 'Base address of the REST API' },
    McpUrl: { value: `${publicOrigin}/mcp`, description: 'The MCP server for agents' },
    DashboardUrl: { value: publicOrigin, description: 'The pages for people' },
    RecordUrl: { value: publicOrigin, description: 'Base address for reporters (CURRENTS_API_URL)' },
    StageArn: { value: stageArn, description: 'Stage of the API, to attach a web ACL from another stack' },
    TableName: { value: table.tableName, description: 'The single table' },
    SecretsPrefix: {
      value: formatSecretsPrefix(environment),
      description: 'Path of the parameters with notification credentials',
    },
    TrackersPrefix: {
      value: formatTrackersPrefix(environment),
      description: 'Path of the parameters with credentials of issue trackers',
    },
    ProvidersPrefix: {
      value: formatProvidersPrefix(environment),
      description: "Path of the parameters with client secrets of companies' identity providers",
    },
    SignInPrefix: {
      value: formatSignInPrefix(environment),
      description: "Path of the parameters with client secrets of this deployment's own providers",
    },
    ArtifactsBucket: { value: artifacts.bucketName, description: 'Screenshots, videos, traces and logs of tests' },
    ...(domain && domainTarget && domain.hostedZoneId === undefined
      ? { DomainTarget: { value: domainTarget, description: `Target for the CNAME record of ${domain.domainName}` } }
      : {}),
  };
  for (const [name, output] of Object.entries(outputs)) new CfnOutput(scope, name, output);
}

/** Written last, so that a deployment that fails earlier is not in the history, from which a roll back chooses. */
function addCommit(scope: Construct, environment: Environment, value: string): CfnParameter {
  new CfnOutput(scope, 'DeployedCommit', { value, description: 'The deployed commit' });
  const name = formatCommitParameter(environment);
  return new CfnParameter(scope, 'Commit', { name, type: 'String', value, description: 'The deployed commit' });
}

/** Turns the name of a folder into the id of its nested stack: `sign-in` becomes `SignIn`. */
const toPascalCase = (folder: string): string => folder.replace(/(^|-)(.)/g, (_, _dash, first) => first.toUpperCase());

const NO_DOMAIN =
  'Without a custom domain the origin is the stage URL, which changes when the API is recreated. Pass -c domain=<host name> -c certificate=<ACM certificate ARN>.';

const answersHead = (method: string, path: string): boolean => method === 'GET' && HEAD_PATHS.includes(path);

export const listApiRoutes = (functions: DeclaredFunctions): ApiRoute[] => {
  const routes = listDeclaredRoutes(functions);
  const heads = routes
    .filter(({ method, path }) => answersHead(method, path))
    .map((route) => ({ ...route, method: 'HEAD', operationId: `${route.operationId}Head` }));
  return [...routes, ...heads];
};

const listDeclaredRoutes = ({ endpoints, routeFunctions, pageFunctions }: DeclaredFunctions): ApiRoute[] => [
  ...endpoints.flatMap(({ declaration: { method, path, alias, operationId, credential, permission } }) => {
    const isGuarded = credential === 'header';
    const isRecording = permission === 'record';
    const route = { method, path, operationId, functionName: operationId, isGuarded, isRecording };
    return alias === undefined ? [route] : [route, { ...route, path: alias, operationId: `${operationId}Alias` }];
  }),
  ...routeFunctions.flatMap(({ declaration: { name, routes, credential } }) =>
    routes.map(({ method, path, throttle }, index) => {
      const route = { method, path, operationId: `${name}${index + 1}`, functionName: name };
      return { ...route, isGuarded: credential !== 'none', isRecording: false, throttle };
    }),
  ),
  // Pages have no authorizer, because they read session cookies instead of API credentials, and render errors as pages.
  ...listPageRoutes(pageFunctions, [
    ...endpoints.flatMap(({ declaration: { path, alias } }) => (alias === undefined ? [path] : [path, alias])),
    ...routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path)),
  ]).map(({ name, ...route }) => ({ ...route, functionName: name, isGuarded: false, isRecording: false })),
];

interface BehindGateway extends Surroundings {
  readonly settings: Settings;
  readonly gateway: GatewayStack;
}

interface FunctionsStackProps extends BehindGateway {
  readonly endpoints: readonly DeclaredEndpoint[];
}

/** One function per endpoint of one folder under `functions/`. */
class FunctionsStack extends NestedStack {
  constructor(scope: Construct, id: string, { endpoints, gateway, ...surroundings }: FunctionsStackProps) {
    super(scope, id);
    for (const { file, declaration } of endpoints) {
      const { operationId, method, path, alias, access, credential } = declaration;
      const { logGroup } = new RundownFunction(this, operationId, {
        ...surroundings,
        name: operationId,
        file,
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        isWarm: WARM_FUNCTIONS.includes(operationId),
        sourceArn: gateway.methodArn(answersHead(method, path) ? '*' : method, path),
        aliasArn: alias === undefined ? undefined : gateway.methodArn(answersHead(method, alias) ? '*' : method, alias),
      });
      if (credential === 'body') countUsedMonths(new Construct(this, `${operationId}Usage`), surroundings, logGroup);
    }
  }
}

interface PagesStackProps extends BehindGateway {
  readonly pageFunctions: readonly PageFunction[];
}

/** The functions that each serve many pages, so that a visitor causes few cold starts. */
class PagesStack extends NestedStack {
  constructor(scope: Construct, id: string, { pageFunctions, gateway, ...surroundings }: PagesStackProps) {
    super(scope, id);
    for (const pageFunction of pageFunctions) {
      const { name, folder } = pageFunction;
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        file: folder,
        access: derivePageAccess(pageFunction),
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.anyMethodArn(),
      });
    }
  }
}

interface RoutesStackProps extends BehindGateway {
  readonly routeFunctions: readonly DeclaredRoutes[];
}

class RoutesStack extends NestedStack {
  constructor(scope: Construct, id: string, { routeFunctions, gateway, ...surroundings }: RoutesStackProps) {
    super(scope, id);
    const { environment, settings } = surroundings;
    const keys = routeFunctions.some(({ declaration }) => declaration.signs)
      ? addSigningKeys(this, environment, settings.signingKeys)
      : {};
    for (const { file, declaration } of routeFunctions) {
      const { name, signs } = declaration;
      new RundownFunction(this, name, {
        ...surroundings,
        ...declaration,
        file,
        ...(signs ? keys : {}),
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.anyMethodArn(),
      });
    }
  }
}

interface GatewayStackProps extends Omit<Surroundings, 'publicOrigin'> {
  readonly settings: Settings;
  readonly routes: readonly ApiRoute[];
}

/**
 * Deployed before the functions, which need the origin of the API, so it refers to them by name. The routes go live
 * when `LiveStack` creates a deployment, after the functions.
 */
class GatewayStack extends NestedStack {
  readonly api: CfnRestApi;
  readonly publicOrigin: string;

  constructor(scope: Construct, id: string, { routes, ...surroundings }: GatewayStackProps) {
    super(scope, id);
    const { environment, settings } = surroundings;
    const { domain } = settings;
    this.api = new CfnRestApi(this, 'Api', {
      name: `rundown-${environment.name}`,
      body: buildApiDefinition(environment, routes, settings),
      binaryMediaTypes: BINARY_MEDIA_TYPES,
      apiKeySourceType: API_KEY_SOURCE,
      endpointConfiguration: buildEndpoint(settings),
      // With a custom domain the default endpoint is disabled, so that there is a single origin.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    acknowledge(this.api, 'AwsSolutions-APIG2', WITHOUT_VALIDATORS);
    const stageUrl = `https://${this.api.ref}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${environment.name}`;
    this.publicOrigin = domain ? `https://${domain.domainName}` : stageUrl;
    addAuthorizer(this, this.arnFor('authorizers/*'), { ...surroundings, publicOrigin: this.publicOrigin });
  }

  /** The source ARN that may invoke an endpoint's function: the method and path of the endpoint, in any stage. */
  methodArn(method: string, path: string): string {
    return this.arnFor(`*/${method}${path.replaceAll(/\{[^{}]+\}/g, '*')}`);
  }

  /** The source ARN of every method and path of this API, for functions with many routes. */
  anyMethodArn(): string {
    return this.arnFor('*/*');
  }

  private arnFor(resource: string): string {
    return `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.ref}/${resource}`;
  }
}

const WITHOUT_VALIDATORS =
  'Every function validates its request against its schema and returns errors in the format of §7; a second validation in API Gateway would add nothing.';

const LATE_AFTER = Duration.minutes(10);

interface SchedulesStackProps extends Surroundings {
  readonly schedules: readonly DeclaredSchedule[];
}

/** One function and one schedule per file of `functions/schedules`. */
class SchedulesStack extends NestedStack {
  constructor(scope: Construct, id: string, { schedules, ...surroundings }: SchedulesStackProps) {
    super(scope, id);
    const group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: `rundown-${surroundings.environment.name}`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const schedule of schedules) {
      const { declaration } = schedule;
      const { name: subject, summary } = declaration;
      const { fn, metrics } = addScheduledFunction(this, group, schedule, surroundings);
      if (declaration.metrics.includes('lateSeconds'))
        addAlarm(this, `${subject}Late`, surroundings, {
          subject,
          metric: metrics.of('lateSeconds').metric(MAXIMUM),
          threshold: LATE_AFTER.toSeconds(),
          harm: `Background work is late (${summary}): the oldest item is ${LATE_AFTER.toMinutes()} minutes late.`,
          runbook: 'late-work',
        });
      // Nothing else reports that a row was not sent: after many failed attempts, a sweep sets it aside ("parks" it).
      if (declaration.metrics.includes('parked'))
        addAlarm(this, `${subject}Parked`, surroundings, {
          subject,
          metric: metrics.of('parked').metric(SUM),
          threshold: 1,
          harm: 'An event, a webhook or a notification was not sent: every attempt failed, and its row is parked.',
          runbook: 'parked-rows',
        });
      if (declaration.metrics.includes('nearlyFull'))
        addAlarm(this, `${subject}NearlyFull`, surroundings, {
          metric: metrics.of('nearlyFull').metric(SUM),
          threshold: 1,
          harm: 'Files of an organization may be refused: it has used 80 % or more of its storage. Results are still recorded.',
          runbook: 'storage-limit',
        });
      // There is one alarm per function, because an alarm can sum at most ten metrics and is billed per metric.
      addAlarm(this, `${subject}Dropped`, surroundings, {
        subject,
        metric: fn.metric('AsyncEventsDropped', SUM),
        threshold: 1,
        harm: `Background work was skipped (${summary}): an execution failed at every attempt.`,
        runbook: 'dropped-runs',
      });
    }
    const { environment } = surroundings;
    // One alarm each for all functions without a client that waits. CloudWatch bills an alarm by its metrics.
    addAlarm(this, 'Failures', surroundings, {
      subject: 'background',
      metric: findSharedMetric(environment, 'failures').with({ period: ERROR_PERIOD }),
      threshold: SEVERAL_ERRORS,
      harm: `Background work is late: functions of queues, schedules or the stream failed ${SEVERAL_ERRORS} times within an hour.`,
      runbook: 'function-errors',
    });
    addAlarm(this, 'Unfinished', surroundings, {
      metric: findSharedMetric(environment, 'unfinished').with({ period: ALARM_PERIOD }),
      threshold: 1,
      harm: 'Background work is late, such as exports or deletions: a schedule reached its time limit before it finished.',
      runbook: 'unfinished-runs',
    });
    addAlarm(this, 'Dropped', surroundings, {
      metric: group.metricDropped(SUM),
      threshold: 1,
      harm: 'Background work was skipped: a scheduled function could not be started.',
      runbook: 'dropped-runs',
    });
  }
}
