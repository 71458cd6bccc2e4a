import { Annotations, CfnOutput, NestedStack, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '#infra/build/bundle.ts';
import type { DeclaredEndpoint, DeclaredFunctions, DeclaredRoutes } from '#infra/build/declarations.ts';
import { accessOf, type PageFunction } from '#infra/build/page-functions.ts';
import { addAlarmTopic } from '#infra/constructs/alarm-topic.ts';
import type { ApiRoute } from '#infra/constructs/api-definition.ts';
import { addBudget } from '#infra/constructs/budget.ts';
import { addCapacityAlarms } from '#infra/constructs/capacity-alarms.ts';
import { addDashboard } from '#infra/constructs/dashboard.ts';
import { secretsPrefix } from '#infra/constructs/data-access.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction, type Surroundings } from '#infra/constructs/rundown-function.ts';
import { SigningKeysConstruct } from '#infra/constructs/signing-keys.ts';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { ConsumersStack } from './consumers-stack.ts';
import { DataStack } from './data-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { LiveStack } from './live-stack.ts';
import { SchedulesStack } from './schedules-stack.ts';
import type { Settings } from './settings.ts';
import { StreamsStack } from './streams-stack.ts';

/** §5.3 The folders of the built-in authorization server. Left out with an external issuer. */
const FOLDERS = ['consent', 'oauth'];

const withoutOwnIssuer = <Functions extends DeclaredFunctions>(functions: Functions): Functions => ({
  ...functions,
  routeFunctions: functions.routeFunctions.filter(({ folder }) => !FOLDERS.includes(folder)),
  pageFunctions: functions.pageFunctions.filter(({ folder }) => !FOLDERS.includes(folder)),
});

export interface RundownStackProps extends DeclaredFunctions {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly rowKinds: readonly RowKind[];
}

/** The whole product: data, API and all functions. */
export class RundownStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles, rowKinds, ...declared }: RundownStackProps) {
    const description = 'Rundown: a self-hosted, serverless home for test results';
    super(scope, id, { description, terminationProtection: settings.environment.keepsData });
    const functions = settings.oauthIssuer === undefined ? declared : withoutOwnIssuer(declared);
    const { endpoints, routeFunctions, pageFunctions, consumers, schedules, streams } = functions;
    const { environment, domain, oauthIssuer, privateWebhooks, alarmEmail, restoredTable } = settings;
    for (const [name, value] of Object.entries(settings.tags)) Tags.of(this).add(name, value);
    const alarmTopic = environment.alarms ? addAlarmTopic(this, environment, alarmEmail) : undefined;
    const data = new DataStack(this, 'Data', { environment, alarmTopic, consumers, restoredTable, rowKinds });
    const surroundings = { environment, alarmTopic, data, oauthIssuer, privateWebhooks };
    const routes = routesOf(functions);
    const gateway = new GatewayStack(this, 'Gateway', { ...surroundings, routes, bundles, domain });
    const { publicOrigin } = gateway;
    for (const [area, ofArea] of Map.groupBy(endpoints, (endpoint) => endpoint.area)) {
      const props = { ...surroundings, publicOrigin, gateway, bundles, endpoints: ofArea };
      new FunctionsStack(this, pascalCase(area), props);
    }
    if (routeFunctions.length > 0) {
      const { signingKeys } = settings;
      const props = { ...surroundings, publicOrigin, gateway, bundles, routeFunctions, signingKeys };
      new RoutesStack(this, 'Routes', props);
    }
    new PagesStack(this, 'Pages', { ...surroundings, publicOrigin, gateway, bundles, pageFunctions });
    const { consumerConcurrency: concurrency, network } = settings;
    const ofConsumers = { ...surroundings, publicOrigin, bundles, consumers, concurrency, network };
    new ConsumersStack(this, 'Queues', ofConsumers);
    new SchedulesStack(this, 'Schedules', { ...surroundings, publicOrigin, bundles, schedules });
    new StreamsStack(this, 'Streams', { ...surroundings, publicOrigin, bundles, streams });
    const earlier = this.node.children.filter((child) => child instanceof NestedStack);
    const { webAcl, metricsPerRoute } = settings;
    const ofStage = { environment, alarmTopic, api: gateway.api, routes, domain, webAcl, metricsPerRoute };
    const live = new LiveStack(this, 'Live', ofStage);
    live.node.addDependency(...earlier);
    addCapacityAlarms(this, { environment, alarmTopic }, settings.lambdaConcurrency);
    if (settings.budget) addBudget(this, settings.budget);
    if (settings.dashboard) addDashboard(this, { environment, table: data.table });
    this.addOutputs({ publicOrigin, live, data }, settings);
    if (environment.keepsData && !domain) Annotations.of(this).addInfo(NO_DOMAIN);
  }

  private addOutputs(
    { publicOrigin, live, data }: { readonly publicOrigin: string; readonly live: LiveStack; readonly data: DataStack },
    { domain, environment }: Settings,
  ): void {
    const { table, artifacts } = data;
    const { domainTarget, stageArn } = live;
    const outputs = {
      BaseUrl: { value: `${publicOrigin}/v1`, description: 'Base address of the REST API' },
      McpUrl: { value: `${publicOrigin}/mcp`, description: 'The MCP server for agents' },
      DashboardUrl: { value: publicOrigin, description: 'The pages for people' },
      RecordUrl: { value: publicOrigin, description: 'Base address for reporters (CURRENTS_API_URL)' },
      StageArn: { value: stageArn, description: 'Stage of the API, to attach a web ACL from another stack' },
      TableName: { value: table.tableName, description: 'The single table' },
      SecretsPrefix: {
        value: secretsPrefix(environment),
        description: 'Path of the parameters with notification credentials',
      },
      ArtifactsBucket: { value: artifacts.bucketName, description: 'Screenshots, videos, traces and logs of tests' },
      ...(domain && domainTarget && domain.hostedZoneId === undefined
        ? { DomainTarget: { value: domainTarget, description: `Target for the CNAME record of ${domain.domainName}` } }
        : {}),
    };
    for (const [name, output] of Object.entries(outputs)) new CfnOutput(this, name, output);
  }
}

/** Turns the name of a folder into the id of its nested stack: `sign-in` becomes `SignIn`. */
const pascalCase = (folder: string): string => folder.replace(/(^|-)(.)/g, (_, _dash, first) => first.toUpperCase());

const NO_DOMAIN =
  'Without a custom domain the origin is the stage URL, which changes when the API is recreated. Pass -c domain=<host name> -c certificate=<ACM certificate ARN>.';

/** All routes of the API, with the function that handles each. */
export const routesOf = ({ endpoints, routeFunctions, pageFunctions }: DeclaredFunctions): ApiRoute[] => [
  ...endpoints.flatMap(({ declaration: { method, path, alias, operationId, credential } }) => {
    const route = { method, path, operationId, functionName: operationId, isGuarded: credential === 'header' };
    return alias === undefined ? [route] : [route, { ...route, path: alias, operationId: `${operationId}Alias` }];
  }),
  ...routeFunctions.flatMap(({ declaration: { name, routes, credential } }) =>
    routes.map(({ method, path, throttle }, index) => {
      const route = { method, path, operationId: `${name}${index + 1}`, functionName: name };
      return { ...route, isGuarded: credential !== 'none', throttle };
    }),
  ),
  // No authorizer: pages read session cookies instead of credentials, and render errors as pages.
  ...pageFunctions.flatMap(({ name, pages }) =>
    pages.map(({ declaration: { method, path, operationId } }) => {
      return { method, path, operationId, functionName: name, isGuarded: false };
    }),
  ),
];

interface FunctionsStackProps extends Surroundings {
  readonly endpoints: readonly DeclaredEndpoint[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
}

/** One function per endpoint of one folder under `functions/`. */
class FunctionsStack extends NestedStack {
  constructor(scope: Construct, id: string, { endpoints, bundles, gateway, ...surroundings }: FunctionsStackProps) {
    super(scope, id);
    for (const { file, declaration } of endpoints) {
      const { operationId, method, path, alias, access, summary } = declaration;
      new RundownFunction(this, operationId, {
        ...surroundings,
        name: operationId,
        bundle: bundleOf(bundles, file),
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.methodArn(method, path),
        ...(alias === undefined ? {} : { aliasArn: gateway.methodArn(method, alias) }),
        errors: { harm: `Clients of ${method} ${path} (${summary}) get 5xx responses.` },
      });
    }
  }
}

interface PagesStackProps extends Surroundings {
  readonly pageFunctions: readonly PageFunction[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
}

/** One function per folder of pages, so that browsing meets one cold start instead of one per page. */
class PagesStack extends NestedStack {
  constructor(scope: Construct, id: string, { pageFunctions, bundles, gateway, ...surroundings }: PagesStackProps) {
    super(scope, id);
    for (const pageFunction of pageFunctions) {
      const { name, folder } = pageFunction;
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        bundle: bundleOf(bundles, folder),
        access: accessOf(pageFunction),
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.anyMethodArn(),
        errors: { harm: `People get error pages from functions/${folder}.` },
      });
    }
  }
}

interface RoutesStackProps extends Surroundings {
  readonly routeFunctions: readonly DeclaredRoutes[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
  /** The names of the keys that sign access tokens. */
  readonly signingKeys: readonly string[];
}

/** The functions that handle several routes themselves. */
class RoutesStack extends NestedStack {
  constructor(scope: Construct, id: string, props: RoutesStackProps) {
    super(scope, id);
    const { routeFunctions, bundles, gateway, signingKeys: names, ...surroundings } = props;
    const { environment } = surroundings;
    const signs = routeFunctions.some(({ declaration }) => declaration.signs);
    const keys = signs ? new SigningKeysConstruct(this, 'SigningKeys', { environment, names }) : undefined;
    for (const { file, declaration } of routeFunctions) {
      const { name, access, summary, memoryMegabytes } = declaration;
      const { statements = [], variables = {} } = declaration.signs && keys ? keys : {};
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        bundle: bundleOf(bundles, file),
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        memoryMegabytes,
        statements,
        variables,
        sourceArn: gateway.anyMethodArn(),
        errors: { harm: `Clients of the function ${name} (${summary}) get 5xx responses.` },
      });
    }
  }
}
