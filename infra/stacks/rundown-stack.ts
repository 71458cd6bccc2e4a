import { Annotations, CfnOutput, NestedStack, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Bundles } from '#infra/build/bundle.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { addAlarmTopic } from '#infra/constructs/alarm-topic.ts';
import { addBudget } from '#infra/constructs/budget.ts';
import { addCapacityAlarms } from '#infra/constructs/capacity-alarms.ts';
import { addDashboard } from '#infra/constructs/dashboard.ts';
import { secretsPrefix } from '#infra/constructs/data-access.ts';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { ConsumersStack } from './consumers-stack.ts';
import { DataStack } from './data-stack.ts';
import { FunctionsStack } from './functions-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { LiveStack } from './live-stack.ts';
import { PagesStack } from './pages-stack.ts';
import { routesOf } from './routes.ts';
import { RoutesStack } from './routes-stack.ts';
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
