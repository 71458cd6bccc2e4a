/**
 * Runs the service in a separate process, which reads instructions from standard input and kills itself with SIGKILL
 * when an event reaches the point that the instructions name. Arguments: data folder, cloud assembly, port (0 picks a
 * free one), first instructions, file with shared packages.
 */
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { writeLocalFile } from '#infra/demo/demo-organization.ts';
import { openDataDirectory } from '#infra/local/host/data-directory.ts';
import { listen } from '#infra/local/host/http-server.ts';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { makeServices } from '#shared/platform/connect.ts';
import { type Call, startProxy } from '#test/harness/engine-proxy.ts';
import { POINTS, type Point, pointOf } from './way-of-an-event.ts';

const Orders = z.object({
  /** Whether every call that puts events on the bus fails. */
  busIsDown: z.boolean().optional(),
  /** Kills this process when events reach `point` for the nth time, where n is `time`. */
  dieAt: z.object({ point: z.enum(POINTS), time: z.int().positive() }).optional(),
});
type Orders = z.infer<typeof Orders>;

const [folder = '', assembly = '', port, first = '{}', packages = ''] = process.argv.slice(2);
let orders: Orders = Orders.parse(JSON.parse(first));
let times = 0;

function pass(point: Point | undefined): void {
  if (point === undefined || point !== orders.dieAt?.point) return;
  times += 1;
  if (times === orders.dieAt.time) process.kill(process.pid, 'SIGKILL');
}

const watch = {
  before: (call: Call) => pass(pointOf(call, 'before')),
  after: (call: Call) => pass(pointOf(call, 'after')),
};

const { path: dataDirectory } = await openDataDirectory(folder);
const server = await listen(Number(port));
const embedded = await startEngines({ dataDirectory, server });
const engines = {
  ...embedded,
  dynamodbEndpoint: (await startProxy(embedded.dynamodbEndpoint, watch)).endpoint,
  sqsEndpoint: (await startProxy(embedded.sqsEndpoint, watch)).endpoint,
};
const { origin, baseUrl, environment } = await startService({
  assembly,
  server,
  engines,
  packages,
  tableName: 'mortal',
  queuePrefix: 'mortal-',
  refuseEvents: () => {
    pass('beforeBus');
    return orders.busIsDown ? 'callFails' : undefined;
  },
  // While the bus is down on purpose, errors are not reported.
  onFault: (line) => void (orders.busIsDown || process.stderr.write(`${line}\n`)),
});
Object.assign(process.env, environment);
const oauth = { issuer: origin };
const local = await writeLocalFile({
  services: makeServices(environment),
  dataDirectory,
  origin,
  baseUrl,
  oauth,
  store: 'embedded',
});
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
// Writes the compile cache now, because a killed process cannot do so later.
flushCompileCache();
tell({ environment, ...local });
for await (const line of createInterface(process.stdin)) {
  orders = Orders.parse(JSON.parse(line));
  times = 0;
  tell({});
}
