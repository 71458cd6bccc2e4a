/** Pauses and resumes everything that reads or writes the table of a deployment. Each call is idempotent. */
import { APIGatewayClient, UpdateStageCommand } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  GetTemplateCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import {
  type EventSourceMappingConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import {
  GetScheduleCommand,
  paginateListSchedules,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import * as z from 'zod';
import { waitUntilTrue } from './wait.ts';

interface Traffic {
  /** dev, staging or prod. */
  readonly environment: string;
  readonly stageArn: string;
  readonly isOn: boolean;
}

/** Pauses requests first and resumes them last, so that they do not cause background work while it is paused. */
export async function changeTraffic(traffic: Traffic): Promise<void> {
  if (!traffic.isOn) await changeStage(traffic);
  await changeEventSources(traffic);
  await changeSchedules(traffic);
  if (traffic.isOn) await changeStage(traffic);
}

const Setting = z.object({
  HttpMethod: z.string(),
  ResourcePath: z.string(),
  ThrottlingRateLimit: z.number(),
  ThrottlingBurstLimit: z.number(),
});
const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
  ),
});

/** Sets every throttle of the stage to 0, or back to the value in the deployed template. */
async function changeStage({ environment, stageArn, isOn }: Traffic): Promise<void> {
  const [, restApiId, stageName] = /\/restapis\/([^/]+)\/stages\/([^/]+)$/.exec(stageArn) ?? [];
  const settings = await readMethodSettings(`Rundown-${environment}`);
  const patchOperations = settings.flatMap(({ HttpMethod, ResourcePath, ThrottlingRateLimit, ThrottlingBurstLimit }) =>
    Object.entries({ rateLimit: ThrottlingRateLimit, burstLimit: ThrottlingBurstLimit }).map(([name, limit]) => ({
      op: 'replace' as const,
      path: `${ResourcePath}/${HttpMethod}/throttling/${name}`,
      value: String(isOn ? limit : 0),
    })),
  );
  await new APIGatewayClient({}).send(new UpdateStageCommand({ restApiId, stageName, patchOperations }));
}

/** The throttles of the stage in the deployed template. The stage is in one of the nested stacks. */
async function readMethodSettings(stackName: string): Promise<z.infer<typeof Setting>[]> {
  const client = new CloudFormationClient({});
  const listResources = async (StackName: string): Promise<StackResourceSummary[]> => {
    const all: StackResourceSummary[] = [];
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      all.push(...StackResourceSummaries);
    return all;
  };
  for (const { ResourceType, PhysicalResourceId = '' } of await listResources(stackName)) {
    if (ResourceType !== 'AWS::CloudFormation::Stack') continue;
    const resources = await listResources(PhysicalResourceId);
    if (!resources.some((one) => one.ResourceType === 'AWS::ApiGateway::Stage')) continue;
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: PhysicalResourceId }));
    const stage = Object.values(Template.parse(JSON.parse(TemplateBody)).Resources).find(
      ({ Type }) => Type === 'AWS::ApiGateway::Stage',
    );
    return z.array(Setting).parse(stage?.Properties?.['MethodSettings']);
  }
  throw new Error(`The nested stacks of ${stackName} contain no API Gateway stage`);
}

/** Pauses or resumes the event source mappings, through which Lambda polls the queues and the stream. */
async function changeEventSources({ environment, isOn }: Traffic): Promise<void> {
  const client = new LambdaClient({});
  const targetState = isOn ? 'Enabled' : 'Disabled';
  const listUnchanged = async (): Promise<EventSourceMappingConfiguration[]> => {
    const all: EventSourceMappingConfiguration[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client }, {}))
      all.push(...EventSourceMappings);
    return all.filter(
      ({ FunctionArn = '', State }) =>
        FunctionArn.includes(`:function:rundown-${environment}-`) && State !== targetState,
    );
  };
  // An event source mapping refuses a change while another change is in progress.
  const isReady = async () => (await listUnchanged()).every(({ State = '' }) => !State.endsWith('ing'));
  await waitUntilTrue(isReady);
  for (const { UUID } of await listUnchanged())
    await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isOn }));
  await waitUntilTrue(async () => (await listUnchanged()).length === 0);
}

async function changeSchedules({ environment, isOn }: Traffic): Promise<void> {
  const client = new SchedulerClient({});
  const GroupName = `rundown-${environment}`;
  const State = isOn ? 'ENABLED' : 'DISABLED';
  for await (const { Schedules = [] } of paginateListSchedules({ client }, { GroupName })) {
    for (const { Name, State: currentState } of Schedules) {
      if (currentState === State) continue;
      // An update replaces the whole schedule, so the current settings of the schedule are read first.
      const { ScheduleExpression, FlexibleTimeWindow, Target, Description, ScheduleExpressionTimezone } =
        await client.send(new GetScheduleCommand({ GroupName, Name }));
      const keptSettings = { ScheduleExpression, FlexibleTimeWindow, Target, Description, ScheduleExpressionTimezone };
      await client.send(new UpdateScheduleCommand({ ...keptSettings, GroupName, Name, State }));
    }
  }
}
