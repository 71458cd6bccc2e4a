/** `npm run restore`: restores the data of a deployment to a point in time. Every step is idempotent. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
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
import { PROJECT } from '#infra/build/declarations.ts';
import type { Environment } from '#infra/build/environments.ts';
import { readStackOutputs } from '#infra/cli/stack-outputs.ts';
import { FLAG, printLine, step, TEXT } from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { readFileSettings } from '#infra/stacks/settings.ts';
import { confirm, deploy, parseEnvironment, readEnvironmentFile, runOperation } from './operate.ts';
import { checkTable, configureTable, createTable, type Restore, readStreamArn } from './restored-table.ts';
import { waitUntilTrue } from './wait.ts';

const USAGE = `Usage: npm run restore -- --env <name> --at <time> [--table <name>] [--without-deployment] [--yes]
       npm run restore -- --env <name> --resume

Pauses the traffic of a deployment, restores its table to a point in time under a new name, deploys it and resumes.
After an interruption, the same command continues. Uses the credentials and region of the AWS CLI.

  --env dev|staging|prod   environment
  --at <time>              point in time within the last 35 days, such as 2026-11-20T10:00:00Z
  --table <name>           name of the new table. Default: rundown-<env>-restored-<time>
  --without-deployment     stop before the deployment, for a pipeline that deploys the commit (optional)
  --resume                 only resume the traffic, with the table that the stack uses now
  --yes                    restore, and accept new permissions, without asking for confirmation (optional)`;

const OPTIONS = { env: TEXT, at: TEXT, table: TEXT, 'without-deployment': FLAG, resume: FLAG, yes: FLAG, help: FLAG };

function parseRestoreTime(option: string | undefined): Date {
  if (option === undefined) throw new UsageError('Missing --at');
  const { data } = z.iso.datetime({ offset: true }).safeParse(option);
  if (data === undefined) throw new UsageError('--at must be a time with a time zone, such as 2026-11-20T10:00:00Z');
  return new Date(data);
}

function parseTableName(option: string | undefined, { name }: Environment, at: Date): string {
  const prefix = `rundown-${name}-`;
  const table = option ?? `${prefix}restored-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
  if (!table.startsWith(prefix)) throw new UsageError(`--table must begin with ${prefix}`);
  return table;
}

async function restore(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return printLine(USAGE);
  const defaults = parseEnvironment(values.env);
  if (values.resume) return resumeOnly(defaults);
  const at = parseRestoreTime(values.at);
  const target = parseTableName(values.table, defaults, at);
  const { environment, kmsKey } = readFileSettings(join(PROJECT, 'infra/environments'), defaults.name);
  const { yes = false, 'without-deployment': withoutDeployment = false } = values;
  const { TableName: source, StageArn: stageArn } = await readStackOutputs(environment.name);
  const restoring = { environment, source, target, at, kmsKey };
  await checkTable(restoring);
  await confirm(describePlan({ ...restoring, withoutDeployment }), { yes });
  const stage = { environment: environment.name, stageArn };
  const stopAdvice = printAdviceOnExit(environment);
  await step('pause requests, queues, the stream and schedules', () => change({ ...stage, isOn: false }));
  await step(`restore the table ${target}`, () => createTable(restoring));
  await step('set stream, maximum capacity, key, TTL, recovery, tags and deletion protection', () =>
    configureTable(restoring),
  );
  if (source !== target) {
    const settings = { table: target, tableStream: await readStreamArn(target) };
    const file = await writeSettings(environment, settings);
    printLine(`${file} now names the restored table. Commit it: the next deployment is refused without this change.`);
    if (withoutDeployment) {
      stopAdvice();
      return printLine(`Traffic is paused. Commit and deploy ${file}, then run the same command again to resume.`);
    }
    const context = { ...settings, change: 'table,tableStream' };
    await deploy(PROJECT, { environment: environment.name, context, asks: !yes });
  }
  await step('resume', () => change({ ...stage, isOn: true }));
  stopAdvice();
  printLine(`Rundown-${environment.name} serves requests again, with the table ${target}.`);
  printLine(
    'Read infra/operate/README.md, "After a restore": credentials that were revoked after the restored time are valid again. Then compare the files with the table:',
  );
  printLine(`  npm run admin -- files reconcile --table ${target} --bucket <ArtifactsBucket>`);
}

async function resumeOnly({ name }: Environment): Promise<void> {
  const { TableName, StageArn } = await readStackOutputs(name);
  await step('resume', () => change({ environment: name, stageArn: StageArn, isOn: true }));
  printLine(`Rundown-${name} serves requests again, with the table ${TableName}.`);
}

const describePlan = ({
  environment: { name },
  source,
  target,
  at,
  withoutDeployment,
}: Restore & { readonly withoutDeployment: boolean }): readonly string[] =>
  source === target
    ? [`Rundown-${name} uses the table ${target} already. This completes its settings and resumes the traffic.`]
    : [
        `This restores the data of Rundown-${name} to ${at.toISOString()}:`,
        '  1. pause requests, queues, the stream and schedules. Clients get 429 until the end',
        `  2. restore the table ${source} as ${target}, which takes from minutes to hours`,
        '  3. set its stream, maximum capacity, key, TTL, recovery, tags and deletion protection',
        `  4. write it to infra/environments/${name}.json${withoutDeployment ? ', and stop' : ' and deploy it'}`,
        ...(withoutDeployment ? [] : ['  5. resume']),
        `Everything recorded after that time will be missing. The table ${source} is kept.`,
      ];

/** Prints how to continue if the program exits while the traffic is paused. The result turns this off. */
function printAdviceOnExit({ name }: Environment): () => void {
  const advise = () => {
    printLine(`Traffic of Rundown-${name} is paused. Run the same command again to continue.`);
    printLine(`To go back to the current table instead: npm run restore -- --env ${name} --resume`);
  };
  const onInterrupt = () => process.exit(INTERRUPTED);
  process.on('exit', advise).on('SIGINT', onInterrupt);
  return () => void process.off('exit', advise).off('SIGINT', onInterrupt);
}

/** Exit status after Ctrl-C. */
const INTERRUPTED = 130;

/** Returns the path of the file, relative to the project. */
async function writeSettings({ name }: Environment, settings: object): Promise<string> {
  const file = `infra/environments/${name}.json`;
  const path = join(PROJECT, file);
  const before = await readEnvironmentFile(path);
  await writeFile(path, `${JSON.stringify({ ...before, ...settings }, null, 2)}\n`);
  return file;
}

// Pauses and resumes everything that reads or writes the table of a deployment. Each call is idempotent.

interface Traffic {
  /** dev, staging or prod. */
  readonly environment: string;
  readonly stageArn: string;
  readonly isOn: boolean;
}

/** Pauses requests first and resumes them last, so that they do not cause background work while it is paused. */
async function change(traffic: Traffic): Promise<void> {
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
  const resourcesOf = async (StackName: string): Promise<StackResourceSummary[]> => {
    const all: StackResourceSummary[] = [];
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      all.push(...StackResourceSummaries);
    return all;
  };
  for (const { ResourceType, PhysicalResourceId = '' } of await resourcesOf(stackName)) {
    if (ResourceType !== 'AWS::CloudFormation::Stack') continue;
    const resources = await resourcesOf(PhysicalResourceId);
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
  const others = async (): Promise<EventSourceMappingConfiguration[]> => {
    const all: EventSourceMappingConfiguration[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client }, {}))
      all.push(...EventSourceMappings);
    return all.filter(
      ({ FunctionArn = '', State }) =>
        FunctionArn.includes(`:function:rundown-${environment}-`) && State !== targetState,
    );
  };
  // An event source mapping refuses a change while another change is in progress.
  const isReady = async () => (await others()).every(({ State = '' }) => !State.endsWith('ing'));
  await waitUntilTrue(isReady);
  for (const { UUID } of await others())
    await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isOn }));
  await waitUntilTrue(async () => (await others()).length === 0);
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

await runOperation(USAGE, restore);
