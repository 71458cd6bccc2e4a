import { Annotations, CfnOutput, NestedStack, Stack, Tags, Token } from 'aws-cdk-lib';
import { CfnParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { Bundles } from '#infra/build/bundles.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { type Environment, formatCommitParameter } from '#infra/build/environments.ts';
import type { KeyedRowKind } from '#infra/build/key-patterns.ts';
import type { AlarmTopics } from '#infra/constructs/alarm.ts';
import { addAlarmTopics } from '#infra/constructs/alarm-topic.ts';
import { addBackups } from '#infra/constructs/backups.ts';
import { addBudget } from '#infra/constructs/budget.ts';
import { addCapacityAlarms } from '#infra/constructs/capacity-alarms.ts';
import { addDashboard } from '#infra/constructs/dashboard.ts';
import { addTable } from '#infra/constructs/table.ts';
import { listApiRoutes } from './api-routes.ts';
import { ConsumersStack } from './consumers-stack.ts';
import { DataStack } from './data-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { LiveStack } from './live-stack.ts';
import { addOutputs } from './outputs.ts';
import { FunctionsStack, PagesStack, RoutesStack } from './request-stacks.ts';
import { SchedulesStack } from './schedules-stack.ts';
import type { Settings } from './settings.ts';
import { StreamsStack } from './streams-stack.ts';

/** §5.3 The folders of the built-in authorization server. They are not deployed if an external issuer is configured. */
const AUTHORIZATION_FOLDERS = ['consent', 'oauth'];

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
    settings.oauthIssuer === undefined || !AUTHORIZATION_FOLDERS.includes(folder);
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
  for (const [area, areaEndpoints] of Map.groupBy(endpoints, (endpoint) => endpoint.area))
    new FunctionsStack(scope, toPascalCase(area), { ...surroundings, endpoints: areaEndpoints });
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
