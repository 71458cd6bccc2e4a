/** Everything that a service, or something between, may do to the requests of a client. */
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import { type Call, FaultyProxy } from './faulty-proxy.ts';

/** Node's option that gives a client a clock that tests move. */
export const CONTROLLED_CLOCK = ['--import', join(import.meta.dirname, 'controlled-clock.ts')] as const;

const PAGE = '<!doctype html><title>Sign in</title>';

/** What happens to a request. `moveClock` ends the time limits of the client. `die`: connections are refused from then on. */
type Fault = (call: Call, act: { readonly moveClock: () => void; readonly die: () => void }) => unknown;

const FAULTS: Readonly<Record<string, Fault>> = {
  works: (call) => call.pass(),
  'is silent': (_, { moveClock }) => moveClock(),
  'answers 401': (call) => call.answer(401, {}, '{"status":"FAILED","error":"Unauthorized"}'),
  'answers 403': (call) => call.answer(403, {}, PAGE),
  'answers 404': (call) => call.answer(404, {}, '{"status":"FAILED","error":"Not found"}'),
  'answers 500': (call) => call.answer(500, {}, '{"status":"FAILED","error":"Internal error"}'),
  'resets each connection': (call) => call.reset(),
  'cuts each answer': async (call) => call.cut(await call.store()),
  'dies in the middle of its first answer': async (call, { die }) => {
    call.cut(await call.store());
    die();
  },
  'redirects to a page': (call) =>
    call.path === 'GET /sign-in' ? call.answer(200, {}, PAGE) : call.answer(302, { location: '/sign-in' }),
  'answers with a page': (call) => call.answer(200, { 'content-type': 'text/html' }, PAGE),
  'answers something else': (call) => call.answer(200, { 'content-type': 'application/json' }, '{"data":{}}'),
};

const REFUSED = 'refuses connections';
const SILENT_TLS = 'never ends the TLS handshake';

export const FAULT_NAMES: readonly string[] = [REFUSED, SILENT_TLS, ...Object.keys(FAULTS)].filter(
  (name) => name !== 'works',
);

/** Starts a client against a service with this fault. `start` gets the address of the service. */
export async function startWithFault(
  service: string,
  name: string,
  start: (origin: string) => Promise<ChildProcess> | ChildProcess,
): Promise<ChildProcess> {
  let client: ChildProcess | undefined;
  const moveClock = () => void client?.kill('SIGUSR2');
  if (name === SILENT_TLS) {
    const server = createServer(moveClock);
    await bind(server, 0);
    onTestFinished(() => void server.close());
    client = await start(`https://${LOCALHOST}:${getPort(server)}`);
    return client;
  }
  const proxy = await FaultyProxy.start(service, (call) =>
    FAULTS[name]?.(call, { moveClock, die: () => proxy.close() }),
  );
  if (name === REFUSED) proxy.close();
  client = await start(proxy.origin);
  return client;
}
