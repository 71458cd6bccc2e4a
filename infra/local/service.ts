/** Runs a synthesized template on this machine: gateway and functions in this process, data in the embedded stores. */
import type { Agent } from 'node:http';
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import { formatUsageLimits, parseUsageLimits } from '#shared/model/usage/usage-limits.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { runBackgroundWork } from './events/background-work.ts';
import { type BusTrouble, startEventBus } from './events/event-bus.ts';
import { readBuses, readRules } from './events/event-rules.ts';
import { readEventSources } from './events/event-sources.ts';
import { readSchedules, runNow } from './events/schedules.ts';
import { readTableStreams } from './events/table-stream.ts';
import { readApi } from './gateway/api.ts';
import { createGateway, type OnAnswer, type Throttling } from './gateway/gateway.ts';
import { makeHttpHandler } from './gateway/http-handler.ts';
import { nameOrigin } from './gateway/own-origin.ts';
import { type HttpServer, listen } from './host/http-server.ts';
import { Activity } from './lambda/activity.ts';
import type { FunctionOutput, loadHandler } from './lambda/function-runtime.ts';
import { type FunctionHost, type LocalFunctions, makeLocalFunctions, type PrepareBundle } from './lambda/lambda.ts';
import { buildPlatformVariables, type PlatformOptions } from './platform-variables.ts';
import { guardFetch } from './stores/bucket-guard.ts';
import { createStores } from './stores/provision.ts';
import { guardTable } from './stores/table-guard.ts';
import { loadAssembly } from './template/assembly.ts';
import { DEFAULT_BUCKET, DEFAULT_TABLE } from './template/physical-ids.ts';
import { Stack, type StackResource } from './template/stack.ts';

export interface ServiceOptions extends Partial<FunctionOutput>, PlatformOptions {
  /** The output folder of `cdk synth`. */
  readonly assembly: string;
  /** The server to use. It is closed together with the service. Default: a new server on a free port. */
  readonly server?: HttpServer;
  readonly tableName?: string;
  readonly bucketName?: string;
  /** Prefix for all queue names, so that several services can share the same engines. */
  readonly queuePrefix?: string;
  /** Public origin of the service, if it differs from its own address. */
  readonly publicOrigin?: string;
  readonly onRequest?: (line: string) => void;
  /** Called with each request and its response, so that tests can validate responses against the OpenAPI document. */
  readonly onAnswer?: OnAnswer;
  /** Default: `routes`, so that a fast local client is not refused, except where a route has a limit of its own. */
  readonly throttling?: Throttling;
  /** Fault injection for tests: decides for each event whether the bus refuses it. */
  readonly refuseEvents?: BusTrouble;
  /** Whether the template's schedules run. Default: true. */
  readonly schedules?: boolean;
  /** Whether new rows of the table trigger functions. Default: true. */
  readonly streams?: boolean;
  /** Whether the permissions of each function's role for table and bucket are enforced. Default: false. */
  readonly permissions?: boolean;
  /** The file with the packages that all functions share. It needs an assembly whose bundles contain no packages. */
  readonly packages?: string;
  /** Loads the code of a function. Default: into this process. */
  readonly loadFunction?: typeof loadHandler;
  /** Replaces functions of the template, for tests of an update in which two releases share the stores. */
  readonly replaceFunctions?: (functions: LocalFunctions) => LocalFunctions;
  /** Builds the bundle of a function before it is called. Default: all bundles are built, and do not change. */
  readonly prepareBundle?: PrepareBundle;
}

export interface LocalService {
  /** The origin, for example `http://localhost:4000`. */
  readonly origin: string;
  /** The base URL of the REST API, for example `http://localhost:4000/v1`. */
  readonly baseUrl: string;
  /** The functions' environment: names of table and bucket, endpoints, credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the function of a schedule now. Returns its result or throws its error. `name`: as in the template. */
  runSchedule(name: string): Promise<unknown>;
  listCalledBundles(): string[];
  close(): Promise<void>;
}

const ignore = () => {};

/** Creates the template's stores and serves its API. */
export async function startService(options: ServiceOptions): Promise<LocalService> {
  const { engines, tableName = DEFAULT_TABLE, bucketName = DEFAULT_BUCKET, queuePrefix } = options;
  const { sqsEndpoint } = engines;
  const assembly = await loadAssembly(options.assembly);
  const stack = await Stack.load(assembly, { tableName, bucketName, sqsEndpoint, queuePrefix });
  refuseSeveralStores(stack);
  const { server, bus, close } = await listenForAll(stack, options);
  try {
    const { origin } = server;
    const publicOrigin = options.publicOrigin ?? origin;
    const api = nameOrigin(readApi(stack), publicOrigin);
    const activity = new Activity();
    const output = {
      onLog: options.onLog ?? ignore,
      onFault: options.onFault ?? ((line: string) => void process.stderr.write(`${line}\n`)),
    };
    const platform = buildPlatformVariables(options, bus.endpoint);
    const agents = new Set<Agent>();
    const guardStores = (fn: StackResource) => ({
      ...guardTable(stack, fn, agents),
      fetch: guardFetch(stack, fn, engines.s3Endpoint),
    });
    const { throttling = 'routes', schedules: schedulesRun = true, streams: streamsRun = true } = options;
    const { replaceFunctions = (all: LocalFunctions) => all, onRequest = ignore, onAnswer = ignore } = options;
    const functions = replaceFunctions(
      makeLocalFunctions(stack, {
        assembly,
        platform,
        heldToRole: options.permissions ? guardStores : undefined,
        overrides: {
          [ENVIRONMENT.publicOrigin]: () => publicOrigin,
          [ENVIRONMENT.privateReceivers]: () => 'machine',
          [ENVIRONMENT.limits]: (limits) => (throttling === 'all' ? limits : liftKeyRate(limits)),
        },
        output,
        packages: options.packages,
        prepareBundle: options.prepareBundle,
        loadFunction: options.loadFunction,
        ...noteActivity(activity),
      }),
    );
    const gateway = createGateway({ api, functions, output, onRequest, onAnswer, throttling });
    const sources = readEventSources(stack, functions, sqsEndpoint);
    const streams = readTableStreams(stack, functions, engines.dynamodbEndpoint);
    const schedules = readSchedules(stack, functions);
    await createStores(stack, engines);
    server.serve(makeHttpHandler(gateway));
    const work = { sources, streams: streamsRun ? streams : [], schedules: schedulesRun ? schedules : [] };
    const stop = runBackgroundWork(work, activity, output);
    return {
      origin,
      baseUrl: `${origin}/v1`,
      environment: Object.assign({}, platform, ...Array.from(functions.values(), ({ variables }) => variables)),
      runSchedule: (name) => runNow(schedules, name),
      listCalledBundles: () => [...functions.values()].flatMap(({ calledBundle }) => calledBundle() ?? []),
      close: async () => {
        await Promise.all([stop(), close()]);
        // An open connection would keep the function in memory.
        for (const agent of agents) agent.destroy();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** With the AWS SDK, functions report no writes, so each call counts as one. */
function noteActivity(activity: Activity): Pick<FunctionHost, 'noteWrite' | 'onEnd'> {
  let reportsWrites = false;
  return {
    noteWrite: (request) => {
      reportsWrites = true;
      if (request.includes(`"${OUTBOX_PREFIX}`)) activity.happened();
    },
    onEnd: () => {
      if (!reportsWrites) activity.happened();
    },
  };
}

/** Without the shares of the gateway, a fast local client is not refused by the rate of its key either. */
const liftKeyRate = (limits: string): string =>
  formatUsageLimits({ ...parseUsageLimits(limits), keyRequestsPerMinute: UNTHROTTLED_PER_MINUTE });

/** More than this machine can answer. */
const UNTHROTTLED_PER_MINUTE = 600_000;

async function listenForAll(stack: Stack, { server: existingServer, engines, refuseEvents }: ServiceOptions) {
  const server = existingServer ?? (await listen(0));
  try {
    const buses = { buses: readBuses(stack), rules: readRules(stack) };
    const bus = await startEventBus({ ...buses, sqsEndpoint: engines.sqsEndpoint, trouble: refuseEvents });
    return { server, bus, close: () => Promise.all([server.close(), bus.close()]) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function refuseSeveralStores(stack: Stack): void {
  for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket']) {
    if (stack.resources(type).length > 1)
      throw new Error(`The local runner supports only one ${type}, but the template has more`);
  }
}
