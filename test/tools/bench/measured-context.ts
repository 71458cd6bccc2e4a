/**
 * Measures the cost of one failure context in the bundled function, in a separate process:
 * `node test/tools/bench/measured-context.ts <bundle> <question>`
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { loadHandler } from '#infra/local/lambda/function-runtime.ts';
import { forgetPeak, type MeasuredBody, residentBytes } from './measured-body.ts';

const Question = z.object({
  /** A small context to warm up with, so that the memory of the code itself does not count. */
  small: z.unknown(),
  event: z.unknown(),
  environment: z.record(z.string(), z.string()),
});
const Answer = z.object({ statusCode: z.number() });
const WARM_UP_ROUNDS = 20;

async function measure(directory: string, file: string): Promise<z.input<typeof MeasuredBody>> {
  const { small, event, environment } = Question.parse(JSON.parse(await readFile(file, 'utf8')));
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
  const ask = async (of: unknown) => Answer.parse(await handler(of, context)).statusCode;
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await ask(small);
  await forgetPeak();
  const before = await residentBytes('VmRSS');
  const started = process.cpuUsage();
  const status = await ask(event);
  const { user, system } = process.cpuUsage(started);
  return { status, milliseconds: (user + system) / 1000, growthBytes: (await residentBytes('VmHWM')) - before };
}

if (import.meta.main) {
  const [, , directory = '', file = ''] = process.argv;
  console.log(JSON.stringify(await measure(directory, file)));
}
