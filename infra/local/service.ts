/** Runs a synthesized template on this machine: gateway and functions in this process, data in the engines. */
import { setTimeout as wait } from 'node:timers/promises';
import { ENVIRONMENT } from '#shared/environment.ts';
import { Activity } from './activity.ts';
import { readApi } from './api.ts';
import { loadAssembly } from './assembly.ts';
import { credentials } from './aws-request.ts';
import type { Engines } from './engines.ts';
import { type BusTrouble, startEventBus } from './event-bus.ts';
import { readBuses, readRules } from './event-rules.ts';
import { type EventSource, pollEventSource, readEventSources } from './event-sources.ts';
import type { FunctionOutput } from './function-runtime.ts';
import { createGateway } from './gateway.ts';
import { CLOSE_GRACE_MILLISECONDS, LOOPBACK, listen } from './http-server.ts';
import { declaredValue, type FunctionHost, type LocalFunction, loadFunctions } from './lambda.ts';
import { bringNewRows } from './new-rows.ts';
import { REGION } from './physical-ids.ts';
import { provision } from './provision.ts';
import { keepTime, type LocalSchedule, readSchedules, runNow } from './schedules.ts';
import { Stack } from './stack.ts';
import { readTableStreams, type TableStream } from './table-stream.ts';

export interface ServiceOptions extends Partial<FunctionOutput> {
  /** The folder that `cdk synth` wrote. */
  readonly assembly: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly engines: Omit<Engines, 'close'>;
  readonly tableName?: string;
  readonly bucketName?: string;
  /** Before the name of every queue; needed where several services share the engines. */
  readonly queuePrefix?: string;
  /** Where the service is reached from outside, when that is not its own address. */
  readonly publicOrigin?: string;
  /** Whose access tokens are accepted, when that is not the template's issuer. */
  readonly oauthIssuer?: string;
  /** Told of each request in one line. */
  readonly onRequest?: (line: string) => void;
  /** Whether the stage's throttling holds; it does unless told otherwise. */
  readonly throttling?: boolean;
  /** Asked of each event that is put on the bus, for tests of what is done about it. */
  readonly refuseEvents?: BusTrouble;
  /** Whether the template's schedules run when their time comes; they do unless told otherwise. */
  readonly schedules?: boolean;
  /** Whether new rows of the table are brought to the functions that are told of them; they are unless told otherwise. */
  readonly streams?: boolean;
}

export interface LocalService {
  /** `http://127.0.0.1:4000` */
  readonly origin: string;
  /** Where the REST API begins: `http://127.0.0.1:4000/v1` */
  readonly baseUrl: string;
  /** What functions see: names of table and bucket, endpoints, credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a schedule's function at once; answers what it answers, throws what it throws. The name is the template's. */
  runSchedule(name: string): Promise<unknown>;
  close(): Promise<void>;
}

const ignore = () => {};
const toStandardError = (line: string) => void process.stderr.write(`${line}\n`);

/** Creates what the template stores data in, and listens on 127.0.0.1. Throws `CannotStart` when the port is taken. */
export async function startService(options: ServiceOptions): Promise<LocalService> {
  const { engines, tableName = 'rundown', bucketName = 'rundown-artifacts', queuePrefix } = options;
  const { sqsEndpoint } = engines;
  const assembly = await loadAssembly(options.assembly);
  const stack = await Stack.load(assembly, { tableName, bucketName, sqsEndpoint, queuePrefix });
  refuseSeveralStores(stack);
  const { server, bus, close } = await listenForAll(stack, options);
  try {
    const origin = `http://${LOOPBACK}:${server.port}`;
    const api = readApi(stack, {
      from: declaredValue(stack, ENVIRONMENT.publicOrigin),
      to: options.publicOrigin ?? origin,
    });
    const activity = new Activity();
    const output = { onLog: options.onLog ?? ignore, onFault: options.onFault ?? toStandardError };
    const platform = { ...platformOf(engines), AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint };
    const overrides = overridesOf(options, origin);
    const host: FunctionHost = { assembly, platform, overrides, output, onEnd: () => activity.happened() };
    const functions = loadFunctions(stack, host);
    const { throttling = true, onRequest = ignore, schedules: keepsTime = true, streams: tells = true } = options;
    const gateway = createGateway({ api, functions, output, onRequest, throttling });
    const sources = readEventSources(stack, functions, sqsEndpoint);
    const streams = readTableStreams(stack, functions, engines.dynamodbEndpoint);
    const schedules = readSchedules(stack, functions);
    await provision(stack, engines);
    server.serve(gateway);
    const unasked = { sources, streams: tells ? streams : [], schedules: keepsTime ? schedules : [] };
    const stop = workUnasked(unasked, activity, output);
    return {
      origin,
      baseUrl: `${origin}/v1`,
      environment: { ...platform, ...variablesOf(functions) },
      runSchedule: (name) => runNow(schedules, name),
      close: async () => void (await Promise.all([stop(), close()])),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The gateway's address, and the event bus of this service alone. */
async function listenForAll(stack: Stack, { port, engines, refuseEvents }: ServiceOptions) {
  const server = await listen(port);
  try {
    const buses = { buses: readBuses(stack), rules: readRules(stack) };
    const bus = await startEventBus({ ...buses, sqsEndpoint: engines.sqsEndpoint, trouble: refuseEvents });
    return { server, bus, close: () => Promise.all([server.close(), bus.close()]) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

const overridesOf = ({ publicOrigin, oauthIssuer }: ServiceOptions, origin: string): Record<string, string> => ({
  [ENVIRONMENT.publicOrigin]: publicOrigin ?? origin,
  [ENVIRONMENT.privateReceivers]: 'machine',
  ...(oauthIssuer === undefined ? {} : { [ENVIRONMENT.oauthIssuer]: oauthIssuer }),
});

function refuseSeveralStores(stack: Stack): void {
  for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket']) {
    if (stack.resources(type).length > 1)
      throw new Error(`The local runner gives one name to one ${type}, there are more`);
  }
}

/** What Lambda itself puts in every function's environment, here with the engines' addresses. */
function platformOf({ dynamodbEndpoint, s3Endpoint, sqsEndpoint }: ServiceOptions['engines']): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials();
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    TZ: ':UTC',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    AWS_ENDPOINT_URL_S3: s3Endpoint,
    AWS_ENDPOINT_URL_SQS: sqsEndpoint,
  };
}

interface Unasked {
  readonly sources: readonly EventSource[];
  readonly streams: readonly TableStream[];
  readonly schedules: readonly LocalSchedule[];
}

/** What comes otherwise than by a request. Answers how to stop: what is under way may end, for two seconds at most. The rest comes again. */
function workUnasked(
  { sources, streams, schedules }: Unasked,
  activity: Activity,
  output: FunctionOutput,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const polling = sources.map((source) => pollEventSource(source, signal, output));
  const looking = streams.map((stream) => bringNewRows(stream, activity, signal, output));
  const working = Promise.all([...polling, ...looking, keepTime(schedules, signal, output)]);
  return async () => {
    stopped.abort();
    const grace = new AbortController();
    const { signal } = grace;
    await Promise.race([working, wait(CLOSE_GRACE_MILLISECONDS, undefined, { signal }).catch(() => {})]);
    grace.abort();
  };
}

/** All functions' variables together. */
function variablesOf(functions: ReadonlyMap<string, LocalFunction>): Record<string, string> {
  return Object.assign({}, ...[...functions.values()].map(({ variables }) => variables));
}
