/** Serves endpoints that a test declares itself, over HTTP and through the local gateway. */
import type { Context } from 'aws-lambda';
import { onTestFinished, vi } from 'vitest';
import type { DeclaredEndpoint } from '#infra/build/declarations.ts';
import { createGateway } from '#infra/local/gateway/gateway.ts';
import { makeHttpHandler } from '#infra/local/gateway/http-handler.ts';
import { listen } from '#infra/local/host/http-server.ts';
import type { LocalFunction } from '#infra/local/lambda/lambda.ts';
import type { ProxyEvent } from '#shared/engine/http/event.ts';
import PACKAGE from '../../package.json' with { type: 'json' };
import { service } from './service.ts';

interface Endpoint extends Pick<DeclaredEndpoint, 'declaration'> {
  (event: ProxyEvent, context: Context): Promise<unknown>;
}

/**
 * Serves public endpoints without an authorizer, and returns their origin. `faults` collects the faults of the
 * functions and the gateway.
 */
export async function serveEndpoints(...endpoints: readonly Endpoint[]) {
  // Importing `service.ts` starts the service and sets the environment variables of the functions. This call makes the
  // test end with the real clock.
  await service();
  vi.stubGlobal('BUILT_VERSION', PACKAGE.version);
  const faults: string[] = [];
  const functions = new Map(endpoints.map((endpoint) => [arnOf(endpoint), functionOf(endpoint)]));
  const routes = endpoints.map((endpoint) => ({
    method: endpoint.declaration.method,
    path: endpoint.declaration.path,
    functionArn: arnOf(endpoint),
    timeoutMilliseconds: 29_000,
    authorizerArn: undefined,
    needsGatewayKey: false,
    throttle: undefined,
    hasOwnThrottle: false,
  }));
  const gateway = createGateway({
    api: { routes, stage: 'test', responses: new Map(), usagePlan: undefined },
    functions,
    output: { onLog: () => {}, onFault: (fault) => faults.push(fault) },
    onRequest: () => {},
    onAnswer: () => {},
    throttling: 'none',
  });
  const server = await listen(0);
  onTestFinished(server.close);
  server.serve(makeHttpHandler(gateway));
  return { origin: server.origin, faults };
}

const arnOf = ({ declaration }: Endpoint): string => `arn:aws:lambda:${declaration.operationId}`;

const functionOf = (endpoint: Endpoint): LocalFunction => ({
  arn: arnOf(endpoint),
  variables: {},
  calledBundle: () => undefined,
  invoke: async (payload) => {
    const answer = await endpoint(JSON.parse(payload), CONTEXT);
    return { kind: 'answered', payload: JSON.stringify(answer) };
  },
});

/** Endpoints do not read the Lambda context. */
const CONTEXT: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'test',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:test',
  memoryLimitInMB: '128',
  awsRequestId: 'test',
  logGroupName: 'test',
  logStreamName: 'test',
  getRemainingTimeInMillis: () => 0,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};
