import { Annotations, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Bundles } from '../bundle.ts';
import { AREAS, type DeclaredFunctions } from '../declarations.ts';
import type { Settings } from '../settings.ts';
import { ConsumersStack } from './consumers-stack.ts';
import { DataStack } from './data-stack.ts';
import { FunctionsStack } from './functions-stack.ts';
import { GatewayStack } from './gateway-stack.ts';
import { SchedulesStack } from './schedules-stack.ts';
import { StreamsStack } from './streams-stack.ts';

export interface RundownStackProps extends DeclaredFunctions {
  readonly settings: Settings;
  readonly bundles: Bundles;
}

const AREA_STACKS = { api: 'Api', recording: 'Recording' } as const;

/** The whole product: data, the API in front, the functions behind it, and those that work on queues or by the clock. */
export class RundownStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles, ...functions }: RundownStackProps) {
    super(scope, id, { description: 'Rundown: a self-hosted, serverless home for test results' });
    const { endpoints, consumers, schedules, streams } = functions;
    const { environment, domain, oauthIssuer, privateWebhooks } = settings;
    for (const [name, value] of Object.entries(settings.tags)) Tags.of(this).add(name, value);
    const alarmTopic = this.addAlarmTopic(settings);
    const data = new DataStack(this, 'Data', { environment, alarmTopic, consumers });
    const surroundings = { environment, alarmTopic, data, oauthIssuer, privateWebhooks };
    const gateway = new GatewayStack(this, 'Gateway', { ...surroundings, endpoints, bundles, domain });
    const { publicOrigin } = gateway;
    for (const area of AREAS) {
      const ofArea = endpoints.filter((endpoint) => endpoint.area === area);
      const props = { ...surroundings, publicOrigin, gateway, bundles, endpoints: ofArea };
      new FunctionsStack(this, AREA_STACKS[area], props);
    }
    new ConsumersStack(this, 'Queues', { ...surroundings, publicOrigin, bundles, consumers });
    new SchedulesStack(this, 'Schedules', { ...surroundings, publicOrigin, bundles, schedules });
    new StreamsStack(this, 'Streams', { ...surroundings, publicOrigin, bundles, streams });
    this.addOutputs(publicOrigin, data);
    if (environment.keepsData && !domain) Annotations.of(this).addInfo(NO_DOMAIN);
  }

  private addAlarmTopic({ environment, alarmEmail }: Settings): ITopic | undefined {
    if (!environment.alarms) return undefined;
    const topic = new Topic(this, 'Alarms', { topicName: `rundown-${environment.name}-alarms`, enforceSSL: true });
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }

  private addOutputs(publicOrigin: string, { table, artifacts }: DataStack): void {
    const outputs = {
      BaseUrl: { value: `${publicOrigin}/v1`, description: 'Where clients of the REST API point' },
      RecordUrl: { value: publicOrigin, description: 'Where reporters point' },
      TableName: { value: table.tableName, description: 'The single table' },
      ArtifactsBucket: { value: artifacts.bucketName, description: 'Screenshots, videos, traces and logs of tests' },
    };
    for (const [name, output] of Object.entries(outputs)) new CfnOutput(this, name, output);
  }
}

const NO_DOMAIN =
  'Without a custom domain the origin is the stage URL, and changes when the API is made anew. Pass -c domain=<host name> -c certificate=<ACM certificate ARN>.';
