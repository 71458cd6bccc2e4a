/** Runs a synthesized template on this machine: gateway and functions in this process, data in the embedded stores. */
import type { Agent } from 'node:http';
import { formatSignInChallenge, PLAIN_CHALLENGE } from '#shared/access/challenge.ts';
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import { type DeploymentProvider, formatDeploymentProviders } from '#shared/model/sign-in/deployment-provider.ts';
import { formatUsageLimits, parseUsageLimits } from '#shared/model/usage/usage-limits.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { type BusTrouble, startEventBus } from './events/event-bus.ts';
import { readBuses, readRules } from './events/event-rules.ts';
import { type EventSource, pollEventSource, readEventSources } from './events/event-sources.ts';
import { bringNewRows } from './events/new-rows.ts';
import { pause } from './events/poll.ts';
import { keepTime, type LocalSchedule, readSchedules, runNow } from './events/schedules.ts';
import { readTableStreams, type TableStream } from './events/table-stream.ts';
import { type Api, readApi } from './gateway/api.ts';
import { createGateway, type OnAnswer, type Throttling } from './gateway/gateway.ts';
import { makeHttpHandler } from './gateway/http-handler.ts';
import { getAwsCredentials } from './host/aws-request.ts';
import { type HttpServer, listen } from './host/http-server.ts';
import { CLOSE_GRACE_MILLISECONDS } from './host/loopback.ts';
import { Activity } from './lambda/activity.ts';
import type { FunctionOutput, loadHandler } from './lambda/function-runtime.ts';
import { type LocalFunctions, makeLocalFunctions, type PrepareBundle } from './lambda/lambda.ts';
import { guardFetch } from './stores/bucket-guard.ts';
import type { Endpoints } from './stores/engines.ts';
import { createStores } from './stores/provision.ts';
import { guardTable } from './stores/table-guard.ts';
import { loadAssembly } from './template/assembly.ts';
import { DEFAULT_BUCKET, DEFAULT_TABLE, REGION } from './template/physical-ids.ts';
import { Stack } from './template/stack.ts';

export interface ServiceOptions extends Partial<FunctionOutput> {
  /** The output folder of `cdk synth`. */
  readonly assembly: string;
  /** The server to use. It is closed together with the service. Default: a new server on a free port. */
  readonly server?: HttpServer;
  readonly engines: Endpoints;
  readonly tableName?: string;
  readonly bucketName?: string;
  /** Prefix for all queue names, so that several services can share the same engines. */
  readonly queuePrefix?: string;
  /** Public origin of the service, if it differs from its own address. */
  readonly publicOrigin?: string;
  /** An external issuer of access tokens, for a template that names no issuer. */
  readonly oauthIssuer?: string;
  /** Whether metadata documents of OAuth clients may be on this machine. Default: false. */
  readonly localClients?: boolean;
  /** The providers at which people sign in to their own accounts, for a template that names none. */
  readonly signInProviders?: readonly DeploymentProvider[];
  /** The DNS server that is asked for TXT records. Default: those of this machine. */
  readonly dnsServer?: string;
  /** Whether a schedule exports the executions of each day as Parquet. Default: false. */
  readonly dailyExports?: boolean;
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
    const api = nameOrigin(readApi(stack), options.publicOrigin ?? origin);
    const activity = new Activity();
    // With the AWS SDK, functions report no writes, so each call counts as one.
    let reportsWrites = false;
    const output = {
      onLog: options.onLog ?? ignore,
      onFault: options.onFault ?? ((line: string) => void process.stderr.write(`${line}\n`)),
    };
    const platform = buildPlatformVariables(options, bus.endpoint);
    const agents = new Set<Agent>();
    const { throttling = 'routes', schedules: keepsTime = true, streams: tells = true } = options;
    const { replaceFunctions = (all: LocalFunctions) => all } = options;
    const functions = replaceFunctions(
      makeLocalFunctions(stack, {
        assembly,
        platform,
        heldToRole: options.permissions
          ? (fn) => ({
              ...guardTable(stack, fn, agents),
              fetch: guardFetch(stack, fn, engines.s3Endpoint),
            })
          : undefined,
        overrides: {
          [ENVIRONMENT.publicOrigin]: () => options.publicOrigin ?? origin,
          [ENVIRONMENT.privateReceivers]: () => 'machine',
          [ENVIRONMENT.limits]: (limits) => (throttling === 'all' ? limits : liftKeyRate(limits)),
        },
        output,
        packages: options.packages,
        prepareBundle: options.prepareBundle,
        loadFunction: options.loadFunction,
        noteWrite: (request) => {
          reportsWrites = true;
          if (request.includes(`"${OUTBOX_PREFIX}`)) activity.happened();
        },
        onEnd: () => {
          if (!reportsWrites) activity.happened();
        },
      }),
    );
    const { onRequest = ignore, onAnswer = ignore } = options;
    const gateway = createGateway({ api, functions, output, onRequest, onAnswer, throttling });
    const sources = readEventSources(stack, functions, sqsEndpoint);
    const streams = readTableStreams(stack, functions, engines.dynamodbEndpoint);
    const schedules = readSchedules(stack, functions);
    await createStores(stack, engines);
    server.serve(makeHttpHandler(gateway));
    const stop = runBackgroundWork(sources, tells ? streams : [], keepsTime ? schedules : [], activity, output);
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

const CHALLENGE_HEADER = 'gatewayresponse.header.WWW-Authenticate';

/** The 401 of a deployment names its domain. The origin of this service is known only once it listens. */
function nameOrigin(api: Api, origin: string): Api {
  const response = api.responses.get('UNAUTHORIZED');
  if (response?.responseParameters[CHALLENGE_HEADER] !== `'${PLAIN_CHALLENGE}'`) return api;
  const responseParameters = {
    ...response.responseParameters,
    [CHALLENGE_HEADER]: `'${formatSignInChallenge(origin)}'`,
  };
  return { ...api, responses: new Map(api.responses).set('UNAUTHORIZED', { ...response, responseParameters }) };
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

/** Returns a function that stops it and waits at most two seconds. Unfinished work is repeated after the next start. */
function runBackgroundWork(
  sources: readonly EventSource[],
  streams: readonly TableStream[],
  schedules: readonly LocalSchedule[],
  activity: Activity,
  output: FunctionOutput,
): () => Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const working = Promise.all([
    ...sources.map((source) => pollEventSource(source, signal, output)),
    ...streams.map((stream) => bringNewRows(stream, activity, signal, output)),
    keepTime(schedules, signal, output),
  ]);
  return async () => {
    controller.abort();
    const grace = new AbortController();
    await Promise.race([working, pause(CLOSE_GRACE_MILLISECONDS, grace.signal)]);
    grace.abort();
  };
}

/** The variables of every function: those that Lambda itself sets, the endpoints of the engines, and options. */
function buildPlatformVariables(
  { engines, oauthIssuer, localClients, dailyExports, signInProviders, dnsServer }: ServiceOptions,
  eventBusEndpoint: string,
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = getAwsCredentials();
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    TZ: ':UTC',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodbEndpoint,
    AWS_ENDPOINT_URL_S3: engines.s3Endpoint,
    AWS_ENDPOINT_URL_SQS: engines.sqsEndpoint,
    AWS_ENDPOINT_URL_KMS: engines.kmsEndpoint,
    AWS_ENDPOINT_URL_SSM: engines.ssmEndpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: eventBusEndpoint,
    // For a template that names no issuer.
    ...(oauthIssuer ? { [ENVIRONMENT.oauthIssuer]: oauthIssuer } : {}),
    // Lets OAuth clients publish their metadata on this machine. A template for AWS never has this variable.
    ...(localClients ? { [ENVIRONMENT.localClients]: 'true' } : {}),
    ...(signInProviders ? { [ENVIRONMENT.signInProviders]: formatDeploymentProviders(signInProviders) } : {}),
    ...(dnsServer ? { [ENVIRONMENT.dnsServer]: dnsServer } : {}),
    ...(dailyExports ? { [ENVIRONMENT.dailyExports]: 'true' } : {}),
  };
}
