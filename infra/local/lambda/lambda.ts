/** The template's Lambda functions, invoked in this process. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { clearTimeout, setTimeout } from 'node:timers';
import * as z from 'zod';
import type { Assembly } from '#infra/local/template/assembly.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import {
  type FunctionHandler,
  type FunctionOutput,
  getBundleFile,
  type HandlerSource,
  loadHandler,
} from './function-runtime.ts';
import { resolveSourcePlaces } from './source-maps.ts';

/** Lambda's limit for events and responses. A response may be 100 bytes longer, for its envelope. */
export const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** The result of a call. Payloads are JSON. */
export type Invocation =
  | { readonly kind: 'answered'; readonly payload: string }
  /** The function failed. `report` is for the log: the name of the function and the error with its stack. */
  | { readonly kind: 'failed'; readonly message: string; readonly report: string };

export interface LocalFunction {
  readonly arn: string;
  /** Builds and loads the function before its first call. Never rejects, because the call says what is wrong. */
  prepare?(): Promise<void>;
  /** Invokes the function. Never rejects. */
  invoke(payload: string): Promise<Invocation>;
  /** The environment variables that the template defines, with the values of `overrides`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The folder of the bundle that was called last. `undefined` before the first call. */
  readonly calledBundle: () => string | undefined;
}

/** Makes the bundle in this folder current before a call. Throws if the function does not compile. */
export type PrepareBundle = (directory: string) => Promise<void>;

export interface FunctionHost {
  readonly assembly: Assembly;
  /** Variables for every function: region, credentials, endpoints. */
  readonly platform: Readonly<Record<string, string>>;
  /** Modules and `fetch` that refuse what the role does not permit. `undefined`: no function is held to its role. */
  readonly heldToRole: ((fn: StackResource) => Pick<HandlerSource, 'modules' | 'fetch' | 'refuseCall'>) | undefined;
  /** What the runner makes of variables, from their values in the template. Others keep these values. */
  readonly overrides: Readonly<Record<string, (value: string) => string>>;
  readonly output: FunctionOutput;
  /** The file with the packages that all functions share. If `undefined`, each bundle contains its own packages. */
  readonly packages: string | undefined;
  /** Absent if all bundles are built, and do not change. */
  readonly prepareBundle?: PrepareBundle | undefined;
  /** Loads the code of a function. Default: into this process. */
  readonly loadFunction?: typeof loadHandler | undefined;
  /** Called after each write to the table, if functions call it without the AWS SDK. */
  readonly noteWrite?: HandlerSource['noteWrite'];
  /** Called at the end of each invocation. */
  readonly onEnd: () => void;
}

const Code = z.object({ S3Key: z.string() });
const Environment = z.object({ Variables: z.record(z.string(), z.unknown()) }).default({ Variables: {} });
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MEGABYTES = 128;

export type LocalFunctions = ReadonlyMap<string, LocalFunction>;

/** All functions of the stack by ARN. The first invocation of a function loads its bundle, like a cold start. */
export function makeLocalFunctions(stack: Stack, host: FunctionHost): LocalFunctions {
  const functions = stack.resources('AWS::Lambda::Function').map((resource) => makeLocalFunction(resource, host));
  return new Map(functions.map((fn) => [fn.arn, fn]));
}

function makeLocalFunction(resource: StackResource, host: FunctionHost): LocalFunction {
  const name = resource.reference;
  const arn = resource.attribute('Arn');
  const memory = String(resource.property('MemorySize') ?? DEFAULT_MEMORY_MEGABYTES);
  const timeoutSeconds = z.coerce.number().parse(resource.property('Timeout') ?? DEFAULT_TIMEOUT_SECONDS);
  const variableEntries = Object.entries(Environment.parse(resource.property('Environment')).Variables);
  const variables = Object.fromEntries(
    variableEntries.map(([key, value]) => [key, host.overrides[key]?.(String(value)) ?? String(value)]),
  );
  const handler = z.string().parse(resource.property('Handler'));
  const environment = {
    ...host.platform,
    // The variables with which Lambda describes a function.
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    ...variables,
  };
  let loadedBundle:
    | { readonly handler: FunctionHandler; readonly directory: string; readonly writtenAt: number }
    | undefined;
  const { loadFunction = loadHandler } = host;
  let source: HandlerSource | undefined;
  /** Reads the template once, and only for functions that are called. */
  const findSource = (): HandlerSource => {
    const directory = host.assembly.asset(Code.parse(resource.property('Code')).S3Key);
    const { packages, noteWrite } = host;
    return { handler, environment, directory, packages, noteWrite, ...host.heldToRole?.(resource) };
  };
  /** Loads the bundle at the first call, and again if another build has replaced it. */
  const findHandler = async (): Promise<FunctionHandler> => {
    if (loadedBundle && !host.prepareBundle) return loadedBundle.handler;
    source ??= findSource();
    const { directory } = source;
    await host.prepareBundle?.(directory);
    const writtenAt = statSync(getBundleFile(source)).mtimeMs;
    if (loadedBundle?.writtenAt !== writtenAt)
      loadedBundle = { handler: loadFunction(source, host.output), directory, writtenAt };
    return loadedBundle.handler;
  };
  const prepare = async (): Promise<void> => {
    await findHandler().catch(() => undefined);
  };
  const contextUntil = (deadline: number) => ({
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn,
    memoryLimitInMB: memory,
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  });
  const invoke = async (payload: string): Promise<Invocation> => {
    try {
      // Before the time of the call begins, because a deployed function is not built during its call.
      const handle = await findHandler();
      const context = contextUntil(performance.now() + timeoutSeconds * 1000);
      const call = async () => toInvocation(await handle(JSON.parse(payload), context));
      const timeout = () => new Error(`Task timed out after ${timeoutSeconds}.00 seconds`);
      return await limitTime(call(), timeoutSeconds * 1000, timeout);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const report = resolveSourcePlaces(`${name}: ${error instanceof Error ? (error.stack ?? message) : message}`);
      return { kind: 'failed', message, report };
    } finally {
      host.onEnd();
    }
  };
  return { arn, prepare, invoke, variables, calledBundle: () => loadedBundle?.directory };
}

function toInvocation(result: unknown): Invocation {
  const payload = JSON.stringify(result) ?? 'null';
  const bytes = Buffer.byteLength(payload);
  if (bytes > MAX_PAYLOAD_BYTES + 100) {
    throw new Error(`Response payload size (${bytes} bytes) exceeded maximum allowed payload size (6291556 bytes)`);
  }
  return { kind: 'answered', payload };
}

/** Rejects with the error from `timeout`. The call then continues in the background, and its result is discarded. */
export function limitTime<Result>(call: Promise<Result>, milliseconds: number, timeout: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeout()), milliseconds);
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
