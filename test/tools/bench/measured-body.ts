/**
 * Measures the cost of one request body in a bundled function, in a separate process:
 * `node test/tools/bench/measured-body.ts <bundle> <question>`
 */
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { loadHandler } from '#infra/local/lambda/function-runtime.ts';

export const MeasuredBody = z.object({ status: z.number(), milliseconds: z.number(), growthBytes: z.number() });

const Question = z.object({
  event: z.looseObject({ body: z.string() }),
  environment: z.record(z.string(), z.string()),
});
const Answer = z.object({ statusCode: z.number() });

/**
 * Resident memory in bytes: the current amount (`VmRSS`), or the peak since the last call of `forgetPeak` (`VmHWM`).
 */
export async function residentBytes(name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(await readFile('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
export const forgetPeak = () => writeFile('/proc/self/clear_refs', '5');

async function measure(directory: string, file: string): Promise<z.input<typeof MeasuredBody>> {
  const { event, environment } = Question.parse(JSON.parse(await readFile(file, 'utf8')));
  const handler = loadHandler(
    { directory, handler: 'index.handler', environment },
    { onLog: () => {}, onFault: () => {} },
  );
  const context = {
    functionName: 'measured',
    functionVersion: '1',
    invokedFunctionArn: 'arn',
    memoryLimitInMB: '1024',
    awsRequestId: 'measured',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => 29_000,
  };
  const ask = async (body: string) => Answer.parse(await handler({ ...event, body }, context)).statusCode;
  // Warms up with small bodies, so that the memory of the code itself does not count.
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await ask(SMALL_BODY);
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const started = process.cpuUsage();
  const status = await ask(event.body);
  const { user, system } = process.cpuUsage(started);
  return { status, milliseconds: (user + system) / 1000, growthBytes: (await residentBytes('VmHWM')) - before };
}

const WARM_UP_ROUNDS = 20;
const SMALL_BODY = gzipSync('{"a":[1,"b",{}]}').toString('base64');

if (import.meta.main) {
  const [, , directory = '', file = ''] = process.argv;
  console.log(JSON.stringify(await measure(directory, file)));
}
