/**
 * Pauses and resumes everything that reads or writes the table of a deployment: requests, queues, the stream and
 * schedules. Each call is idempotent.
 */
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
import { untilTrue } from './wait.ts';

interface Deployed {
  /** dev, staging or prod. */
  readonly environment: string;
  readonly stageArn: string;
}

export const pause = (deployed: Deployed): Promise<void> => change(deployed, { isOn: false });
export const resume = (deployed: Deployed): Promise<void> => change(deployed, { isOn: true });

interface Traffic {
  readonly isOn: boolean;
}

/** Requests stop first and start last, so that the background work that they cause does not wait for long. */
async function change(deployed: Deployed, traffic: Traffic): Promise<void> {
  if (!traffic.isOn) await changeStage(deployed, traffic);
  await changeEventSources(deployed, traffic);
  await changeSchedules(deployed, traffic);
  if (traffic.isOn) await changeStage(deployed, traffic);
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
async function changeStage({ environment, stageArn }: Deployed, { isOn }: Traffic): Promise<void> {
  const [, restApiId, stageName] = /\/restapis\/([^/]+)\/stages\/([^/]+)$/.exec(stageArn) ?? [];
  const settings = await methodSettings(`Rundown-${environment}`);
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
async function methodSettings(stackName: string): Promise<z.infer<typeof Setting>[]> {
  const client = new CloudFormationClient({});
  const resourcesOf = async (StackName: string): Promise<StackResourceSummary[]> => {
    const all: StackResourceSummary[] = [];
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      all.push(...StackResourceSummaries);
    return all;
  };
  for (const { ResourceType, PhysicalResourceId = '' } of await resourcesOf(stackName)) {
    if (ResourceType !== 'AWS::CloudFormation::Stack') continue;
    const found = await resourcesOf(PhysicalResourceId);
    if (!found.some((one) => one.ResourceType === 'AWS::ApiGateway::Stage')) continue;
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: PhysicalResourceId }));
    const stage = Object.values(Template.parse(JSON.parse(TemplateBody)).Resources).find(
      ({ Type }) => Type === 'AWS::ApiGateway::Stage',
    );
    return z.array(Setting).parse(stage?.Properties?.['MethodSettings']);
  }
  throw new Error(`The nested stacks of ${stackName} contain no API Gateway stage`);
}

/** Pauses or resumes the event source mappings. Lambda polls queues and the stream. */
async function changeEventSources({ environment }: Deployed, { isOn }: Traffic): Promise<void> {
  const client = new LambdaClient({});
  const wanted = isOn ? 'Enabled' : 'Disabled';
  const others = async (): Promise<EventSourceMappingConfiguration[]> => {
    const all: EventSourceMappingConfiguration[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client }, {}))
      all.push(...EventSourceMappings);
    return all.filter(
      ({ FunctionArn = '', State }) => FunctionArn.includes(`:function:rundown-${environment}-`) && State !== wanted,
    );
  };
  // A mapping refuses a change while another one is in progress.
  const isReady = async () => (await others()).every(({ State = '' }) => !State.endsWith('ing'));
  await untilTrue(isReady);
  for (const { UUID } of await others())
    await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isOn }));
  await untilTrue(async () => (await others()).length === 0);
}

async function changeSchedules({ environment }: Deployed, { isOn }: Traffic): Promise<void> {
  const client = new SchedulerClient({});
  const GroupName = `rundown-${environment}`;
  const State = isOn ? 'ENABLED' : 'DISABLED';
  for await (const { Schedules = [] } of paginateListSchedules({ client }, { GroupName })) {
    for (const { Name, State: present } of Schedules) {
      if (present === State) continue;
      // An update replaces the whole schedule.
      const schedule = await client.send(new GetScheduleCommand({ GroupName, Name }));
      const { ScheduleExpression, FlexibleTimeWindow, Target, Description, ScheduleExpressionTimezone } = schedule;
      const same = { ScheduleExpression, FlexibleTimeWindow, Target, Description, ScheduleExpressionTimezone };
      await client.send(new UpdateScheduleCommand({ ...same, GroupName, Name, State }));
    }
  }
}
